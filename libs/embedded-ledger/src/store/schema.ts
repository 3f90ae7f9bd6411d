import type { DatabaseSync } from 'node:sqlite';
import { RECORD_FIELDS_TABLE, type ReadingConnection, type Transaction } from '#chain-pages';

/** The oldest format that this program reads and upgrades; in `PRAGMA user_version`. docs/store-format.md describes the formats. */
export const OLDEST_FORMAT = 2;

/** The format that this program writes. An older store is upgraded by the migrations in `migrations/`. */
export const STORE_FORMAT = 3;

/** Marks a file as a ledger's store: "Ledg" in `PRAGMA application_id`. */
export const STORE_APPLICATION = 0x4c656467;

/**
 * `blocks` is the ledger. The derived tables follow from it and can be rebuilt:
 * - state: one row per key ever written. A deleted key keeps its row without a value, because its history starts there.
 * - record_fields: the indexed values of records.
 * - transactions: block and position of each transaction, by its id.
 * - history: one row per write, in order. Each names the previous one of the same key, so that a write only appends.
 */
const CHAIN_TABLES = `
  CREATE TABLE blocks (
    number INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    dictionary INTEGER NOT NULL,
    packed BLOB NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
  CREATE TABLE dictionaries (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
`;

/**
 * The owner of a record of the asset contract. Values are JSON text in a BLOB; those of other chaincodes may be anything,
 * on which the JSON functions alone would fail.
 */
export const OWNER = `CASE WHEN json_valid(CAST(value AS TEXT)) THEN CAST(value AS TEXT) ->> '$.owner' END`;

/** The state of format 2: to compare two keys SQLite had to read a whole row, and with it a value of any size. */
const STATE_OF_FORMAT_2 = `
  CREATE TABLE state (
    qualified_key TEXT PRIMARY KEY NOT NULL,
    value BLOB,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX owners ON state (${OWNER}) WHERE ${OWNER} IS NOT NULL;
`;

/**
 * The number of the newest history entry identifies a row, so that an index of the keys names the entry that proves a key. The value
 * is the last column: SQLite reads it only when it is selected.
 */
const STATE = `
  CREATE TABLE state (
    entry INTEGER PRIMARY KEY,
    qualified_key TEXT NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    digest BLOB NOT NULL,
    value BLOB
  ) STRICT;
  CREATE UNIQUE INDEX keys ON state (qualified_key);
  CREATE INDEX owners ON state (${OWNER}, qualified_key) WHERE ${OWNER} IS NOT NULL;
`;

const CHAIN_INDEXES = `
  CREATE TABLE transactions (
    id BLOB PRIMARY KEY NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE history (
    entry INTEGER PRIMARY KEY,
    previous INTEGER NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT;
`;

/**
 * The index of calls. One row per block and caller instead of one per transaction makes it cheap to write.
 * - callers: each function that a creator has called, numbered in the order of the first call.
 * - calls: the transactions of a caller in a block; bit n is position n.
 * - totals: the first and the last timestamp in a block in milliseconds, and the counts up to and including the block.
 * - hours: the number of transactions by the hours since 1970 of their timestamps.
 */
const CALL_TABLES = `
  CREATE TABLE callers (
    creator TEXT NOT NULL,
    function TEXT NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (creator, function)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX functions ON callers (function, creator, id);
  CREATE TABLE calls (
    caller INTEGER NOT NULL,
    block INTEGER NOT NULL,
    positions BLOB NOT NULL,
    PRIMARY KEY (caller, block)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE totals (
    block INTEGER PRIMARY KEY,
    earliest INTEGER,
    latest INTEGER,
    transactions INTEGER NOT NULL,
    assets INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE hours (
    hour INTEGER PRIMARY KEY,
    transactions INTEGER NOT NULL
  ) STRICT;
`;

/** The first bytes of a block's hash. An index of whole hashes would be four times as large and cost twice as much. */
export const HASH_START = 'substr(hash, 1, 5)';
/** Finds a block by the first digits of its hash. It is derived, but belongs to the table of the blocks. */
const HASH_INDEX = `
  CREATE INDEX block_hashes ON blocks (${HASH_START});
`;

