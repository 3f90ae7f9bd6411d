import { type CollectionPlace, type PrivateState, SimulationError, type StateIterator } from '#chaincode-host';
import {
  collectionSpace,
  hashedKey,
  hashedSet,
  type KeyMetadataWrite,
  type KeyRead,
  type KeyWrite,
  type MetadataEntry,
  type ReadWriteSet,
} from '#fabric-codec/encode';
import type { PrivateWrites } from '../private/private-values.js';
import { type StoredState, versionOf } from '../store/namespace-reader.js';
import type { Snapshot } from './snapshot-pool.js';

/** Keys of a range that are read at once. */
const KEYS_PER_READ = 100;

/** The rules and limits of the transaction to which a private state belongs. */
export interface TransactionRules {
  readonly requireRunning: () => void;
  readonly countRead: () => void;
  /** Counts bytes that are written, and throws when the transaction may not write. */
  readonly countWrite: (size: number) => void;
  /** Throws when the transaction has written. */
  readonly beginPrivateQuery: () => void;
  /** Called with values that must not appear in messages. */
  readonly noteValue: (value: Uint8Array) => void;
  /** Called when what was read may be newer than the snapshot: values have none. */
  readonly noteUncertain: () => void;
}

/** Simulates the reads and writes of one transaction in one private collection, as Fabric's transaction simulator does. */
export class PrivateSimulation implements PrivateState {
  readonly space: string;
  readonly #place: CollectionPlace;
  readonly #snapshot: Snapshot;
  readonly #rules: TransactionRules;
  readonly #reads = new Map<string, KeyRead>();
  readonly #writes = new Map<string, KeyWrite>();
  readonly #metadataWrites = new Map<string, KeyMetadataWrite>();

  constructor(place: CollectionPlace, snapshot: Snapshot, rules: TransactionRules) {
    this.space = collectionSpace(place.namespace, place.collection);
    this.#place = place;
    this.#snapshot = snapshot;
    this.#rules = rules;
  }

  get(key: string): Uint8Array | undefined {
    const state = this.#state(key);
    if (!state?.value) {
      this.#record(key, state);
      return undefined;
    }
    const value = this.#snapshot.values.value(this.space, Buffer.from(state.key, 'hex'), state.value);
    if (value === undefined) throw this.#missing(state);
    this.#record(key, state);
    this.#rules.noteValue(value);
    return value;
  }

  hash(key: string): Uint8Array | undefined {
    const state = this.#state(key);
    this.#record(key, state);
    return state?.value ?? undefined;
  }

  put(key: string, value: Uint8Array): void {
    this.#rules.noteValue(value);
    this.#write({ key, value: value.length === 0 ? undefined : value });
  }

  delete(key: string): void {
    this.#write({ key, value: undefined });
  }

  purge(key: string): void {
    this.#write({ key, value: undefined, isPurge: true });
  }

  metadata(key: string): readonly MetadataEntry[] {
    if (this.hash(key) === undefined) return [];
    return this.#snapshot.states.metadata(this.space, hashedKey(key));
  }

  putMetadata(key: string, entries: readonly MetadataEntry[]): void {
    const sizes = entries.map(({ name, value }) => Buffer.byteLength(name) + value.length);
    this.#rules.countWrite(sizes.reduce((sum, size) => sum + size, Buffer.byteLength(key)));
    this.#metadataWrites.set(key, { key, entries });
  }

  range(start: string, end: string): StateIterator {
    this.#rules.beginPrivateQuery();
    // A key that was deleted meanwhile would be missing.
    this.#rules.noteUncertain();
    const entries = this.#entries(start, end);
    return { next: () => entries.next().value, bookmark: () => '' };
  }

  /** Returns what was read and written, hashed. */
  readWriteSet(): ReadWriteSet {
    const [reads, writes, metadataWrites] = [this.#reads, this.#writes, this.#metadataWrites];
    return hashedSet({
      reads: [...reads.values()],
      writes: [...writes.values()],
      metadataWrites: [...metadataWrites.values()],
    });
  }

  /** Returns the writes with their plain keys and values; undefined if there are none. */
  privateWrites(): PrivateWrites | undefined {
    if (this.#writes.size === 0) return undefined;
    const writes = [...this.#writes.values()];
    const { space } = this;
    const isStored = ({ value }: KeyWrite): boolean => this.#place.isStored && value !== undefined;
    return {
      // Copies, because a message would clone the whole buffer pool that a value is a view of.
      values: writes.filter(isStored).map(({ key, value }) => {
        return { space, key, value: new Uint8Array(value ?? []), isListed: true };
      }),
      otherKeys: writes.filter((write) => !isStored(write)).map(({ key }) => ({ space, key })),
      isPurge: writes.some(({ isPurge }) => isPurge),
    };
  }

  #write(write: KeyWrite): void {
    this.#rules.countWrite(Buffer.byteLength(write.key) + (write.value?.length ?? 0));
    this.#writes.set(write.key, write);
  }

  #state(key: string): StoredState | undefined {
    this.#rules.requireRunning();
    this.#rules.countRead();
    return this.#snapshot.states.of(this.space).state(hashedKey(key));
  }

  #record(key: string, state: StoredState | undefined): void {
    this.#reads.set(key, { key, version: versionOf(state) });
  }

  /** The text is Fabric's. */
  #missing({ block, position }: StoredState): SimulationError {
    if (this.#place.isStored) this.#rules.noteUncertain();
    const version = `Public hash version = {BlockNum: ${block}, TxNum: ${position}}, Private data version = <nil>`;
    return new SimulationError(`private data matching public hash version is not available. ${version}`);
  }

  *#entries(start: string, end: string): Generator<{ key: string; value: Uint8Array }, undefined> {
    const states = this.#snapshot.states.of(this.space);
    for (let from = start; ;) {
      this.#rules.requireRunning();
      const found = this.#snapshot.values.keys(this.space, from, end, KEYS_PER_READ);
      for (const { key, keyHash } of found) {
        this.#rules.requireRunning();
        const hash = states.value(Buffer.from(keyHash).toString('hex'));
        // The values of a key that is new or deleted.
        if (hash === undefined) continue;
        const value = this.#snapshot.values.value(this.space, keyHash, hash);
        if (value === undefined) continue;
        this.#rules.countRead();
        this.#rules.noteValue(value);
        yield { key, value };
      }
      const last = found.at(-1)?.key;
      if (last === undefined || found.length < KEYS_PER_READ) return;
      from = `${last}\u0000`;
    }
  }
}
