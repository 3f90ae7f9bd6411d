import { assetDigest, canonicalAsset } from '#asset-contract';
import { type CallOptions, type LedgerCall, LedgerError, type SubmitResult } from '#ledger-gateway';
import type { IdempotencyKey, RecordedWrite } from '#ledger-gateway/driver';
import type { Endorsed, FabricCall, FabricTransport, RecordedTransaction, SubmitTerms } from './fabric-transport.js';

/** Who makes a call, and its idempotency key. */
export interface FabricCallOptions extends Pick<CallOptions, 'onStage' | 'onAccepted'> {
  /** Name of the caller whose identity signs; without it the service's does. */
  readonly caller?: string | undefined;
  readonly idempotency?: IdempotencyKey | undefined;
}

/** The condition of a write: the asset must be in one of the given states. */
export interface AssetCondition {
  /** The asset's id, which is also its key in the chaincode's state. */
  readonly id: string;
  /** Digests of the asset in canonical form, separated by commas. */
  readonly digests: string;
}

/** Returns the result of a recorded write for its caller. */
export type ReadResult = (recorded: RecordedWrite) => Uint8Array;

/** Terms of a call in addition to its arguments. */
export interface CallTerms {
  /** For a call with a key. */
  readonly readResult?: ReadResult;
  readonly condition?: AssetCondition | undefined;
}

/** A chaincode as a client calls it. */
export interface ChaincodeClient {
  submit(call: LedgerCall, options: FabricCallOptions, terms?: CallTerms): Promise<SubmitResult>;
  evaluate(call: LedgerCall, options: FabricCallOptions): Promise<Uint8Array>;
}

/**
 * Returns a chaincode's asset in the canonical form of our contract.
 * @throws a refusal of the contract
 */
export function requireAsset(stored: Uint8Array): Uint8Array {
  const asset = canonicalAsset(stored);
  if (asset === undefined) throw new LedgerError('LEDGER.REFUSED', 'the stored record is not an asset');
  return asset;
}

/**
 * Submits a transaction if an asset is still in a given state, on a chaincode that cannot compare it. The asset is read by
 * a transaction that is endorsed only. The peers' check of read versions (MVCC) rejects the write if another version was
 * compared:
 *
 *     endorse ReadAsset ──▶ its digest is one of those named ──▶ endorse the write ──▶ it has read the same version ──▶ order
 *
 * A query instead could compare an old state, from a peer that lags behind the endorsers.
 *
 * @throws `LEDGER.CONFLICT` when the write has read another version and must be retried; a refusal of the contract
 * ASSET_CHANGED, `LEDGER.NOT_SUPPORTED`; what the transport throws
 */
export async function submitIf(
  { id, digests }: AssetCondition,
  transport: FabricTransport,
  call: FabricCall,
  terms: SubmitTerms,
): Promise<RecordedTransaction> {
  if (transport.endorse === undefined) {
    throw new LedgerError(
      'LEDGER.NOT_SUPPORTED',
      "If-Match on a chaincode other than the project's own needs LEDGER_DRIVER=fabric-gateway: " +
        'the older SDK cannot stop between endorsement and ordering.',
    );
  }
  const read = await transport.endorse({ ...call, function: 'ReadAsset', arguments: [id] });
  if (!digests.split(',').includes(assetDigest(requireAsset(read.result)))) {
    throw new LedgerError('LEDGER.ASSET_CHANGED', `the asset ${id} has changed since it was read`);
  }
  const version = versionIn(read, id);
  const accept = (endorsed: Endorsed): void => {
    if (versionIn(endorsed, id) === version) return;
    throw new LedgerError('LEDGER.CONFLICT', `The asset ${id} changed between its reading and the write.`);
  };
  return transport.submit(call, { ...terms, accept });
}

function versionIn({ reads }: Endorsed, key: string): string {
  const version = reads.get(key);
  if (version !== undefined) return version;
  const text = `If-Match needs a chaincode that stores each asset under its id; this one read no ${key}.`;
  throw new LedgerError('LEDGER.NOT_SUPPORTED', text);
}
