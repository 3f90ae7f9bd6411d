import { canonicalAsset } from '#asset-contract';
import { decodeActions, type DecodedEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets } from '../fabric-blocks/decode/decode-read-write-sets.js';
import type { KeyWrite } from '../fabric-blocks/encode/read-write-set.js';
import type { AssetChange } from '../ports/pages.js';
import type { CreatorNames } from './summaries.js';

/**
 * What an endorser transaction writes under a key of a chaincode; of several the last, which is the one that counts.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function writeOf({ data }: DecodedEnvelope, key: string, chaincode: string): KeyWrite | undefined {
  return decodeActions(data)
    .flatMap(({ result }) => decodeReadWriteSets(result.results))
    .filter(({ namespace }) => namespace === chaincode)
    .flatMap(({ writes }) => writes)
    .findLast((write) => write.key === key);
}

/** What a history tells of a write. */
export function assetChange(
  envelope: DecodedEnvelope,
  blockNumber: number,
  { value }: KeyWrite,
  creators: CreatorNames,
): AssetChange {
  const { transactionId, timestamp } = envelope;
  const asset = value && canonicalAsset(value);
  return {
    transactionId,
    blockNumber,
    timestamp,
    ...creators.of(envelope),
    isDelete: value === undefined,
    asset: asset && Buffer.from(asset).toString(),
  };
}
