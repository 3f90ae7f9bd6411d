import type { MetadataEntry } from '#fabric-codec/encode';
import { SimulationError, type PrivateState, type Simulator, type StateIterator } from './chaincode.port.js';
import type { Collection, Collections } from './collections/collections.js';

/** Options of {@link PrivateRequests}. */
export interface PrivateOptions {
  readonly collections: Collections;
  /** Called with private values that the chaincode reads or writes. */
  readonly notePrivate?: ((value: Uint8Array) => void) | undefined;
}

/**
 * The private data of one call of a chaincode. Members are checked before a collection is, as core/chaincode/handler.go of Fabric
 * 2.5 does, with its error texts.
 */
export class PrivateRequests {
  readonly #channel: string;
  readonly #namespace: string;
  readonly #simulator: Simulator;
  readonly #collections: Collections;
  readonly #notePrivate: PrivateOptions['notePrivate'];

  constructor(channel: string, namespace: string, simulator: Simulator, options: PrivateOptions) {
    this.#channel = channel;
    this.#namespace = namespace;
    this.#simulator = simulator;
    this.#collections = options.collections;
    this.#notePrivate = options.notePrivate;
  }

  get(collection: string, key: string): Uint8Array | undefined {
    const value = this.#readable(collection).get(key);
    if (value !== undefined) this.#notePrivate?.(value);
    return value;
  }

  /** Returns the hash of a value, which also identities that are no members may read. */
  hash(collection: string, key: string): Uint8Array | undefined {
    return this.#state(collection).hash(key);
  }

  put(collection: string, key: string, value: Uint8Array): void {
    this.#notePrivate?.(value);
    this.#writable(collection).put(key, value);
  }

  delete(collection: string, key: string): void {
    this.#writable(collection).delete(key);
  }

  purge(collection: string, key: string): void {
    this.#writable(collection).purge(key);
  }

  metadata(collection: string, key: string): readonly MetadataEntry[] {
    return this.#readable(collection).metadata(key);
  }

  putMetadata(collection: string, key: string, entries: readonly MetadataEntry[]): void {
    this.#writable(collection).putMetadata(key, entries);
  }

  range(collection: string, start: string, end: string): StateIterator {
    const entries = this.#readable(collection).range(start, end);
    return {
      next: () => {
        const entry = entries.next();
        if (entry !== undefined) this.#notePrivate?.(entry.value);
        return entry;
      },
      bookmark: () => entries.bookmark(),
    };
  }

  /** @throws {@link SimulationError} unless the caller may read a collection */
  requireReadable(collection: string): void {
    const found = this.#require(collection);
    if (found.memberOnlyRead && !this.#collections.isCallerMember(found)) throw this.#forbidden('read', collection);
  }

  #readable(collection: string): PrivateState {
    this.requireReadable(collection);
    return this.#state(collection);
  }

  #writable(name: string): PrivateState {
    const collection = this.#require(name);
    if (collection.memberOnlyWrite && !this.#collections.isCallerMember(collection)) {
      throw this.#forbidden('write', name);
    }
    return this.#state(name);
  }

  #require(name: string): Collection {
    const collection = this.#collections.find(name);
    if (collection !== undefined) return collection;
    throw new SimulationError(`collection ${this.#channel}/${this.#namespace}/${name} could not be found`);
  }

  #state(name: string): PrivateState {
    const collection = this.#collections.find(name);
    if (collection === undefined || !this.#collections.isDefined(name)) {
      const place = `in the collection config for chaincode [${this.#namespace}]`;
      throw new SimulationError(`collection [${name}] not defined ${place}`);
    }
    const isStored = this.#collections.isStored(collection);
    return this.#simulator.collection({ namespace: this.#namespace, collection: name, isStored });
  }

  #forbidden(access: 'read' | 'write', collection: string): SimulationError {
    const place = `chaincodeName:${this.#namespace} collectionName: ${collection}`;
    return new SimulationError(`tx creator does not have ${access} access permission on privatedata in ${place}`);
  }
}
