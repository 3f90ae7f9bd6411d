import type { DatabaseSync } from 'node:sqlite';

/** Formats of a store that this program reads; in `PRAGMA user_version`. docs/store-format.md describes them. */
export type StoreFormat = 1 | 2;

/** The format that this program writes. */
export const STORE_FORMAT = 2 satisfies StoreFormat;

/** Marks a file as a ledger's store: "Ledg" in `PRAGMA application_id`. */
export const STORE_APPLICATION = 0x4c656467;

/**
 * `blocks` is the ledger. The derived tables follow from it and can be rebuilt:
 * - state: one row per key ever written. A deleted key keeps its row without a value, because its history starts there.
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

/** Returns the name of the column with the keys of the state. */
export function keyColumn(format: StoreFormat): string {
  return format === 1 ? 'key' : 'qualified_key';
}

function stateTable(format: StoreFormat): string {
  return `
  CREATE TABLE state (
    ${keyColumn(format)} TEXT PRIMARY KEY NOT NULL,
    value BLOB,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  ${format === 1 ? '' : `CREATE INDEX owners ON state (${OWNER}) WHERE ${OWNER} IS NOT NULL;`}
`;
}

const OTHER_DERIVED_TABLES = `
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
 * The index of calls, since format 2. One row per block and caller instead of one per transaction makes it cheap to write.
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
const NO_CALL_TABLES = `
  DROP TABLE callers;
  DROP TABLE calls;
  DROP TABLE totals;
  DROP TABLE hours;
`;

/** The first bytes of a block's hash. An index of whole hashes would be four times as large and cost twice as much. */
export const HASH_START = 'substr(hash, 1, 5)';
/** Finds a block by the first digits of its hash, since format 2. It is derived, but belongs to the table of the blocks. */
const HASH_INDEX = `
  CREATE INDEX block_hashes ON blocks (${HASH_START});
`;

/** A part of a store's tables. */
export type StorePart = 'blocks' | 'all';

/** Creates the tables of a new store. */
export function createTables(db: DatabaseSync): void {
  db.exec(`PRAGMA application_id = ${STORE_APPLICATION}; ${CHAIN_TABLES}`);
  createHashIndex(db, STORE_FORMAT);
  createDerivedTables(db);
  setFormat(db, STORE_FORMAT);
}

/** Creates the index of block hashes, or drops it for a format without it. */
export function createHashIndex(db: DatabaseSync, format: StoreFormat): void {
  db.exec(format === 1 ? 'DROP INDEX block_hashes' : HASH_INDEX);
}

/** Creates the tables that follow from the blocks: in a store, or alone for a verifier to compare with. */
export function createDerivedTables(db: DatabaseSync): void {
  createStateTable(db, STORE_FORMAT);
  db.exec(OTHER_DERIVED_TABLES);
  createCallTables(db, STORE_FORMAT);
}

/** Creates the state table of a format with its index. */
export function createStateTable(db: DatabaseSync, format: StoreFormat): void {
  db.exec(stateTable(format));
}

/** Creates the tables of the index of calls, or drops them for a format without them. */
export function createCallTables(db: DatabaseSync, format: StoreFormat): void {
  db.exec(format === 1 ? NO_CALL_TABLES : CALL_TABLES);
}

/** Records the format of a store. */
export function setFormat(db: DatabaseSync, format: StoreFormat): void {
  db.exec(`PRAGMA user_version = ${format}`);
}

/**
 * Returns a key of a chaincode as it is stored in the state and in digests. Format 1 has one namespace only; format 2 stores
 * `NAMESPACE/KEY`, since no name of a chaincode contains a slash. It is one column, as in Fabric's own state database: a
 * condition on two columns would silently skip a row whose namespace was altered.
 */
export function storedKey(format: StoreFormat, namespace: string, key: string): string {
  return format === 1 ? key : `${namespace}/${key}`;
}

/** Returns a name for a range of keys, which is no stored key: no name of a chaincode contains a bracket. */
export function rangeName(namespace: string, start: string, end: string): string {
  return JSON.stringify([namespace, start, end]);
}

/** Returns the first text after all keys of a namespace in format 2. */
export function endOf(namespace: string): string {
  return `${namespace}0`;
}

/**
 * Compares a store's schema with that of its format. A view or a trigger could answer or act under a table's name without
 * changing the digest of any record.
 * @param part - `blocks` accepts anything in the other tables, for a rebuild
 * @returns a description of each difference
 */
export function schemaFaults(db: DatabaseSync, format: StoreFormat, part: StorePart = 'all'): string[] {
  const derived = stateTable(format) + OTHER_DERIVED_TABLES + (format === 1 ? '' : HASH_INDEX + CALL_TABLES);
  const known = statementsIn(part === 'all' ? CHAIN_TABLES + derived : CHAIN_TABLES);
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
      const [, name] = /^CREATE (?:TABLE|INDEX) (\w+) /.exec(sql) ?? [];
      return name === undefined ? [] : [[name, sql] as const];
    }),
  );
}

function withOneSpace(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
