import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { booleanField, bytesField, integerField, join, messageField, stringField } from '../messages/proto-fields.js';
import { sha256, type Version } from './hashes.js';
import {
  encodeKeyValueSet,
  encodeMetadata,
  type KeyMetadataWrite,
  type KeyRead,
  type KeyWrite,
  type ReadWriteSet,
  sortedByKey,
} from './read-write-set.js';

// Reads and writes of private data. A transaction contains their hashes only: keys are hashed, values are hashed, and a hash covers
// the write set with plain keys and values, which peers exchange outside the blocks.

/** Separates a namespace and a collection. No name of either contains it. */
const SEPARATOR = '\0';

/** Returns the name of a collection among the read and write sets of a transaction and in the state. */
export function collectionSpace(namespace: string, collection: string): string {
  return collection === '' ? namespace : namespace + SEPARATOR + collection;
}

/** Returns the chaincode and the collection of a {@link collectionSpace}; an empty collection for the chaincode's public state. */
export function partsOfSpace(space: string): { readonly namespace: string; readonly collection: string } {
  const end = space.indexOf(SEPARATOR);
  if (end < 0) return { namespace: space, collection: '' };
  return { namespace: space.slice(0, end), collection: space.slice(end + 1) };
}

/** Returns the key of a private value in blocks and in the state: the SHA-256 of the key in hexadecimal. */
export function hashedKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The reads and writes of a transaction in one collection, with plain keys and values. */
export interface PrivateSet {
  readonly reads: readonly KeyRead[];
  readonly writes: readonly KeyWrite[];
  readonly metadataWrites: readonly KeyMetadataWrite[];
}

/** Returns the hashes of private reads and writes, in the order of the plain keys as on a peer. */
export function hashedSet({ reads, writes, metadataWrites }: PrivateSet): ReadWriteSet {
  const isWritten = writes.length + metadataWrites.length > 0;
  // The metadata themselves are public.
  const touched = metadataWrites.map(({ key }) => ({ key, entries: [] }));
  const privateHash = isWritten ? sha256(encodeKeyValueSet({ reads: [], writes, metadataWrites: touched })) : undefined;
  return {
    reads: sortedByKey(reads).map(({ key, version }) => ({ key: hashedKey(key), version })),
    writes: sortedByKey(writes).map(({ key, value, isPurge }) => {
      const write = { key: hashedKey(key), value: value && sha256(value) };
      return isPurge === true ? { ...write, isPurge } : write;
    }),
    metadataWrites: sortedByKey(metadataWrites).map(({ key, entries }) => ({ key: hashedKey(key), entries })),
    privateHash,
  };
}

/** Encodes a hashed set as field `collection_hashed_rwset` of a `rwset.NsReadWriteSet`; empty when nothing was read or written. */
export function hashedSetField(collection: string, set: ReadWriteSet): Buffer {
  const { reads, writes, metadataWrites = [], privateHash = NOTHING } = set;
  const fields = [
    ...reads.map(readField),
    ...writes.map(writeField),
    ...metadataWrites.map(({ key, entries }) => messageField(3, keyHash(key), encodeMetadata(entries))),
  ];
  if (fields.length === 0) return NOTHING;
  return messageField(3, stringField(1, collection), messageField(2, ...fields), bytesField(3, privateHash));
}

const NOTHING = Buffer.alloc(0);

function readField({ key, version }: KeyRead): Buffer {
  return messageField(1, keyHash(key), version === undefined ? NOTHING : messageField(2, encodeVersion(version)));
}

function writeField({ key, value, isPurge = false }: KeyWrite): Buffer {
  const valueHash = bytesField(3, value ?? NOTHING);
  return messageField(2, keyHash(key), booleanField(2, value === undefined), valueHash, booleanField(4, isPurge));
}

function keyHash(key: string): Buffer {
  return bytesField(1, Buffer.from(key, 'hex'));
}

function encodeVersion({ blockNumber, transactionNumber }: Version): Buffer {
  return join([integerField(1, blockNumber), integerField(2, transactionNumber)]);
}
