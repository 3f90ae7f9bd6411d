import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sha256 } from '#fabric-codec/encode';
import { transferError, type TransferredError, unpackBytes } from '#threads';
import type { ExpiredKey } from '../store/expired-keys.js';
import { StateReaders } from '../store/namespace-reader.js';
import { openForReading } from '../store/open-store.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import { prepareRows, StoreReader } from '../store/store-reader.js';
import { nameOf, type PrivateKey, type StoredValue, storedValues, type WrittenCollection } from './stored-value.js';
import { openValuesForWriting } from './values-file.js';

/** Start data of the thread. */
export interface ValueStoreData {
  readonly path: string;
  readonly storePath: string;
}

/** A report of the thread for the log. */
export interface ValueStoreEvent {
  readonly text: string;
  readonly error: TransferredError;
}

/** Milliseconds after which values are deleted when no others are written. */
const IDLE_MS = 50;
/** Rows that are compared with the state in one turn, after a start. */
const ROWS_PER_TURN = 200;
/** Milliseconds after which a log that a reader holds is truncated again. */
const RETRY_MS = 200;
/** Attempts after which the callers are notified that erasing is unfinished. It is continued. */
const MAX_ATTEMPTS = 25;

interface Job extends Pick<PromiseWithResolvers<undefined>, 'resolve' | 'reject'> {
  readonly run: () => void;
  readonly isErasing: boolean;
}

/**
 * The thread's service: stores private values. The values of a transaction are durable before it is committed. All that the state
 * does not refer to is deleted: values of transactions that were not committed, and values that were replaced or deleted.
 */
export class ValueStore {
  readonly #data: ValueStoreData;
  readonly #emit: (event: ValueStoreEvent) => void;
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #rowsOf: StatementSync;
  readonly #rowsFrom: StatementSync;
  readonly #delete: StatementSync;
  /** Names of the values that in-flight transactions write, each with the number of those transactions. */
  readonly #pending = new Map<string, number>();
  /** The values of in-flight transactions, by their ids. */
  readonly #stored = new Map<string, readonly StoredValue[]>();
  #jobs: Job[] = [];
  #idleJobs: (() => void)[] = [];
  #idle: NodeJS.Timeout | undefined;
  #states: StateReaders | undefined;
  #closeState: (() => void) | undefined;
  #isOpen = true;
  #failure: Error | undefined;
  #attempts = 0;
  #erasing: Job[] = [];
  #retry: NodeJS.Timeout | undefined;

  private constructor(db: DatabaseSync, data: ValueStoreData, emit: (event: ValueStoreEvent) => void) {
    this.#db = db;
    this.#data = data;
    this.#emit = emit;
    this.#insert = db.prepare('INSERT INTO private_values (space, key, key_hash, hash, value) VALUES (?, ?, ?, ?, ?)');
    const columns = 'SELECT id, space, lower(hex(key_hash)), lower(hex(hash)) FROM private_values';
    this.#rowsOf = prepareRows(db, `${columns} WHERE key_hash = ? AND space = ?`);
    this.#rowsFrom = prepareRows(db, `${columns} WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_TURN}`);
    this.#delete = db.prepare('DELETE FROM private_values WHERE id = ?');
  }

  /** Opens the file, and begins to remove what an earlier process left. */
  static open(data: ValueStoreData, emit: (event: ValueStoreEvent) => void): ValueStore {
    const store = new ValueStore(openValuesForWriting(data.path), data, emit);
    store.#sweepFrom(0, false);
    return store;
  }

  /** Returns when the file is open. */
  ready(): void {
    // A thread that could not open it answers no call.
  }

