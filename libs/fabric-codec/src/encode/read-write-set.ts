import { Buffer } from 'node:buffer';
import { booleanField, bytesField, integerField, join, messageField, stringField } from '../messages/proto-fields.js';
import { compareText, sha256, type Version } from './hashes.js';

/** A write of a key; undefined deletes it. */
export interface KeyWrite {
  readonly key: string;
  readonly value: Uint8Array | undefined;
  /** Whether a deletion of private data also erases its earlier values. */
  readonly isPurge?: boolean;
}

/** An entry of the metadata of a key, such as its endorsement policy under the name `VALIDATION_PARAMETER`. */
export interface MetadataEntry {
  readonly name: string;
  readonly value: Uint8Array;
}

/** New metadata of a key, which replace the previous ones. They keep its value. */
export interface KeyMetadataWrite {
  readonly key: string;
  readonly entries: readonly MetadataEntry[];
}

/** A range that was read from `startKey` on. */
export interface RangeRead {
  readonly startKey: string;
  /** The requested bound when the range was read to its end, else the last key read. */
  readonly endKey: string;
  /** Whether it was read to its end. */
  readonly exhausted: boolean;
  readonly reads: readonly KeyRead[];
}

/** The reads and writes of a transaction in the namespace of one chaincode, or their hashes in one of its private collections. */
export interface ReadWriteSet {
  readonly reads: readonly KeyRead[];
  readonly rangeReads?: readonly RangeRead[];
  readonly writes: readonly KeyWrite[];
  readonly metadataWrites?: readonly KeyMetadataWrite[];
  /** The hash of the writes in a collection with their plain keys and values; undefined without any. */
  readonly privateHash?: Uint8Array | undefined;
}

/** Encodes a `kvrwset.KVRWSet`, keys in byte order of their UTF-8. */
export function encodeKeyValueSet({ reads, rangeReads = [], writes, metadataWrites = [] }: ReadWriteSet): Buffer {
  return join([
    ...sortedByKey(reads).map((read) => keyReadField(1, read)),
    ...rangeReads.map(rangeReadField),
    ...sortedByKey(writes).map(keyWriteField),
    ...sortedByKey(metadataWrites).map(metadataWriteField),
  ]);
}

function keyWriteField({ key, value }: KeyWrite): Buffer {
  const isDelete = booleanField(2, value === undefined);
  return messageField(3, stringField(1, key), isDelete, bytesField(3, value ?? Buffer.alloc(0)));
}

function metadataWriteField({ key, entries }: KeyMetadataWrite): Buffer {
  return messageField(4, stringField(1, key), encodeMetadata(entries));
}

/** Encodes entries as a `kvrwset.KVMetadataWrite` without its key, as Fabric also stores them; sorted by their names. */
export function encodeMetadata(entries: readonly MetadataEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => compareText(a.name, b.name));
  return join(sorted.map(({ name, value }) => messageField(2, stringField(1, name), bytesField(2, value))));
}

function rangeReadField({ startKey, endKey, exhausted, reads }: RangeRead): Buffer {
  const bounds = [stringField(1, startKey), stringField(2, endKey)];
  return messageField(2, ...bounds, booleanField(3, exhausted), readsField(reads));
}

function readsField(reads: readonly KeyRead[]): Buffer {
  // A range without a result has no reads at all.
  if (reads.length === 0) return Buffer.alloc(0);
  const summary = summarizeReads(reads);
  if (summary === undefined) return messageField(4, ...reads.map((read) => keyReadField(1, read)));
  const { maxDegree, maxLevel, maxLevelHashes } = summary;
  const level = join(maxLevelHashes.map((hash) => messageField(3, hash)));
  return messageField(5, integerField(1, maxDegree), integerField(2, maxLevel), level);
}

/** Characters whose order in UTF-16 differs from that in UTF-8. */
const REORDERED = /[\ud800-\uffff]/;

/** Sorts by the bytes of UTF-8, as Fabric does. Without certain characters that is the order of texts, which is cheaper. */
export function sortedByKey<T extends { readonly key: string }>(entries: readonly T[]): readonly T[] {
  if (entries.length < 2) return entries;
  if (!entries.some(({ key }) => REORDERED.test(key))) {
    return entries.toSorted((a, b) => Number(a.key > b.key) - Number(a.key < b.key));
  }
  return entries.toSorted((a, b) => compareText(a.key, b.key));
}

/** A key that was read, with the version found; undefined when there was no such key. */
export interface KeyRead {
  readonly key: string;
  readonly version: Version | undefined;
}

/** Encodes a `kvrwset.KVRead` as a field of another message. */
function keyReadField(number: number, { key, version }: KeyRead): Buffer {
  if (version === undefined) return messageField(number, stringField(1, key));
  const { blockNumber, transactionNumber } = version;
  const found = messageField(2, integerField(1, blockNumber), integerField(2, transactionNumber));
  return messageField(number, stringField(1, key), found);
}

/** A long range read as a few hashes, a `kvrwset.QueryReadsMerkleSummary`. */
export interface MerkleSummary {
  readonly maxDegree: number;
  readonly maxLevel: number;
  readonly maxLevelHashes: readonly Uint8Array[];
}

/** Fabric's maxDegreeQueryReadsHashing: more reads than this are hashed. */
const MAX_DEGREE = 50;

/**
 * Summarizes the reads of a range as Fabric's peers do (rwsetutil.RangeQueryResultsHelper): 51 reads make a leaf,
 * 51 hashes of one level make one of the next.
 * @returns undefined for 50 reads or fewer, which are recorded unchanged
 */
export function summarizeReads(reads: readonly KeyRead[]): MerkleSummary | undefined {
  if (reads.length <= MAX_DEGREE) return undefined;
  const levels: Buffer[][] = [[]];
  for (let start = 0; start < reads.length; start += MAX_DEGREE + 1) {
    addHash(levels, 0, sha256(join(reads.slice(start, start + MAX_DEGREE + 1).map((read) => keyReadField(1, read)))));
  }
  const hashes = topLevel(levels);
  if (hashes.length <= MAX_DEGREE) return { maxDegree: MAX_DEGREE, maxLevel: levels.length, maxLevelHashes: hashes };
  return { maxDegree: MAX_DEGREE, maxLevel: levels.length + 1, maxLevelHashes: [sha256(join(hashes))] };
}

/** Adds a hash to a level and folds each level that becomes too long into one hash of the next. */
function addHash(levels: Buffer[][], level: number, hash: Buffer): void {
  const hashes = (levels[level] ??= []);
  hashes.push(hash);
  if (hashes.length <= MAX_DEGREE) return;
  levels[level] = [];
  addHash(levels, level + 1, sha256(join(hashes)));
}

/** Folds the rest of the lower levels upwards: a lone hash rises unchanged, several as their hash. */
function topLevel(levels: readonly Buffer[][]): readonly Buffer[] {
  let rising: readonly Buffer[] = [];
  for (const level of levels.slice(0, -1)) {
    const hashes = [...level, ...rising];
    rising = hashes.length > 1 ? [sha256(join(hashes))] : hashes;
  }
  return [...levels.slice(-1).flat(), ...rising];
}
