import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeDirectory } from '#files';
import { isLedgerError, LEDGER_ERRORS, type LedgerLogger } from '#ledger-gateway';
import { reviveError, WorkerCalls } from '#threads';
import type { ExpiredKey } from '../store/expired-keys.js';
import { StaleError } from '../writer/writer-client.js';
import { PrivateReader } from './private-reader.js';
import type { PrivateKey, PrivateValue, ValueStore, ValueStoreEvent } from './value-store.js';

/** Options of {@link PrivateValues}. */
export interface PrivateValuesOptions {
  /** The file, which is created by the first private write. */
  readonly path: string;
  /** The store with the state, which has the hashes. */
  readonly storePath: string;
  readonly logger?: LedgerLogger | undefined;
}

/** What a transaction writes to private collections. */
export interface PrivateWrites {
  /** Values that this peer stores. */
  readonly values: readonly PrivateValue[];
  /** Keys that are written or deleted. */
  readonly keys: readonly PrivateKey[];
  /** Whether a key is purged: its values must be gone from the disk. */
  readonly isPurge: boolean;
}

type ValueCalls = WorkerCalls<Pick<ValueStore, 'ready' | 'store' | 'settle' | 'erase' | 'expire' | 'close'>>;

/**
 * The values of private collections, of which the blocks and the state contain hashes only. They are written on their own thread into
 * their own file, which is no part of the store: it does not follow from the blocks.
 */
export class PrivateValues {
  readonly reader: PrivateReader;
  readonly #options: PrivateValuesOptions;
  #calls: ValueCalls | undefined;
  readonly #writes = new Set<Promise<unknown>>();
  #newest = 0;
  #waiting = 0;

  constructor(options: PrivateValuesOptions) {
    this.#options = options;
    this.reader = new PrivateReader(options.path);
    // The thread removes what an earlier process left.
    if (existsSync(options.path)) this.#start();
  }

  /**
   * Stores the values of a transaction, commits it, and deletes what it replaces. The values are durable before the commit.
   * @param commit - commits the transaction if it is still valid
   * @throws what storing throws, without a commit; what the commit throws
   */
  async write<T>({ values, keys, isPurge }: PrivateWrites, commit: () => Promise<T>): Promise<T> {
    if (keys.length === 0) return await commit();
    const write = this.#write({ values, keys, isPurge }, commit);
    this.#writes.add(write);
    try {
      return await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  async #write<T>({ values, keys, isPurge }: PrivateWrites, commit: () => Promise<T>): Promise<T> {
    const id = ++this.#newest;
    // Copies, because a message would clone the whole buffer pool that a value is a view of.
    const copies = values.map((each) => ({ ...each, value: new Uint8Array(each.value) }));
    if (values.length > 0) await this.#call((calls) => calls.call('store', id, copies));
    let result: T;
    try {
      result = await commit();
    } catch (error) {
      // What may have been committed is compared with the state after the next start.
      if (isUnwritten(error)) this.#running().send('settle', id, keys, false);
      throw error;
    }
    if (isPurge) await this.#erase(id, keys);
    else this.#running().send('settle', id, keys, true);
    return result;
  }

  /** The transaction is committed, so that a failure is only logged. */
  async #erase(id: number, keys: readonly PrivateKey[]): Promise<void> {
    try {
      await this.#call((calls) => calls.call('erase', id, keys));
    } catch (error) {
      this.#log('The values of purged keys could not be erased. The next start erases them.', error);
    }
  }

  /** Deletes the values of keys that have expired. */
  expire(keys: readonly ExpiredKey[]): void {
    this.#running().send('expire', keys);
  }

  /** Waits for in-flight writes, then ends the thread. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#writes);
    const calls = this.#calls;
    if (calls !== undefined) {
      calls.ref();
      if (!calls.hasFailed)
        await calls.call('close').catch((error: unknown) => {
          this.#log('The private values could not be closed.', error);
        });
      await calls.terminate();
    }
    this.reader.close();
  }

  async #call<T>(run: (calls: ValueCalls) => Promise<T>): Promise<T> {
    const calls = this.#running();
    // A program that only waits for a write must not exit before it is stored.
    if (++this.#waiting === 1) calls.ref();
    try {
      return await run(calls);
    } finally {
      if (--this.#waiting === 0) calls.unref();
    }
  }

  #running(): ValueCalls {
    return this.#calls ?? this.#start();
  }

  #start(): ValueCalls {
    const { path, storePath } = this.#options;
    makeDirectory(dirname(path));
    const calls: ValueCalls = new WorkerCalls({
      name: 'values',
      data: { path, storePath },
      relativeTo: import.meta.url,
      task: 'stores private values',
      onEvent: (event) => {
        const { text, error } = event as ValueStoreEvent;
        this.#log(text, reviveError(error));
      },
    });
    calls.unref();
    this.#calls = calls;
    return calls;
  }

  #log(text: string, error: unknown): void {
    this.#options.logger?.error({ err: error as Error }, text);
  }
}

/** Returns whether a transaction is certainly not in a block. After a failed write the contents of the disk are unknown. */
function isUnwritten(error: unknown): boolean {
  if (error instanceof StaleError) return true;
  return isLedgerError(error) && LEDGER_ERRORS[error.code].outcome !== 'unknown' && error.code !== 'LEDGER.READ_ONLY';
}
