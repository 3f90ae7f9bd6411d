import { canonicalAsset } from '#asset-contract';
import { LedgerError } from '../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import type { ReadResult } from './keyed-submit.js';

/** What an asset has to be when a transaction changes it. */
export interface AssetCondition {
  /** The asset's id, and the key under which the chaincode keeps it. */
  readonly id: string;
  /** Digests of the asset in our form, with commas between them. */
  readonly digests: string;
}

/** What a call of a chaincode needs beside its arguments. */
export interface CallTerms {
  /** What the recorded write is to the caller, for a call with a key. */
  readonly readResult?: ReadResult;
  readonly condition?: AssetCondition | undefined;
}

/** A chaincode as a client calls it. */
export interface ChaincodeCalls {
  submit(call: LedgerCall, options: FabricCallOptions, terms?: CallTerms): Promise<SubmitResult>;
  evaluate(call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array>;
}

/**
 * An asset as a chaincode gave it, in the form of ours.
 * @throws a refusal of the contract
 */
export function requireAsset(stored: Uint8Array): Uint8Array {
  const asset = canonicalAsset(stored);
  if (asset === undefined) throw new LedgerError('LEDGER.REFUSED', 'the stored record is not an asset');
  return asset;
}
