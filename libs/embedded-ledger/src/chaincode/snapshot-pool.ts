import { setTimeout as delay } from 'node:timers/promises';
import { CallSlots } from '#threads';
import type { PrivateReader } from '../private/private-reader.js';
import { StateReaders } from '../store/namespace-reader.js';
import { openForReading } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import type { ReadingConnection } from '#chain-pages';

/** Simulations at the same time, each on its own connection. */
const CONNECTIONS = 16;
/** Milliseconds that a simulation waits at most while the write-ahead log is long. */
const LOG_PAUSE = 1000;
/** Page cache of a connection; the kernel caches the rest. */
const CACHE_KIB = 1024;

/** The committed state at one moment, which later commits do not change. */
export interface Snapshot {
  /** Number of blocks. */
  readonly height: number;
  readonly states: StateReaders;
  /** Private values, found by their hashes in the state. They are no part of the moment. */
  readonly values: PrivateReader;
}

/** A connection and its prepared statements. */
interface Connection {
  readonly db: ReadingConnection;
  readonly reader: StoreReader;
  readonly states: StateReaders;
}

/**
 * Read-only connections to the store. A read transaction of the write-ahead log pins the state, so that a simulation may
 * take long while the writer commits. Connections are opened when they are first needed.
 */
export class SnapshotPool {
  readonly #storePath: string;
  readonly #values: PrivateReader;
  readonly #slots = new CallSlots({ limit: CONNECTIONS, queueLimit: Infinity });
  readonly #idle: Connection[] = [];
  readonly #logCopied: () => Promise<unknown> | undefined;

  /** @param logCopied - returns what resolves when the pages of a long write-ahead log are copied; undefined while it is short */
  constructor(storePath: string, values: PrivateReader, logCopied: () => Promise<unknown> | undefined) {
    this.#storePath = storePath;
    this.#values = values;
    this.#logCopied = logCopied;
  }

  /**
   * Runs a task on a snapshot of the newest committed state.
   * @throws what the store and the task throw
   */
  async use<T>(task: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#slots.run(async () => {
      await this.#pause();
      const connection = this.#idle.pop() ?? this.#open();
      const { db, reader, states } = connection;
      try {
        begin(db);
        // The first read pins the snapshot.
        return await task({ height: reader.height(), states, values: this.#values });
      } finally {
        // After some failures SQLite has rolled back already.
        if (db.isTransaction) db.exec('ROLLBACK');
        this.#idle.push(connection);
      }
    });
  }

  /** Closes the connections, which no task may use any more. */
  close(): void {
    for (const { db } of this.#idle.splice(0)) db.close();
  }

  /**
   * Waits while the write-ahead log is long: without overlapping snapshots the writer can copy its pages, and begin it again.
   * The limit is for snapshots of calls that take long, and for a writer without writes.
   */
  async #pause(): Promise<void> {
    const copied = this.#logCopied();
    if (copied === undefined) return;
    const timeout = new AbortController();
    const late = delay(LOG_PAUSE, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([copied, late]);
    timeout.abort();
  }

  #open(): Connection {
    const db = openForReading(this.#storePath);
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
    const reader = new StoreReader(db);
    return { db, reader, states: new StateReaders(db, reader) };
  }
}

function begin(db: ReadingConnection): void {
  try {
    db.exec('BEGIN');
  } catch (error) {
    throw storeFailure(error, 'the store');
  }
}
