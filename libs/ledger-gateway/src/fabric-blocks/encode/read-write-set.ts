import { Buffer } from 'node:buffer';
import { keyReadField, type KeyRead } from './key-read.js';
import { booleanField, bytesField, integerField, join, messageField, stringField } from './proto-fields.js';
import { summarizeReads, type MerkleSummary } from './range-reads.js';

export type { KeyRead } from './key-read.js';

/** A key that is to be written; undefined deletes it. */
export interface KeyWrite {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/** A range that was read, from `startKey` on. */
export interface RangeRead {
  readonly startKey: string;
  /** The bound asked for when the range was read to its end, else the last key read. */
  readonly endKey: string;
  /** Whether it was read to its end. */
  readonly exhausted: boolean;
  readonly reads: readonly KeyRead[];
}

/** What a transaction read and wants to write, in the chaincode's own namespace. */
export interface ReadWriteSet {
  readonly reads: readonly KeyRead[];
  readonly rangeReads?: readonly RangeRead[];
  readonly writes: readonly KeyWrite[];
}

/**
 * Message `rwset.TxReadWriteSet` with one namespace, keys in byte order of their UTF-8 as Fabric's peers sort them;
 * empty when nothing was read or written.
 */
export function encodeReadWriteSet(namespace: string, set: ReadWriteSet): Buffer {
  const { reads, rangeReads = [], writes } = set;
  const sets = [
    ...sortedByKey(reads).map((read) => keyReadField(1, read)),
    ...rangeReads.map(rangeReadField),
    ...sortedByKey(writes).map(keyWriteField),
  ];
  if (sets.length === 0) return Buffer.alloc(0);
  return messageField(2, stringField(1, namespace), messageField(2, ...sets));
}

function keyWriteField({ key, value }: KeyWrite): Buffer {
  return messageField(
    3,
    stringField(1, key),
    booleanField(2, value === undefined),
    bytesField(3, value ?? Buffer.alloc(0)),
  );
}

function rangeReadField({ startKey, endKey, exhausted, reads }: RangeRead): Buffer {
  const summary = summarizeReads(reads);
  return messageField(
    2,
    stringField(1, startKey),
    stringField(2, endKey),
    booleanField(3, exhausted),
    summary === undefined ? rawReadsField(reads) : merkleField(summary),
  );
}

/** A range without a result has no reads at all. */
function rawReadsField(reads: readonly KeyRead[]): Buffer {
  if (reads.length === 0) return Buffer.alloc(0);
  return messageField(4, ...reads.map((read) => keyReadField(1, read)));
}

function merkleField({ maxDegree, maxLevel, hashes }: MerkleSummary): Buffer {
  const level = join(hashes.map((hash) => messageField(3, hash)));
  return messageField(5, integerField(1, maxDegree), integerField(2, maxLevel), level);
}

function sortedByKey<T extends { readonly key: string }>(entries: readonly T[]): readonly T[] {
  if (entries.length < 2) return entries;
  return entries.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
