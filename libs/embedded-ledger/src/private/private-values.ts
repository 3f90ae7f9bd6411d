import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '#files';
import { moveBytes, packBytes, type TransferredError, transferError, WorkerCalls } from '#threads';
import type { ExpiredKey } from '../store/expired-keys.js';
import type { PrivateKey, WrittenCollection } from './stored-value.js';
import type { ValueStore, ValueStoreEvent } from './value-store.js';

/** A value that a transaction writes. */
export interface PrivateValue extends PrivateKey {
  readonly value: Uint8Array;
  /** Whether the chaincode can read ranges of keys, as of all others of the collection. */
  readonly isListed: boolean;
}

/** What a transaction writes to private collections. */
export interface PrivateWrites {
  /** Values that this peer stores. */
  readonly values: readonly PrivateValue[];
  /** Keys that are written without a value that this peer stores, as by a deletion. */
  readonly otherKeys: readonly PrivateKey[];
  /** Whether a key is purged: its values must be gone from the disk before the transaction is answered. */
  readonly isPurge: boolean;
}

/** A transaction with private writes. */
export interface PrivateTransaction {
  readonly transactionId: string;
  readonly privateWrites: PrivateWrites;
}

/** Options of {@link PrivateValues}. */
export interface PrivateValuesOptions {
  /** The file, which is created by the first private write. */
  readonly path: string;
  /** The store with the state, which has the hashes. */
  readonly storePath: string;
  /** Receives what is for the log. */
  readonly onProblem: (text: string, error: TransferredError) => void;
}

type ValueCalls = WorkerCalls<Pick<ValueStore, 'ready' | 'store' | 'settle' | 'erase' | 'expire' | 'close'>>;

/**
 * The values of private collections, of which the blocks and the state contain hashes only. The writer hands them to a thread of their
 * own, which writes them into their own file: it is no part of the store, because it does not follow from the blocks.
 */
export class PrivateValues {
  readonly #options: PrivateValuesOptions;
  #calls: ValueCalls | undefined;
  readonly #erasures = new Set<Promise<void>>();

  constructor(options: PrivateValuesOptions) {
    this.#options = options;
    // The thread removes what an earlier process left.
    if (existsSync(options.path)) this.#start();
  }

  /**
   * Stores the values of transactions. They are durable when the promise resolves, and protected until {@link committed}.
   * @throws what storing throws; none of the values is stored then
   */
  async store(transactions: readonly PrivateTransaction[]): Promise<void> {
    const parts: Uint8Array[] = [];
    const collections: WrittenCollection[] = [];
    for (const { transactionId, privateWrites } of transactions) {
      for (const [space, values] of Map.groupBy(privateWrites.values, ({ space: each }) => each)) {
        const isListed = values.some((value) => value.isListed);
        collections.push({ transactionId, space, isListed, count: values.length });
        for (const { key, value } of values) parts.push(Buffer.from(key), value);
      }
    }
    if (collections.length > 0) await this.#running().call('store', moveBytes(packBytes(parts)), collections);
  }

  /**
   * Deletes what committed transactions have replaced.
   * @returns resolves when purged values are gone from the disk, rejects if they are not; undefined if none of the transactions purges
   */
  committed(transactions: readonly PrivateTransaction[]): Promise<void> | undefined {
    const ids = transactions.map(({ transactionId }) => transactionId);
    const writes = transactions.map(({ privateWrites }) => privateWrites);
    const keys = writes.filter(({ isPurge }) => !isPurge).flatMap(({ otherKeys }) => otherKeys);
    this.#running().send('settle', ids, keys);
    const purges = writes.filter(({ isPurge }) => isPurge);
    if (purges.length === 0) return undefined;
    const erasure = this.#erase(purges.flatMap(({ otherKeys }) => otherKeys));
    this.#erasures.add(erasure);
    return erasure.finally(() => this.#erasures.delete(erasure));
  }

  /** @throws when the values are still on the disk, although their transactions are committed */
  async #erase(keys: readonly PrivateKey[]): Promise<void> {
    try {
      await this.#running().call('erase', keys);
    } catch (error) {
      const text = 'The values of purged keys are not erased yet. Another purge or the next start erases them.';
      this.#options.onProblem(text, transferError(error));
      throw error;
    }
  }

  /** Deletes the values of keys that have expired. */
  expire(keys: readonly ExpiredKey[]): void {
    this.#running().send('expire', keys);
  }

  /** Waits until purged values are erased, then ends the thread. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#erasures);
    const calls = this.#calls;
    if (calls === undefined) return;
    if (!calls.hasFailed) {
      await calls.call('close').catch((error: unknown) => {
        this.#options.onProblem('The private values could not be closed.', transferError(error));
      });
    }
    await calls.terminate();
  }

  #running(): ValueCalls {
    return this.#calls ?? this.#start();
  }

  #start(): ValueCalls {
    const { path, storePath, onProblem } = this.#options;
    makeDirectory(dirname(path));
    const calls: ValueCalls = new WorkerCalls({
      name: 'values',
      data: { path, storePath },
      relativeTo: import.meta.url,
      task: 'stores private values',
      onEvent: (event) => {
        const { text, error } = event as ValueStoreEvent;
        onProblem(text, error);
      },
    });
    this.#calls = calls;
    return calls;
  }
}
