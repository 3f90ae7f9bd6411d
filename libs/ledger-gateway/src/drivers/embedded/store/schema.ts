import type { DatabaseSync } from 'node:sqlite';

/** The format of a store; in `PRAGMA user_version`. */
export const STORE_FORMAT = 1;

/** Marks a file as a ledger's store: "Ledg" in `PRAGMA application_id`. */
export const STORE_APPLICATION = 0x4c656467;

/**
 * `blocks` is the ledger. The other tables follow from it and can be made anew (`rebuild`).
 * - state: one row a key ever written; a deleted key keeps its row without a value, since its history hangs on it
 * - transactions: where each transaction stands, by its id
 * - history: one row a write, in order; each names the one before of the same key, so that writing it appends only
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

const DERIVED_TABLES = `
  CREATE TABLE state (
    key TEXT PRIMARY KEY NOT NULL,
    value BLOB,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entry INTEGER NOT NULL,
    digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
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

/** Which tables of a store are meant. */
export type StorePart = 'blocks' | 'all';

/** Makes the tables of a new store. */
export function createTables(db: DatabaseSync): void {
  db.exec(`
    PRAGMA application_id = ${STORE_APPLICATION};
    PRAGMA user_version = ${STORE_FORMAT};
    ${CHAIN_TABLES}
    ${DERIVED_TABLES}
  `);
}

/** Makes the tables that follow from the blocks alone, in a file of their own: what a verifier compares with. */
export function createDerivedTables(db: DatabaseSync): void {
  db.exec(DERIVED_TABLES);
}

/**
 * What is in a store's schema that no program of its format has made, or is missing there: a view or a trigger answers or
 * acts in a table's name, and no record's digest tells.
 * @param part - what follows from the blocks may be anything to whoever makes it anew
 */
export function schemaFaults(db: DatabaseSync, part: StorePart = 'all'): string[] {
  const known = statementsIn(part === 'all' ? CHAIN_TABLES + DERIVED_TABLES : CHAIN_TABLES);
  const faults: string[] = [];
  for (const { type, name, sql } of schemaOf(db)) {
    const wanted = known.get(name);
    known.delete(name);
    if (wanted === undefined && part === 'blocks') continue;
    if (wanted === undefined) faults.push(`it holds the ${type} ${name}, which no ledger has made`);
    else if (withOneSpace(sql ?? '') !== wanted) faults.push(`its ${type} ${name} is not the table that was made`);
  }
  return [...faults, ...[...known.keys()].map((name) => `its table ${name} is missing`)];
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string | null;
}

function schemaOf(db: DatabaseSync): readonly SchemaRow[] {
  return db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all() as unknown as SchemaRow[];
}

/** The statements by their tables' names, as SQLite keeps them but for line breaks. */
function statementsIn(tables: string): Map<string, string> {
  const statements = tables.split(';').map(withOneSpace);
  return new Map(
    statements.flatMap((sql) => {
      const [, name] = /^CREATE TABLE (\w+) /.exec(sql) ?? [];
      return name === undefined ? [] : [[name, sql] as const];
    }),
  );
}

function withOneSpace(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
