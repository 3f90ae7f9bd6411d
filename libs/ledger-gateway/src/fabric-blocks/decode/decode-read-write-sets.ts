import type { Version } from '../encode/hashes.js';
import type { KeyRead, KeyWrite, MerkleSummary, RangeRead } from '../encode/read-write-set.js';
import { decodeMessage, decoding } from '../messages/decode-message.js';
import { HashedRWSet, KVRWSet, TxReadWriteSet } from '../messages/fabric-messages.js';
import type { Decoded } from '../messages/schema.js';

/** A range read as a peer recorded it: its reads, or the hashes of many. */
export interface DecodedRangeRead extends Omit<RangeRead, 'reads'> {
  readonly reads: readonly KeyRead[] | MerkleSummary;
}

/** A read of a private key, which is known by its hash only. */
export interface HashedRead {
  readonly keyHash: Uint8Array;
  readonly version: Version | undefined;
}

/** A write of a private key; without a value hash it is deleted. */
export interface HashedWrite {
  readonly keyHash: Uint8Array;
  readonly valueHash: Uint8Array | undefined;
}

/** The reads and writes of a transaction in one private collection. */
export interface CollectionSets {
  readonly collection: string;
  readonly reads: readonly HashedRead[];
  readonly writes: readonly HashedWrite[];
  /** Hashes of the keys that got new metadata (an endorsement policy of their own). */
  readonly metadataWrites: readonly Uint8Array[];
}

/** The reads and writes of a transaction in the namespace of one chaincode. */
export interface NamespaceSets {
  readonly namespace: string;
  readonly reads: readonly KeyRead[];
  readonly rangeReads: readonly DecodedRangeRead[];
  readonly writes: readonly KeyWrite[];
  /** Keys that got new metadata (an endorsement policy of their own). */
  readonly metadataWrites: readonly string[];
  readonly collections: readonly CollectionSets[];
}

type KeySets = Decoded<typeof KVRWSet>;
type NamespaceSet = Decoded<typeof TxReadWriteSet>['nsRwset'][number];

/**
 * Decodes the `results` of an action, a `rwset.TxReadWriteSet`.
 * @throws `LEDGER.DAMAGED` when the bytes are not one
 */
export function decodeReadWriteSets(results: Uint8Array): readonly NamespaceSets[] {
  return decoding('read and write set', () => decodeMessage(TxReadWriteSet, results).nsRwset.map(namespaceSets));
}

function namespaceSets({ namespace, rwset, collectionHashedRwset }: NamespaceSet): NamespaceSets {
  const { reads, rangeQueriesInfo, writes, metadataWrites } = decodeMessage(KVRWSet, rwset);
  return {
    namespace,
    reads: reads.map(keyRead),
    rangeReads: rangeQueriesInfo.map(rangeRead),
    writes: writes.map(({ key, isDelete, value }) => ({ key, value: writtenValue(isDelete, value) })),
    metadataWrites: metadataWrites.map(({ key }) => key),
    collections: collectionHashedRwset.map(collectionSets),
  };
}

function keyRead({ key, version }: KeySets['reads'][number]): KeyRead {
  return { key, version: versionOf(version) };
}

function versionOf(version: KeySets['reads'][number]['version']): Version | undefined {
  return version && { blockNumber: version.blockNum, transactionNumber: version.txNum };
}

/** Fabric treats a write of nothing as a deletion (rwsetutil.IsKVWriteDelete). */
function writtenValue(isDelete: boolean, value: Uint8Array): Uint8Array | undefined {
  return isDelete || value.length === 0 ? undefined : value;
}

function rangeRead(range: KeySets['rangeQueriesInfo'][number]): DecodedRangeRead {
  const { startKey, endKey, itrExhausted: exhausted, rawReads, readsMerkleHashes: merkle } = range;
  if (merkle === undefined) return { startKey, endKey, exhausted, reads: (rawReads?.kvReads ?? []).map(keyRead) };
  const { maxDegree, maxLevel, maxLevelHashes: hashes } = merkle;
  return { startKey, endKey, exhausted, reads: { maxDegree, maxLevel, hashes } };
}

function collectionSets({
  collectionName,
  hashedRwset,
}: NamespaceSet['collectionHashedRwset'][number]): CollectionSets {
  const { hashedReads, hashedWrites, metadataWrites } = decodeMessage(HashedRWSet, hashedRwset);
  return {
    collection: collectionName,
    reads: hashedReads.map(({ keyHash, version }) => ({ keyHash, version: versionOf(version) })),
    writes: hashedWrites.map(({ keyHash, isDelete, valueHash }) => ({
      keyHash,
      valueHash: writtenValue(isDelete, valueHash),
    })),
    metadataWrites: metadataWrites.map(({ keyHash }) => keyHash),
  };
}
