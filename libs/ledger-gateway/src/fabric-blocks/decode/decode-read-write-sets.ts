import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import rwset from '@hyperledger/fabric-protos/lib/ledger/rwset/rwset_pb.js';
import type { Version } from '../encode/hashes.js';
import type { KeyRead, KeyWrite, MerkleSummary, RangeRead } from '../encode/read-write-set.js';
import { decoding, readMessage } from './read-message.js';

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

/** What a transaction read and wrote in one private collection. */
export interface CollectionSets {
  readonly collection: string;
  readonly reads: readonly HashedRead[];
  readonly writes: readonly HashedWrite[];
  /** Hashes of the keys that got new metadata (an endorsement policy of their own). */
  readonly metadataWrites: readonly Uint8Array[];
}

/** What a transaction read and wrote in the namespace of one chaincode. */
export interface NamespaceSets {
  readonly namespace: string;
  readonly reads: readonly KeyRead[];
  readonly rangeReads: readonly DecodedRangeRead[];
  readonly writes: readonly KeyWrite[];
  /** Keys that got new metadata (an endorsement policy of their own). */
  readonly metadataWrites: readonly string[];
  readonly collections: readonly CollectionSets[];
}

/**
 * Decodes the `results` of an action, a `rwset.TxReadWriteSet`.
 * @throws `LEDGER.DAMAGED` when the bytes are none
 */
export function decodeReadWriteSets(results: Uint8Array): readonly NamespaceSets[] {
  return decoding('read and write set', () =>
    readMessage(rwset.TxReadWriteSet, results).getNsRwsetList().map(readNamespace),
  );
}

function readNamespace(set: rwset.NsReadWriteSet): NamespaceSets {
  const keys = readMessage(kv.KVRWSet, set.getRwset_asU8());
  return {
    namespace: set.getNamespace(),
    reads: keys.getReadsList().map(readKey),
    rangeReads: keys.getRangeQueriesInfoList().map(readRange),
    writes: keys.getWritesList().map((write) => ({
      key: write.getKey(),
      value: valueOf(write.getIsDelete(), write.getValue_asU8()),
    })),
    metadataWrites: keys.getMetadataWritesList().map((write) => write.getKey()),
    collections: set.getCollectionHashedRwsetList().map(readCollection),
  };
}

function readKey(read: kv.KVRead): KeyRead {
  return { key: read.getKey(), version: readVersion(read.getVersion()) };
}

function readVersion(version: kv.Version | undefined): Version | undefined {
  return version && { blockNumber: version.getBlockNum(), transactionNumber: version.getTxNum() };
}

/** Fabric takes a write of nothing for a deletion (rwsetutil.IsKVWriteDelete). */
function valueOf(isDelete: boolean, value: Uint8Array): Uint8Array | undefined {
  return isDelete || value.length === 0 ? undefined : value;
}

function readRange(range: kv.RangeQueryInfo): DecodedRangeRead {
  const merkle = range.getReadsMerkleHashes();
  return {
    startKey: range.getStartKey(),
    endKey: range.getEndKey(),
    exhausted: range.getItrExhausted(),
    reads: merkle === undefined ? (range.getRawReads()?.getKvReadsList() ?? []).map(readKey) : readMerkle(merkle),
  };
}

function readMerkle(merkle: kv.QueryReadsMerkleSummary): MerkleSummary {
  return {
    maxDegree: merkle.getMaxDegree(),
    maxLevel: merkle.getMaxLevel(),
    hashes: merkle.getMaxLevelHashesList_asU8(),
  };
}

function readCollection(set: rwset.CollectionHashedReadWriteSet): CollectionSets {
  const hashed = readMessage(kv.HashedRWSet, set.getHashedRwset_asU8());
  return {
    collection: set.getCollectionName(),
    reads: hashed
      .getHashedReadsList()
      .map((read) => ({ keyHash: read.getKeyHash_asU8(), version: readVersion(read.getVersion()) })),
    writes: hashed.getHashedWritesList().map((write) => ({
      keyHash: write.getKeyHash_asU8(),
      valueHash: valueOf(write.getIsDelete(), write.getValueHash_asU8()),
    })),
    metadataWrites: hashed.getMetadataWritesList().map((write) => write.getKeyHash_asU8()),
  };
}