  /**
   * Stores the values of transactions.
   * @param packed - the keys and values of the collections in their order, each value after its key: as objects they would be many
   */
  async store(packed: Uint8Array, collections: readonly WrittenCollection[]): Promise<void> {
    const parts = unpackBytes(packed);
    let index = 0;
    const stored = collections.flatMap((collection) => {
      const own = parts.slice(index, (index += 2 * collection.count));
      const values = storedValues(collection, own);
      const { transactionId } = collection;
      this.#stored.set(transactionId, [...(this.#stored.get(transactionId) ?? []), ...values]);
      for (const { name } of values) this.#pending.set(name, (this.#pending.get(name) ?? 0) + 1);
      return values;
    });
    try {
      await this.#enqueue(() => {
        for (const value of stored) this.#add(value);
      });
    } catch (error) {
      for (const { transactionId } of collections) this.#release(transactionId);
      throw error;
    }
  }

  /**
   * Deletes the values of keys to which the state does not refer, after transactions were committed.
   * @param keys - that they have written without storing a value
   */
  settle(transactionIds: readonly string[], keys: readonly PrivateKey[]): void {
    const values = transactionIds.flatMap((id) => this.#release(id));
    const replaced = values.filter(({ hasOthers }) => hasOthers).map(({ space, keyHash }) => ({ space, keyHash }));
    const written = [...replaced, ...keys.map(hashed)];
    if (written.length > 0) this.#later(this.#cleaning(written));
  }

  /** Does the same when keys are purged. Returns when the values are gone from the disk. */
  async erase(keys: readonly PrivateKey[]): Promise<void> {
    await this.#enqueue(this.#cleaning(keys.map(hashed)), true);
  }

  /** Deletes values whose hashes have expired. Their bytes in the write-ahead log are erased soon. */
  expire(keys: readonly ExpiredKey[]): void {
    this.#later(this.#cleaning(keys.map(({ space, keyHash }) => ({ space, keyHash: Buffer.from(keyHash, 'hex') }))));
    this.#retry ??= this.#eraseSoon();
  }

  /** Finishes what was begun, and closes the files. */
  async close(): Promise<void> {
    await this.#enqueue(() => undefined);
    this.#isOpen = false;
    clearTimeout(this.#retry);
    clearTimeout(this.#idle);
    this.#closeState?.();
    // This connection may not be the last one, which copies the log.
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  #add(value: StoredValue): void {
    const { space, key, keyHash, hash } = value;
    const others = this.#rowsOf.all(keyHash, space) as unknown as readonly ValueRow[];
    const text = hash.toString('hex');
    const isStored = others.some(([, , , other]) => other === text);
    value.hasOthers = others.length > (isStored ? 1 : 0);
    if (!isStored) this.#insert.run(space, key, keyHash, hash, value.value);
  }

  /** Ends the protection of the values of a transaction, and returns them. */
  #release(transactionId: string): readonly StoredValue[] {
    const values = this.#stored.get(transactionId) ?? [];
    for (const { name } of values) {
      const count = (this.#pending.get(name) ?? 1) - 1;
      if (count === 0) this.#pending.delete(name);
      else this.#pending.set(name, count);
    }
    this.#stored.delete(transactionId);
    return values;
  }

  #cleaning(keys: readonly HashedKey[]): () => void {
    return () => {
      for (const { space, keyHash } of keys) {
        const rows = this.#rowsOf.all(keyHash, space) as unknown as readonly ValueRow[];
        for (const row of rows) this.#deleteUnused(row);
      }
    };
  }

  /** Runs a job with the next batch, or alone after a while: no transaction waits for it. */
  #later(run: () => void): void {
    this.#idleJobs.push(run);
    this.#idle ??= setTimeout(() => {
      this.#idle = undefined;
      this.#enqueue(() => undefined).catch((error: unknown) => {
        const text = 'Unused private values could not be deleted. The next start deletes them.';
        this.#emit({ text, error: transferError(error) });
      });
    }, IDLE_MS);
  }

  /** Group commit without a timer: what arrives while a batch is written is the next one. */
  async #enqueue(run: () => void, isErasing = false): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    if (this.#jobs.length === 0) {
      setImmediate(() => {
        this.#flush();
      });
    }
    this.#jobs.push({ run, isErasing, resolve, reject });
    await promise;
  }

  #flush(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    const idleJobs = this.#idleJobs;
    this.#idleJobs = [];
    try {
      if (this.#failure !== undefined) throw this.#failure;
      this.#inTransaction(() => {
        for (const { run } of jobs) run();
        for (const run of idleJobs) run();
      });
    } catch (error) {
      const failure = storeFailure(error, this.#data.path);
      // After a failed sync the contents of the disk are unknown, also after another one that succeeds.
      if (isFailedSync(error)) this.#failure = failure;
      for (const { reject } of jobs) reject(failure);
      return;
    }
    for (const { isErasing, resolve } of jobs) if (!isErasing) resolve(undefined);
    this.#erase(jobs.filter(({ isErasing }) => isErasing));
  }

  #inTransaction(run: () => void): void {
    this.#db.exec('BEGIN');
    try {
      run();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isOpen && this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Overwritten pages still have their former content in the write-ahead log until it is truncated. */
  #erase(jobs: readonly Job[]): void {
    this.#erasing.push(...jobs);
    if (this.#erasing.length === 0) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    try {
      if (this.#truncateLog()) {
        for (const { resolve } of this.#erasing.splice(0)) resolve(undefined);
        this.#attempts = 0;
        return;
      }
      this.#attempts += 1;
      if (this.#attempts % MAX_ATTEMPTS === 0) this.#failErasing(new Error('a reader such as a backup uses the log'));
    } catch (error) {
      this.#failErasing(storeFailure(error, this.#data.path));
    }
    this.#retry = this.#eraseSoon();
  }

  /** @returns whether no reader needs the log, so that it could be truncated */
  #truncateLog(): boolean {
    const [busy] = prepareRows(this.#db, 'PRAGMA wal_checkpoint(TRUNCATE)').get() as unknown as [number];
    return busy === 0;
  }

  /** Fails the calls that wait until values are erased, which is continued. */
  #failErasing(error: Error): void {
    for (const { reject } of this.#erasing.splice(0)) reject(error);
  }

  #eraseSoon(): NodeJS.Timeout {
    return setTimeout(() => {
      // What waited for it was notified.
      this.#enqueue(() => undefined, true).catch(() => undefined);
    }, RETRY_MS);
  }

  /** Deletes what the state does not refer to, from a row on, in small steps between the requests. */
  #sweepFrom(id: number, hasDeleted: boolean): void {
    setImmediate(() => {
      if (!this.#isOpen) return;
      let newest = 0;
      let deleted = hasDeleted;
      try {
        this.#inTransaction(() => {
          for (const row of this.#rowsFrom.all(id) as unknown as readonly ValueRow[]) {
            [newest] = row;
            deleted = this.#deleteUnused(row) || deleted;
          }
        });
      } catch (error) {
        this.#emit({ text: 'Unused private values could not be removed.', error: transferError(error) });
        return;
      }
      if (newest !== 0) this.#sweepFrom(newest, deleted);
      else if (deleted) void this.#enqueue(() => undefined, true).catch(() => undefined);
    });
  }

  /** @returns whether it was deleted */
  #deleteUnused([id, space, keyHash, hash]: ValueRow): boolean {
    if (this.#pending.has(nameOf(space, keyHash, hash)) || this.#isCurrent(space, keyHash, hash)) return false;
    this.#delete.run(id);
    return true;
  }

  /** Returns whether the state refers to a value, which is assumed when the state is damaged. */
  #isCurrent(space: string, keyHash: string, hash: string): boolean {
    try {
      this.#states ??= this.#openState();
      const current = this.#states.of(space).value(keyHash);
      return current !== undefined && Buffer.from(current).toString('hex') === hash;
    } catch (error) {
      this.#emit({ text: 'Private values could not be compared with the state.', error: transferError(error) });
      return true;
    }
  }

  #openState(): StateReaders {
    const db = openForReading(this.#data.storePath);
    this.#closeState = () => {
      db.close();
    };
    return new StateReaders(db, new StoreReader(db));
  }
}

/** A row of the file; hashes are hexadecimal. */
type ValueRow = readonly [id: number, space: string, keyHash: string, hash: string];

/** A key as it is stored. */
interface HashedKey {
  readonly space: string;
  readonly keyHash: Uint8Array;
}

function hashed({ space, key }: PrivateKey): HashedKey {
  return { space, keyHash: sha256(Buffer.from(key)) };
}
