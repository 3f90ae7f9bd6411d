import { accessSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createPrivateFile, newerFormatError, openingFault, toolCommand } from '#files';
import { damaged, isLedgerError, type LedgerError, misconfigured } from '#ledger-gateway';
import type { PinFault, PinnedHead } from './head-pin.js';
import { REPAIR } from './record-digest.js';
import { OLDEST_FORMAT, schemaFaults, STORE_APPLICATION, STORE_FORMAT, type StorePart } from './schema.js';
import { storeFailure } from './store-failure.js';
import { StoreReader, type ChainHead } from './store-reader.js';
import type { ReadingConnection } from '#chain-pages';

/** Milliseconds that a statement waits for another process's lock; only a backup or an export holds one, briefly. */
const BUSY_TIMEOUT_MS = 5000;
/**
 * Page cache of the writer's connection in KiB. After a commit that split pages SQLite walks through the whole cache: twice
 * as many pages cost more than they save.
 */
const WRITER_CACHE_KIB = 16 * 1024;
/** Page cache of a reader, which each commit invalidates; the kernel caches the rest. */
const READER_CACHE_KIB = 4 * 1024;
/** Size to which a write-ahead log is truncated that grew while a backup held a read transaction. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;

/**
 * Opens a store for writing. Each commit is durable when it returns (synchronous = FULL). SQLite may change the file and
 * its log from here on: prove the head first ({@link openProven}).
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
 */
