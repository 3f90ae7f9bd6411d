import { closeSync, ftruncateSync, openSync, statSync, writeSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { LedgerError } from '#ledger-gateway';
import { isDiskFull } from './store-failure.js';
import { prepareRows } from './store-reader.js';

/**
 * Pages of log between two checkpoints. In a longer log more writes change the same pages, which are copied once; but
 * writes during a checkpoint wait longer. Four times as many pages: 2 to 4 % more writes per second, and a p99 of 41 to
 * 67 ms instead of 27 to 41 (64 clients, ids in order and random).
 */
const LIMIT_PAGES = 2000;
/**
 * Fewest commits between two checkpoints. One of 500 assets with random ids changes 1000 pages, so that every second commit
 * would be followed by a checkpoint. With this many between two, an upload is 45 % faster on a busy disk.
 */
const LEAST_COMMITS = 8;
/**
 * Pages of a log that is reported as long: 64 MiB. SQLite begins a log again only when no reader needs its pages, which
 * simulations that overlap all the time can prevent for as long as they do.
 */
const LONG_PAGES = 16_384;
/** Bytes before the first frame, and before the page of each (https://www.sqlite.org/fileformat2.html#walformat). */
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
/** Bytes by which the log's file is extended at once. */
const EXTENT = 1024 * 1024;
/** Bytes after the last frame that are enough for some blocks. */
const ROOM = 128 * 1024;

/** Options of a {@link WriteAheadLog}. */
export interface WriteAheadLogOptions {
  /** Path of the store; the log is next to it. */
  readonly storePath: string;
  /** Called when a checkpoint failed: once, until one succeeds. */
  readonly onFailure: (error: Error) => void;
  /** Called with true when readers have prevented the checkpoint of a long log, and with false when it succeeds again. */
  readonly onLong: (isLong: boolean) => void;
  readonly limitPages?: number;
  readonly longPages?: number;
}

/**
 * Checkpoints the SQLite write-ahead log. SQLite would do that inside the commit that exceeds the limit, and its write would
 * wait 10 to 50 ms. Here it is done after the answers were sent. When it fails, no write fails: every commit is durable in
 * the log, which continues to grow.
 *
 * The log's file is also extended ahead of the frames with zeros, which SQLite does not read as frames. An fsync of
 * overwritten bytes takes about half as long as one that has to record a new file length too.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #limitPages: number;
  readonly #onFailure: (error: Error) => void;
  readonly #onLong: (isLong: boolean) => void;
  readonly #longPages: number;
  readonly #status: StatementSync;
  readonly #checkpoint: StatementSync;
  readonly #frameBytes: number;
  /** Known size of the file, or a size up to which extending it is not tried again. */
  #size = 0;
  /** Commits since the last complete checkpoint. */
  #commits = LEAST_COMMITS;
  /** Number of pages at which a failed checkpoint is tried again. */
  #retryAt = 0;
  #isLong = false;
  /** Pages of an earlier process that are not checkpointed yet. */
  #leftover = 0;

  constructor(db: DatabaseSync, options: WriteAheadLogOptions) {
    db.exec('PRAGMA wal_autocheckpoint = 0');
    this.#path = `${options.storePath}-wal`;
    this.#limitPages = options.limitPages ?? LIMIT_PAGES;
    this.#longPages = options.longPages ?? LONG_PAGES;
    this.#onFailure = options.onFailure;
    this.#onLong = options.onLong;
    this.#status = prepareRows(db, 'PRAGMA wal_checkpoint(NOOP)');
    this.#checkpoint = prepareRows(db, 'PRAGMA wal_checkpoint(PASSIVE)');
    this.#frameBytes = FRAME_HEADER + (db.prepare('PRAGMA page_size').get() as { page_size: number }).page_size;
  }

  /**
   * Checkpoints the log of an earlier process before anything depends on it: after a failed fsync its pages may be in the
   * page cache but not on disk, and a later fsync would not report that. A checkpoint writes them again.
   * @throws SQLite's error when the disk fails; a full disk is only reported, because reads need no space
   */
  recover(): void {
    this.#leftover = read(this.#status).pages;
    if (this.#leftover === 0) return;
    try {
      this.#run();
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      this.#fail(cause, this.#leftover);
    }
  }

  /** Checkpoints the log or extends its file if due. Call it between transactions, when no answer is waiting. */
  maintain(): void {
    let pages = 0;
    this.#commits += 1;
    try {
      let log = read(this.#status);
      ({ pages } = log);
      const isDue = this.#commits >= LEAST_COMMITS || pages >= this.#longPages;
      if (pages < this.#limitPages && this.#leftover === 0) this.#extend(pages);
      else if (log.copied < pages && pages >= this.#retryAt && isDue) log = this.#run();
      this.#report(pages >= this.#longPages && log.copied < log.pages);
    } catch (cause) {
      this.#fail(cause, pages);
    }
  }

  /** Copies the pages that no reader needs in the log; the others remain for the next time. */
  #run(): LogPages {
    const log = read(this.#checkpoint);
    if (log.copied >= this.#leftover) this.#leftover = 0;
    if (log.copied === log.pages) this.#commits = 0;
    this.#retryAt = 0;
    return log;
  }

  #report(isLong: boolean): void {
    if (isLong === this.#isLong) return;
    this.#isLong = isLong;
    this.#onLong(isLong);
  }

  #fail(cause: unknown, pages: number): void {
    const isFirst = this.#retryAt === 0;
    this.#retryAt = pages + Math.ceil(this.#limitPages / 8);
    if (!isFirst) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice = 'Nothing is lost, and writes continue while the file can grow: check the disk and its free space.';
    const text = `The checkpoint of ${this.#path} failed (${why}). ${advice}`;
    this.#onFailure(new LedgerError('LEDGER.UNAVAILABLE', text, { cause }));
  }

  /** Extends the file ahead of the frames. A failure only makes fsyncs slower. */
  #extend(pages: number): void {
    const used = LOG_HEADER + pages * this.#frameBytes;
    if (pages === 0 || used + ROOM <= this.#size) return;
    try {
      const { size } = statSync(this.#path);
      this.#size = used + ROOM <= size ? size : extendFile(this.#path, size);
    } catch {
      this.#size = Infinity;
    }
  }
}

/**
 * Appends zeros to the log. Only the writer thread writes to it, and not at this moment.
 * @returns the size up to which extending the file need not be tried again
 */
function extendFile(path: string, size: number): number {
  const file = openSync(path, 'r+');
  let written = 0;
  try {
    written = writeSync(file, Buffer.alloc(EXTENT), 0, EXTENT, size);
  } catch {
    // A nearly full disk, as below.
  } finally {
    // The remaining space is for frames.
    if (written < EXTENT) ftruncateSync(file, size);
    closeSync(file);
  }
  return size + EXTENT;
}

/** The pages in the log, and how many of them were copied to the store. */
interface LogPages {
  readonly pages: number;
  readonly copied: number;
}

/** Reads the result of a checkpoint. */
function read(statement: StatementSync): LogPages {
  const [, pages, copied] = statement.get() as unknown as [number, number, number];
  return { pages, copied };
}
