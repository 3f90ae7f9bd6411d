import {
  collectionSpace,
  hashedKey,
  hashedSet,
  type KeyRead,
  type KeyWrite,
  type ReadWriteSet,
} from '#fabric-codec/encode';
import { StandInState, type Versioned } from './stand-in-state.js';

/** A private value that a simulation wrote; undefined deletes it. */
export interface StandInPrivateWrite {
  readonly collection: string;
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/** The private collections of a chaincode on every peer: hashes, as in the public state, and the values that the peers have. */
export class StandInCollections {
  readonly #chaincode: string;
  readonly #hashes = new Map<string, StandInState>();
  readonly #values = new Map<string, Uint8Array>();

  constructor(chaincode: string) {
    this.#chaincode = chaincode;
  }

  /** The keys of all values, each with the name of its collection. */
  get keys(): readonly string[] {
    return [...this.#values.keys()];
  }

  /** Returns the hashes of a collection by the name of its read and write set. */
  hashes(space: string): StandInState {
    const found = this.#hashes.get(space) ?? new StandInState();
    this.#hashes.set(space, found);
    return found;
  }

  space(collection: string): string {
    return collectionSpace(this.#chaincode, collection);
  }

  value(collection: string, key: string): Uint8Array | undefined {
    return this.#values.get(`${collection}/${key}`);
  }

  /** Applies the private writes of a valid transaction. */
  apply(writes: readonly StandInPrivateWrite[]): void {
    for (const { collection, key, value } of writes) {
      if (value === undefined) this.#values.delete(`${collection}/${key}`);
      else this.#values.set(`${collection}/${key}`, value);
    }
  }

  /** Forgets all values, as a peer has none that is no member or was started from a snapshot. */
  forgetValues(): void {
    this.#values.clear();
  }
}

/** One private collection in one simulation. */
export class SimulatedCollection {
  readonly space: string;
  readonly #name: string;
  readonly #committed: StandInCollections;
  readonly #reads = new Map<string, KeyRead>();
  readonly #writes = new Map<string, KeyWrite>();

  constructor(name: string, committed: StandInCollections) {
    this.#name = name;
    this.#committed = committed;
    this.space = committed.space(name);
  }

  /** @returns the hash with its version, and the value, which a peer may lack */
  read(key: string): { readonly hash: Versioned | undefined; readonly value: Uint8Array | undefined } {
    const hash = this.#committed.hashes(this.space).get(hashedKey(key));
    this.#reads.set(key, { key, version: hash?.version });
    return { hash, value: this.#committed.value(this.#name, key) };
  }

  write(write: KeyWrite): void {
    this.#writes.set(write.key, write);
  }

  readWriteSet(): ReadWriteSet {
    return hashedSet({ reads: [...this.#reads.values()], writes: [...this.#writes.values()], metadataWrites: [] });
  }

  writes(): readonly StandInPrivateWrite[] {
    return Array.from(this.#writes.values(), ({ key, value }) => ({ collection: this.#name, key, value }));
  }
}