export function openForWriting(path: string): DatabaseSync {
  createStoreFile(path);
  return open(path, {}, (db) => {
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA cache_size = -${WRITER_CACHE_KIB};
      PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    `);
  });
}

/** Checks the kind and the format of a file that was opened for reading. */
type FormatCheck = (db: ReadingConnection, path: string) => unknown;

/**
 * Opens an existing store with its log for reading; both stay unchanged. In a folder without write permission SQLite cannot
 * create the index of the log, and a copy is read instead.
 * @param check - throws for a file of another kind or format
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
 */
export function openForReading(path: string, check: FormatCheck = formatOf): ReadingConnection {
  if (!existsSync(path)) throw damaged(`${path} is missing: restore it from a backup.`);
  // SQLite deletes the log of an empty file as a leftover, even when it only reads.
  if (statSync(path).size === 0) throw damaged(`${path} is empty: restore it from a backup.`);
  try {
    return openReadOnly(path, check);
  } catch (error) {
    if (!isLedgerError(error, 'LEDGER.MISCONFIGURED') || canWriteIn(dirname(path))) throw error;
    return openCopy(path, check);
  }
}

/**
 * Opens an existing store like {@link openForReading} for a short time, and creates no file next to it: a reader of a store that
 * no process has open would leave a log and its index behind.
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`
 */
export function openWithoutTrace(path: string): ReadingConnection {
  if (!existsSync(path) || statSync(path).size === 0 || existsSync(`${path}-wal`)) return openForReading(path);
  const url = pathToFileURL(path);
  // SQLite then neither looks for a log nor locks: all is in the file.
  url.searchParams.set('immutable', '1');
  return openReadOnly(path, formatOf, url);
}

function openReadOnly(path: string, check: FormatCheck, place: string | URL = path): ReadingConnection {
  return open(place, { readOnly: true }, (db) => {
    db.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -${READER_CACHE_KIB}`);
    check(db, path);
  });
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
 * A copy of a store and its log, deleted when it is closed. No process writes to the store meanwhile: a writer would have
 * created the index of the log, and the store itself could be read.
 */
function openCopy(path: string, check: FormatCheck): ReadingConnection {
  let directory: string | undefined;
  try {
    directory = mkdtempSync(join(tmpdir(), 'ledger-'));
    const copy = join(directory, basename(path));
    for (const suffix of ['', '-wal']) {
      if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    }
    return openReadOnly(copy, check);
  } catch (cause) {
    if (isLedgerError(cause)) throw cause;
    const reason = `the store could not be copied to ${tmpdir()} for reading (${codeOf(cause)}).`;
    throw misconfigured(`The folder of ${path} is not writable, and ${reason}`, cause);
  } finally {
    // Open files stay readable without their names.
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the code of a failed system call. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}

/**
 * Creates a file for SQLite, unless it exists.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be created
 */
export function createStoreFile(path: string): void {
  try {
    createPrivateFile(path);
  } catch (cause) {
    throw notWritable(path, codeOf(cause), cause);
  }
}

/** @throws `LEDGER.MISCONFIGURED` when {@link createStoreFile} would fail; writes nothing */
export function requireWritable(path: string): void {
  const fault = openingFault(path);
  if (fault !== undefined) throw notWritable(path, fault);
}

function notWritable(path: string, code: string, cause?: unknown): LedgerError {
  return misconfigured(`${path} cannot be written (${code}): check its owner and permissions.`, cause);
}

function open(
  path: string | URL,
  options: { readOnly?: boolean },
  configure: (db: DatabaseSync) => void,
): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { ...options, timeout: BUSY_TIMEOUT_MS });
    configure(db);
    return db;
  } catch (error) {
    db?.close();
    throw storeFailure(error, typeof path === 'string' ? path : fileURLToPath(path));
  }
}

/**
 * Returns the format of a store.
 * @throws `LEDGER.MISCONFIGURED` for a format that this program does not read, `LEDGER.DAMAGED` for a file that is not a store
 */
export function formatOf(db: ReadingConnection, path: string): number {
  const format = pragma(db, 'user_version');
  if (pragma(db, 'application_id') !== STORE_APPLICATION) throw damaged(`${path} is not a ledger's store.`);
  if (format >= OLDEST_FORMAT && format <= STORE_FORMAT) return format;
  const older = `${path} has format ${format}; start the ledger once with release 0.2, which upgrades it.`;
  throw misconfigured(newerFormatError(path, format, STORE_FORMAT) ?? older);
}

function pragma(db: ReadingConnection, name: 'user_version' | 'application_id'): number {
  return (db.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}

/** A store that is open for reading and whose head was proven. */
export interface ProvenStore {
  readonly db: ReadingConnection;
  /** At most the format that this program writes. */
  readonly format: number;
  readonly reader: StoreReader;
  readonly head: ChainHead;
}

/**
 * Opens a store for reading and proves its head before anything on disk is changed: opened for writing, SQLite would cut a
 * damaged log to what it can read, and delete the rest with the last connection.
 * @param pin - read before, because the store may be in use and never ends before its pin; `unpinned` trusts the blocks
 * @param part - the tables whose schema is checked
 * @param openStore - opens it for reading
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`; nothing is open then
 */
export function openProven(
  path: string,
  pin: PinnedHead | PinFault | 'unpinned',
  part: StorePart = 'all',
  openStore = openForReading,
): ProvenStore {
  let db: ReadingConnection | undefined;
  try {
    db = openStore(path);
    const format = formatOf(db, path);
    const [fault] = schemaFaults(db, format, part);
    if (fault !== undefined) throw damaged(`The schema of ${path} is damaged: ${fault}. To repair it, ${REPAIR}`);
    const reader = new StoreReader(db);
    return { db, format, reader, head: headOf(reader, pin, path) };
  } catch (error) {
    db?.close();
    throw storeFailure(error, path);
  }
}

/**
 * Returns the end of the chain, after checking that the newest block is undamaged and that the store contains the block
 * that was pinned. The rest of the chain is not read.
 * @throws `LEDGER.DAMAGED` when the store is empty, ends before the pinned block or contains another one in its place
 */
export function headOf(reader: StoreReader, pin: PinnedHead | PinFault | 'unpinned', path: string): ChainHead {
  const height = reader.height();
  if (typeof pin === 'object') requirePinned(reader, height, pin, path);
  // A ledger is pinned before it has a manifest. Without the pin, blocks may be missing at its end.
  else if (pin !== 'unpinned') {
    const tool = toolCommand('ledger');
    const advice = `run "${tool} verify"; "${tool} rebuild" creates it again from an undamaged store.`;
    throw damaged(`The pin of the newest block of ${path} is ${pin}: ${advice}`);
  }
  if (height === 0) throw damaged(`${path} contains no block: restore it from a backup.`);
  return reader.head(height);
}

function requirePinned(reader: StoreReader, height: number, { number, hash }: PinnedHead, path: string): void {
  if (number >= height) {
    const lost = `ends at block ${height - 1}, but block ${number} was written to it: its end is lost.`;
    throw damaged(`${path} ${lost} The files are unchanged. Restore a backup.`);
  }
  if (reader.block(number)?.hash !== hash) {
    throw damaged(`Block ${number} in ${path} is not the one that was written (${hash}): restore a backup.`);
  }
}
