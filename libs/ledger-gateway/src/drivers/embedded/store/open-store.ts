import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LedgerError, isLedgerError } from '../../../errors/ledger.errors.js';
import { STORE_APPLICATION, STORE_FORMAT } from './schema.js';
import { storeFailure } from './store-failure.js';

/** How long a statement waits for another process's lock, in ms; only a backup or an export ever holds one, briefly. */
const BUSY_TIMEOUT_MS = 5000;
/**
 * Kibibytes of pages that the writer's connection keeps. After a commit that split pages SQLite walks through all of them:
 * twice as many cost more than they save.
 */
const WRITER_CACHE_KIB = 16 * 1024;
/** And a reader's, which each commit of the writer empties; the kernel keeps what it does not. */
const READER_CACHE_KIB = 4 * 1024;
/** What a write-ahead log is cut to that grew while a backup held on to one moment. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Opens a store for writing. Each commit is on disk when it returns (synchronous = FULL). SQLite may change the file and
 * its log from here on: prove what is there first ({@link openProven}).
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
 */
export function openForWriting(path: string): DatabaseSync {
  makeOwnFile(path);
  return open(path, {}, (db) => {
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${WRITER_CACHE_KIB};
      PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    `);
  });
}

/**
 * Opens a store that is there for reading, its log included; both stay byte for byte what they are. Where SQLite cannot
 * make the index of the log, because the folder cannot be written, it reads a copy.
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
 */
export function openForReading(path: string): DatabaseSync {
  if (!existsSync(path)) throw new LedgerError('LEDGER.DAMAGED', `${path} is missing: restore it from a backup.`);
  // SQLite takes the log of an empty file for a leftover and deletes it, even when it only reads.
  if (statSync(path).size === 0) throw new LedgerError('LEDGER.DAMAGED', `${path} is empty: restore it from a backup.`);
  try {
    return openReadOnly(path);
  } catch (error) {
    if (!isLedgerError(error, 'LEDGER.MISCONFIGURED') || canWriteIn(dirname(path))) throw error;
    return openCopy(path);
  }
}

function openReadOnly(path: string): DatabaseSync {
  return open(path, { readOnly: true }, (db) => {
    db.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${READER_CACHE_KIB}`);
    requireFormat(db, path);
  });
}

/**
 * A copy of a store and its log, gone as soon as it is closed. Nobody writes to the store meanwhile: who does has made the
 * index of the log, with which the store itself can be read.
 */
function openCopy(path: string): DatabaseSync {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(tmpdir(), 'ledger-'));
    const copy = join(directory, basename(path));
    for (const suffix of ['', '-wal']) {
      if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    return openReadOnly(copy);
  } catch (cause) {
    if (cause instanceof LedgerError) throw cause;
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The folder of ${path} cannot be written, and it cannot be copied to ${tmpdir()} to be read there (${code}).`,
      { cause },
    );
  } finally {
    // What is open stays readable without its names.
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

function canWriteIn(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a file that only its owner may read; SQLite would leave that to the umask, and gives its log the same mode.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be made
 */
export function makeOwnFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException;
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${path} cannot be written (${code}): check its owner and permissions.`,
      { cause },
    );
  }
}

function open(
  path: string,
  options: Readonly<{ readOnly?: boolean }>,
  configure: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { ...options, timeout: BUSY_TIMEOUT_MS });
    configure(db);
    return db;
  } catch (error) {
    db?.close();
    throw storeFailure(error, path);
  }
}

/** Whether the file is new: no table was ever made in it. */
export function isEmpty(db: DatabaseSync): boolean {
  return pragma(db, 'user_version') === 0 && pragma(db, 'schema_version') === 0;
}

/**
 * Refuses a file that is not a store of a format that this program knows.
 * @throws `LEDGER.MISCONFIGURED` for a newer format, `LEDGER.DAMAGED` for anything else
 */
export function requireFormat(db: DatabaseSync, path: string): void {
  const format = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== STORE_APPLICATION)
    throw new LedgerError('LEDGER.DAMAGED', `${path} is not a ledger's store.`);
  if (format > STORE_FORMAT) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${path} has format ${format}; this program reads up to format ${STORE_FORMAT}: use the newer program that wrote it.`,
    );
  }
}

function pragma(db: DatabaseSync, name: 'user_version' | 'schema_version' | 'application_id'): number {
  return (db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}
