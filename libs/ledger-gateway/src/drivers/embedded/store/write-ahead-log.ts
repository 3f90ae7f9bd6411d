import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { isDiskFull } from './store-failure.js';

/**
 * Pages of log that are gathered before they go into the store. In a longer log more writes touch the same pages, which go
 * back once; but all that come in meanwhile wait longer. Four times as many pages: 2 to 4 % more writes a second, and a
 * p99 of 41 to 67 ms where this has 27 to 41 (64 clients, ids in order and random).
 */
const LIMIT_PAGES = 2000;
/** Bytes before the first frame, and before the page of each (https://www.sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** The log's file grows by so many bytes at once. */
const EXTENT = 1024 * 1024;
/** So many bytes behind the last frame are room enough for some blocks. */
const ROOM = 128 * 1024;

/** What is asked of a {@link WriteAheadLog}. */
export interface WriteAheadLogOptions {
  /** Of the store; the log lies beside it. */
  readonly storePath: string;
  /** A checkpoint failed: told once, until one succeeds. */
  readonly onFailure: (error: Error) => void;
  readonly limitPages?: number;
}

/**
 * Takes the write-ahead log of a store into its file. SQLite would do that inside the commit that crosses the limit: its
 * write would wait for it (10 to 50 ms). Here it is done behind the answers, and a failure is what it is: everything that
 * was committed is durable in the log, which goes on growing; no write fails because of it.
 *
 * The log's file is also lengthened ahead of the frames, with zeros, which are no frames to SQLite. An fsync of bytes
 * written over others takes about half as long as one that has to record a new length of the file too.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #limitPages: number;
  readonly #onFailure: (error: Error) => void;
  readonly #status: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #frameBytes: number;
  /** Bytes that the file has at least, or that are not worth trying for. */
  #size = 0;
  /** Pages at which a checkpoint is tried again after it failed. */
  #retryAt = 0;
  /** Pages of an earlier process that are not in the store yet. */
  #owed = 0;

  constructor(db: DatabaseSync, { storePath, onFailure, limitPages = LIMIT_PAGES }: WriteAheadLogOptions) {
    db.exec('PRAGMA wal_autocheckpoint = 0');
    this.#path = `${storePath}-wal`;
    this.#limitPages = limitPages;
    this.#onFailure = onFailure;
    this.#status = prepareRow(db, 'PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = prepareRow(db, 'PRAGMA wal_checkpoint(PASSIVE)');
    this.#frameBytes =
      FRAME_HEADER + ((db.prepare('PRAGMA page_size').get()?.['page_size'] as number | undefined) ?? 0);
  }

  /**
   * Takes in what an earlier process left in the log, before anything rests on it: behind a failed fsync the log may be read
   * from memory and yet not be on the disk, and no later fsync of it tells. What goes into the store is written anew.
   * @throws SQLite's error, when the disk does not work; one that is full is told as a failure, since reads need no room
   */
  takeInRest(): void {
    this.#owed = read(this.#status).pages;
    if (this.#owed === 0) return;
    try {
      this.#takeIn();
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      this.#fail(cause, this.#owed);
    }
  }

  /** Does what is due. Call it between transactions, when nothing waits for an answer. */
  tend(): void {
    let pages = 0;
    try {
      const log = read(this.#status);
      ({ pages } = log);
      if (pages < this.#limitPages && this.#owed === 0) this.#makeRoom(pages);
      else if (log.taken < pages && pages >= this.#retryAt) this.#takeIn();
    } catch (cause) {
      this.#fail(cause, pages);
    }
  }

  /** Without the pages that a reader keeps from being taken in, which are left for the next time. */
  #takeIn(): void {
    const { taken } = read(this.#checkpoint);
    if (taken >= this.#owed) this.#owed = 0;
    this.#retryAt = 0;
  }

  #fail(cause: unknown, pages: number): void {
    const isFirst = this.#retryAt === 0;
    this.#retryAt = pages + Math.ceil(this.#limitPages / 8);
    if (!isFirst) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#onFailure(
      new LedgerError(
        'LEDGER.UNAVAILABLE',
        `${this.#path} could not be taken into the store (${why}). Nothing is lost, and writes go on while it can grow: ` +
          'check the disk and its free space.',
        { cause },
      ),
    );
  }

  /** Without it each fsync takes longer, and nothing else. */
  #makeRoom(pages: number): void {
    const used = LOG_HEADER + pages * this.#frameBytes;
    if (pages === 0 || used + ROOM <= this.#size) return;
    try {
      const { size } = statSync(this.#path);
      this.#size = used + ROOM <= size ? size : lengthen(this.#path, size);
    } catch {
      this.#size = Infinity;
    }
  }
}

/**
 * Only the writer thread writes to the log, and now it does not: what lies behind the last frame is nobody's.
 * @returns the length from which on it is worth to try again
 */
function lengthen(path: string, size: number): number {
  const file = openSync(path, 'r+');
  try {
    // A disk without that much room: what is left of it is for frames.
    if (!isWhole(() => writeSync(file, Buffer.alloc(EXTENT), 0, EXTENT, size))) ftruncateSync(file, size);
    return size + EXTENT;
  } finally {
    closeSync(file);
  }
}

function isWhole(write: () => number): boolean {
  try {
    return write() === EXTENT;
  } catch {
    return false;
  }
}

function prepareRow(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** `busy`, pages in the log, and how many of them are in the store's file. */
function read(statement: StatementSync): { readonly pages: number; readonly taken: number } {
  const [, pages, taken] = statement.get() as unknown as [number, number, number];
  return { pages, taken };
}
