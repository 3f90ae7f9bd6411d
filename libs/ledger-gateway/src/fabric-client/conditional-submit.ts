import { assetDigest } from '#asset-contract';
import { LedgerError } from '../errors/ledger.errors.js';
import type {
  FabricCallOptions,
  Endorsed,
  FabricCall,
  FabricTransport,
  RecordedTransaction,
  SubmitTerms,
} from './fabric-transport.js';
import { requireAsset, type AssetCondition } from './chaincode-calls.js';

/**
 * Makes one transaction if an asset is still what the caller has read, on a chaincode that cannot compare by itself. The
 * asset is read by a transaction that is endorsed only; the peers' own check of what a transaction has read keeps the
 * write out of the state when that is not what was compared:
 *
 *     endorse ReadAsset ──▶ its digest is one of those named ──▶ endorse the write ──▶ it has read the same version ──▶ order
 *
 * Read by a query instead, a peer that lags behind the endorsers would compare what they no longer have.
 *
 * @throws `LEDGER.CONFLICT` when the write has read another version: to be begun anew. a refusal of the contract
 * ASSET_CHANGED, `LEDGER.NOT_SUPPORTED`; what the transport throws
 */
export async function submitIf(
  condition: AssetCondition,
  transport: FabricTransport,
  call: FabricCall,
  options: FabricCallOptions,
  terms: SubmitTerms,
): Promise<RecordedTransaction> {
  if (transport.endorse === undefined) {
    throw new LedgerError(
      'LEDGER.NOT_SUPPORTED',
      "If-Match on another chaincode than the project's own needs LEDGER_DRIVER=fabric-gateway: " +
        'the older SDK orders what it had endorsed without a look in between.',
    );
  }
  const { id, digests } = condition;
  const read = await transport.endorse({ ...call, function: 'ReadAsset', arguments: [id] }, options);
  if (!digests.split(',').includes(assetDigest(requireAsset(read.result)))) {
    throw new LedgerError('LEDGER.ASSET_CHANGED', `the asset ${id} has changed since it was read`);
  }
  const version = versionIn(read, id);
  const accept = (endorsed: Endorsed): void => {
    if (versionIn(endorsed, id) === version) return;
    throw new LedgerError('LEDGER.CONFLICT', `The asset ${id} changed between its reading and the write.`);
  };
  return transport.submit(call, options, { ...terms, accept });
}

function versionIn({ reads }: Endorsed, key: string): string {
  const version = reads.get(key);
  if (version !== undefined) return version;
  throw new LedgerError(
    'LEDGER.NOT_SUPPORTED',
    `If-Match needs a chaincode that keeps each asset under its id; this one read no ${key}.`,
  );
}