/** The tables and indexes that follow from the blocks, by the first and the last format that have them. */
const DERIVED: readonly { readonly since: number; readonly until?: number; readonly sql: string }[] = [
  { since: 2, sql: CHAIN_INDEXES + CALL_TABLES },
  { since: 2, until: 2, sql: STATE_OF_FORMAT_2 },
  { since: 3, sql: STATE + RECORD_FIELDS_TABLE },
];

/** Creates the tables that a format introduced. */
export function createTablesSince(db: Transaction, format: number): void {
  for (const { since, sql } of DERIVED) if (since === format) db.exec(sql);
}

/** A part of a store's tables. */
export type StorePart = 'blocks' | 'all';

/** Creates the tables of a new store. */
export function createTables(db: DatabaseSync): void {
  db.exec(`PRAGMA application_id = ${STORE_APPLICATION}; ${CHAIN_TABLES} ${HASH_INDEX}`);
  createDerivedTables(db);
  setFormat(db, STORE_FORMAT);
}

/** Creates the tables that follow from the blocks: in a store, or alone for a verifier to compare with. */
export function createDerivedTables(db: DatabaseSync): void {
  for (const sql of derivedTables(STORE_FORMAT)) db.exec(sql);
}

function derivedTables(format: number): string[] {
  return DERIVED.filter(({ since, until = format }) => since <= format && until >= format).map(({ sql }) => sql);
}

/** Records the format of a store. */
export function setFormat(db: DatabaseSync, format: number): void {
  db.exec(`PRAGMA user_version = ${format}`);
}

/**
 * Returns a key of a chaincode as it is stored in the state and in digests: `NAMESPACE/KEY`, since no name of a chaincode contains a slash. It is one column, as in Fabric's own state database: a
 * condition on two columns would silently skip a row whose namespace was altered.
 */
export function storedKey(namespace: string, key: string): string {
  return `${namespace}/${key}`;
}

/** Returns a name for a range of keys, which is no stored key: no name of a chaincode contains a bracket. */
export function rangeName(namespace: string, start: string, end: string): string {
  return JSON.stringify([namespace, start, end]);
}

/** Returns the first text after all keys of a namespace. */
export function endOf(namespace: string): string {
  return `${namespace}0`;
}

/**
 * Compares a store's schema with that of its format. A view or a trigger could answer or act under a table's name without
 * changing the digest of any record.
 * @param part - `blocks` accepts anything in the other tables, for a rebuild
 * @returns a description of each difference
 */
export function schemaFaults(db: ReadingConnection, format: number, part: StorePart = 'all'): string[] {
  const all = [CHAIN_TABLES, HASH_INDEX, ...derivedTables(format)].join('');
  const known = statementsIn(part === 'all' ? all : CHAIN_TABLES);
  const faults: string[] = [];
  const rows = db.prepare("SELECT type, name, coalesce(sql, '') AS sql FROM sqlite_schema ORDER BY name").all();
  for (const { type, name, sql } of rows as unknown as readonly Record<'type' | 'name' | 'sql', string>[]) {
    const wanted = known.get(name);
    known.delete(name);
    if (wanted === undefined && part === 'blocks') continue;
    if (wanted === undefined) faults.push(`it contains an unknown ${type} "${name}"`);
    else if (withOneSpace(sql) !== wanted) faults.push(`its ${type} "${name}" has another definition`);
  }
  return [...faults, ...[...known.keys()].map((name) => `its table or index "${name}" is missing`)];
}

/** The statements by the names of their tables, as SQLite stores them apart from line breaks. */
function statementsIn(tables: string): Map<string, string> {
  const statements = tables.split(';').map(withOneSpace);
  return new Map(
    statements.flatMap((sql) => {
      const [, name] = /^CREATE (?:TABLE|(?:UNIQUE )?INDEX) (\w+) /.exec(sql) ?? [];
      return name === undefined ? [] : [[name, sql] as const];
    }),
  );
}

function withOneSpace(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
