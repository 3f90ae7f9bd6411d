import type { UnsignedTransaction } from './envelope-signer.js';
import { packParts, unpackParts, type PackedParts } from './packed-parts.js';

/** Byte strings of one transaction. */
const PARTS = 4;

/** Transactions on their way to the signing thread. */
export interface PackedTransactions extends PackedParts {
  /** Who signs each of them. */
  readonly signers: readonly number[];
}

/** Puts transactions into one buffer for the signing thread. */
export function packTransactions(transactions: readonly UnsignedTransaction[]): PackedTransactions {
  const parts = transactions.flatMap(({ proposal: { channelHeader, signatureHeader, chaincodePayload }, response }) => [
    channelHeader,
    signatureHeader,
    chaincodePayload,
    response,
  ]);
  return { ...packParts(parts), signers: transactions.map(({ signer }) => signer) };
}

/** The transactions again. */
export function unpackTransactions(packed: PackedTransactions): UnsignedTransaction[] {
  const parts = unpackParts(packed);
  return packed.signers.map((signer, index) => {
    const [channelHeader, signatureHeader, chaincodePayload, response] = parts.slice(
      index * PARTS,
      (index + 1) * PARTS,
    ) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    return { signer, proposal: { channelHeader, signatureHeader, chaincodePayload }, response };
  });
}
