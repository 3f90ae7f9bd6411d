import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { ReadingConnection } from '#chain-pages';
import { newerFormatError } from '#files';
import { damaged, misconfigured } from '#ledger-gateway';
import { createStoreFile, openForReading, requireWritable } from '../store/open-store.js';

/** Marks a file of private values: "Ledv" in `PRAGMA application_id`. */
const APPLICATION = 0x4c656476;
const FORMAT = 1;

/**
 * One row per key and value: which one is current follows from the hash in the state. Keys are hashed as in blocks, and plain if
 * they are read in ranges. Hashes are random, so that each new row changes a page of their index: no row is in a second index of
 * them, and the index has no more than the hash.
 */
const TABLES = `
  CREATE TABLE private_values (
    id INTEGER PRIMARY KEY,
    space TEXT NOT NULL,
    key TEXT,
    key_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    value BLOB NOT NULL
  ) STRICT;
  CREATE INDEX key_hashes ON private_values (key_hash);
  CREATE INDEX listed_keys ON private_values (space, key) WHERE key IS NOT NULL;
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${FORMAT};
`;

/** Milliseconds that a statement waits for another process, such as a backup. */
const BUSY_TIMEOUT_MS = 100;

/**
 * Opens the file of private values for writing, and creates it if it is missing. Deleted values are overwritten, and a commit is
 * durable when it returns.
 * @throws `LEDGER.MISCONFIGURED`, `LEDGER.DAMAGED`, what SQLite throws
 */
export function openValuesForWriting(path: string): DatabaseSync {
  createStoreFile(path);
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec('PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL');
    // Before the write-ahead log is used, so that the header of the file always has its numbers.
    if (isEmpty(db)) db.exec(`BEGIN; ${TABLES} COMMIT`);
    db.exec('PRAGMA journal_mode = WAL');
    requireFormat(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens the file of private values for reading.
 * @returns undefined when there are none
 * @throws `LEDGER.MISCONFIGURED`, `LEDGER.DAMAGED`
 */
export function openValuesForReading(path: string): ReadingConnection | undefined {
  // A file without content was being created when the process ended.
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return size === 0 ? undefined : openForReading(path, requireFormat);
}

function isEmpty(db: ReadingConnection): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

function requireFormat(db: ReadingConnection, path: string): void {
  const pragma = (name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  requireNumbers(path, pragma('application_id'), pragma('user_version'));
}

function requireNumbers(path: string, application: unknown, format: unknown): void {
  if (application !== APPLICATION) {
    throw damaged(`${path} is not a ledger's file of private values: restore it from a backup.`);
  }
  const newer = newerFormatError(path, format, FORMAT);
  if (newer !== undefined) throw misconfigured(newer);
}

/** SQLite's file header (https://www.sqlite.org/fileformat.html): the text with which it begins, and two numbers in it. */
const HEADER = { bytes: 100, start: 'SQLite format 3\0', userVersion: 60, applicationId: 68 };

/**
 * Checks that the file of private values can be opened, if it exists. SQLite is not used, because it would create files.
 * @throws `LEDGER.MISCONFIGURED`, `LEDGER.DAMAGED`
 */
export function requireValuesFile(path: string): void {
  if (!existsSync(path)) return;
  requireWritable(path);
  const header = Buffer.alloc(HEADER.bytes);
  const file = openSync(path, 'r');
  try {
    // A crash interrupted its creation.
    if (readSync(file, header, { length: HEADER.bytes }) === 0) return;
  } finally {
    closeSync(file);
  }
  const isDatabase = header.toString('latin1').startsWith(HEADER.start);
  requireNumbers(
    path,
    isDatabase && header.readUInt32BE(HEADER.applicationId),
    header.readUInt32BE(HEADER.userVersion),
  );
}
