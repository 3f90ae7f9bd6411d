import { Buffer } from 'node:buffer';
import type { CollectionSets, NamespaceSets } from '../../decode/decode-envelope.js';
import { summarizeReads, type KeyRead, type MerkleSummary } from '../../encode/read-write-set.js';
import { collectionSpace } from '../../encode/hashed-sets.js';
import { compareText, type StateUpdate, type Version } from '../../encode/hashes.js';
import { TxValidationCode } from '../../messages/enums.js';
import { type RangeQueryInfo } from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import { hex } from '../../messages/text.js';

/**
 * The state that replaying a chain builds: the newest version of each key, and the transactions so far.
 * A namespace is that of a chaincode, or of one of its private collections, whose keys are hashes.
 */
export interface ReplayState {
  version(namespace: string, key: string): Version | undefined;
  /** Returns the value of a present key, if values are stored: the commit hash covers that of a key with new metadata. */
  value?(namespace: string, key: string): Uint8Array | undefined;
  /** Without a version the key is deleted. */
  setVersion(namespace: string, key: string, version: Version | undefined): void;
  /** Returns the keys with `start` ≤ key < `end` in byte order of their UTF-8; an empty `end` is no bound. */
  range(namespace: string, start: string, end: string): Iterable<KeyRead>;
  /** Stores the place of a transaction; returns false when its id was added before. */
  addTransaction(transactionId: string, place: Version): boolean;
}

const { VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT } = TxValidationCode;

/**
 * Replays the transactions of one block on the state, as a peer validates them (kvledger's validation package): a read
 * must find the version that was endorsed, and nothing that this block has written already.
 */
export class BlockReplay {
  readonly #state: ReplayState;
  readonly #blockNumber: number;
  readonly #updates = new Map<string, StateUpdate>();
  #valuesAreKnown = true;

  constructor(state: ReplayState, blockNumber: number) {
    this.#state = state;
    this.#blockNumber = blockNumber;
  }

  /** The newest write of each key by the valid transactions, which the commit hash covers. */
  get updates(): readonly StateUpdate[] {
    return [...this.#updates.values()];
  }

  /** False when a key got new metadata only: its value, which the commit hash covers too, is not in this block nor in the state. */
  get valuesAreKnown(): boolean {
    return this.#valuesAreKnown;
  }

  /** Returns the validation code that a transaction must have, unless it was refused for another reason. */
  validate(namespaces: readonly NamespaceSets[]): number {
    for (const sets of namespaces) {
      if (!sets.reads.every((read) => this.#isCurrent(sets.namespace, read))) return MVCC_READ_CONFLICT;
      if (!sets.rangeQueriesInfo.every((range) => this.#isSame(sets.namespace, range))) return PHANTOM_READ_CONFLICT;
      if (!sets.collections.every((collection) => this.#areCurrent(sets.namespace, collection))) {
        return MVCC_READ_CONFLICT;
      }
    }
    return VALID;
  }

  /** Adds the writes of a valid transaction. */
  apply(namespaces: readonly NamespaceSets[], transactionNumber: number): void {
    const version = { blockNumber: this.#blockNumber, transactionNumber };
    for (const { namespace, writes, metadataWrites, collections } of namespaces) {
      for (const { key, value } of writes) {
        this.#write({ namespace, collection: '', key: Buffer.from(key), value, version });
      }
      for (const { key } of metadataWrites) this.#touch(namespace, '', Buffer.from(key), version);
      for (const { collection, hashedWrites, metadataWrites: touched } of collections) {
        for (const { keyHash: key, valueHash: value } of hashedWrites) {
          this.#write({ namespace, collection, key, value, version });
        }
        for (const { keyHash } of touched) this.#touch(namespace, collection, keyHash, version);
      }
    }
  }

  /** Writes the updates to the state, after the last transaction. */
  commit(): void {
    for (const { namespace, collection, key, value, version } of this.#updates.values()) {
      this.#state.setVersion(
        collectionSpace(namespace, collection),
        keyName(collection, key),
        value === undefined ? undefined : version,
      );
    }
  }

  #isCurrent(name: string, { key, version }: KeyRead): boolean {
    return !this.#updates.has(updateKey(name, key)) && sameVersion(this.#state.version(name, key), version);
  }

  #areCurrent(namespace: string, { collection, hashedReads }: CollectionSets): boolean {
    const name = collectionSpace(namespace, collection);
    return hashedReads.every(({ keyHash, version }) => this.#isCurrent(name, { key: hex(keyHash), version }));
  }

  /** Returns whether reading the range now, with the writes of this block, returns the endorsed result. */
  #isSame(namespace: string, range: Decoded<typeof RangeQueryInfo>): boolean {
    const { startKey, endKey, itrExhausted, rawReads, readsMerkleHashes } = range;
    // A range that was not read to its end is recorded with its last key, which belongs to it.
    const end = itrExhausted || endKey === '' ? endKey : `${endKey}\u0000`;
    const now = this.#rangeNow(namespace, startKey, end);
    if (readsMerkleHashes === undefined) return sameReads(now, rawReads?.kvReads ?? []);
    const summary = summarizeReads(now);
    return summary !== undefined && asText(summary) === asText(readsMerkleHashes);
  }

  #rangeNow(namespace: string, start: string, end: string): KeyRead[] {
    const found = new Map<string, Version | undefined>();
    for (const { key, version } of this.#state.range(namespace, start, end)) found.set(key, version);
    for (const update of this.#updates.values()) {
      const key = Buffer.from(update.key).toString();
      const isInside = compareText(key, start) >= 0 && (end === '' || compareText(key, end) < 0);
      if (update.collection !== '' || update.namespace !== namespace || !isInside) continue;
      if (update.value === undefined) found.delete(key);
      else found.set(key, update.version);
    }
    return [...found].map(([key, version]) => ({ key, version })).sort((a, b) => compareText(a.key, b.key));
  }

  #write(update: StateUpdate): void {
    const { namespace, collection, key } = update;
    this.#updates.set(updateKey(collectionSpace(namespace, collection), keyName(collection, key)), update);
  }

  /** New metadata change the version of an existing key. */
  #touch(namespace: string, collection: string, key: Uint8Array, version: Version): void {
    const name = collectionSpace(namespace, collection);
    const text = keyName(collection, key);
    const written = this.#updates.get(updateKey(name, text));
    const exists = written === undefined ? this.#state.version(name, text) !== undefined : written.value !== undefined;
    if (!exists || written?.version === version) return;
    const value = written === undefined ? this.#state.value?.(name, text) : written.value;
    this.#valuesAreKnown &&= value !== undefined;
    this.#write({ namespace, collection, key, value: value ?? new Uint8Array(), version });
  }
}

/** Returns the name of a key in the state: for a private one its hash. */
function keyName(collection: string, key: Uint8Array): string {
  return collection === '' ? Buffer.from(key).toString() : hex(key);
}

function updateKey(name: string, key: string): string {
  return `${name}\u0000\u0000${key}`;
}

function sameVersion(a: Version | undefined, b: Version | undefined): boolean {
  return a?.blockNumber === b?.blockNumber && a?.transactionNumber === b?.transactionNumber;
}

function sameReads(now: readonly KeyRead[], then: readonly KeyRead[]): boolean {
  if (now.length !== then.length) return false;
  return now.every((read, index) => read.key === then[index]?.key && sameVersion(read.version, then[index].version));
}

function asText({ maxDegree, maxLevel, maxLevelHashes }: MerkleSummary): string {
  return [maxDegree, maxLevel, ...maxLevelHashes.map(hex)].join();
}
