import { envelopeDetails } from './read-write-sets.ts';

/** A transaction, as the API returns it. */
interface Transaction {
  readonly creatorMspId: string;
  /** The decoded envelope, to which the API adds the organizations that signed the block. */
  readonly rawTransaction: unknown;
}

/** Returns the organizations that signed a transaction or its block. */
export function signersOf({ creatorMspId, rawTransaction }: Transaction): readonly string[] {
  const { blockSignerMspIds } = rawTransaction as { readonly blockSignerMspIds: readonly string[] };
  const signers = [creatorMspId, ...envelopeDetails(rawTransaction).endorserMspIds, ...blockSignerMspIds];
  return [...new Set(signers)].filter((mspId) => mspId !== '');
}
