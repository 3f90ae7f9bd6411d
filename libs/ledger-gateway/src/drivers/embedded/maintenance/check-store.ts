import type { DatabaseSync } from 'node:sqlite';
import { prepareRows, type Row } from '../store/prepared-statements.js';
import { isDigestOf } from '../store/record-digest.js';
import { schemaFaults, type StoreFormat } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import type { FindingList } from './report.js';

/** Most errors in the file's own structure that are listed. */
const MAX_FAULTS = 10;

/**
 * Checks that a store has exactly the tables of its format, and lets SQLite check the structure: pages, the order of keys,
 * column types, and that each index matches its table.
 */
export function checkFile(db: DatabaseSync, format: StoreFormat, findings: FindingList): void {
  for (const what of schemaFaults(db, format)) findings.add('the store', 'SCHEMA', what);
  for (const row of db.prepare(`PRAGMA integrity_check(${MAX_FAULTS})`).iterate()) {
    const what = String(Object.values(row)[0]);
    if (what !== 'ok') findings.add('the store', 'RECORD', `SQLite reports: ${what}`);
  }
}

/** Checks the dictionaries of blocks, including those that no block uses any more. */
export function checkDictionaries(db: DatabaseSync, findings: FindingList): void {
  const rows = db.prepare('SELECT id, content, digest FROM dictionaries').all() as unknown as readonly {
    readonly id: number;
    readonly content: Uint8Array;
    readonly digest: Uint8Array;
  }[];
  for (const { id, content, digest } of rows) {
    if (isDigestOf(digest, 'dictionary', [id], [content])) continue;
    findings.add(`dictionary ${id}`, 'RECORD', 'it is not as it was written');
  }
}

/** A derived table: a query for all columns of each row as one text, since a BLOB would cost an ArrayBuffer each. */
interface ComparedTable {
  readonly name: string;
  /** Selects the row's key and its text, in order. */
  readonly sql: string;
  /** Names a row by its key. */
  readonly row: (key: unknown) => string;
}

function comparedTables(format: StoreFormat): readonly ComparedTable[] {
  const key = format === 1 ? 'key' : 'qualified_key';
  return [
    {
      name: 'the state',
      sql: `SELECT ${key}, hex(${key}) || quote(value) || quote(block) || ' ' || quote(position) || ' '
        || quote(entry) || quote(digest) FROM state ORDER BY ${key}`,
      row: (stored) => `the state of ${JSON.stringify(stored)}`,
    },
    {
      name: 'the index of transactions',
      sql: `SELECT hex(id), quote(id) || quote(block) || ' ' || quote(position) || quote(digest)
        FROM transactions ORDER BY id`,
      row: (id) => `the index entry of transaction ${String(id).toLowerCase()}`,
    },
    {
      name: 'the histories',
      sql: `SELECT entry, quote(previous) || ' ' || quote(block) || ' ' || quote(position) || quote(digest)
        FROM history ORDER BY entry`,
      row: (entry) => `entry ${String(entry)} of the histories`,
    },
  ];
}

/** Rows compared between two reports of progress. */
const ROWS_PER_REPORT = 5000;

/**
 * Compares the derived tables of a store with tables that were filled from its blocks, every column of every row.
 * @param derived - tables of the same format
 * @param progress - called with the number of rows compared
 */
export function compareTables(
  stored: DatabaseSync,
  derived: DatabaseSync,
  { format, findings, progress }: Readonly<Comparison>,
): void {
  let rows = 0;
  for (const { name, sql, row } of comparedTables(format)) {
    findings.attempt(name, () => {
      const [wanted, found] = [rowsOf(derived, sql), rowsOf(stored, sql)];
      for (;;) {
        const [want, have] = [wanted.next(), nextRow(found, name)];
        if (want.done === true && have.done === true) return;
        if (++rows % ROWS_PER_REPORT === 0) progress(rows);
        if (want.done !== true && have.done !== true && isSameRow(want.value, have.value)) continue;
        // The first difference is enough: a missing row shifts all rows after it.
        const [key] = (want.done === true ? have.value : want.value) as Row;
        findings.add(row(key), 'DERIVED', 'it does not follow from the blocks');
        return;
      }
    });
  }
}

interface Comparison {
  readonly format: StoreFormat;
  readonly findings: FindingList;
  readonly progress: (rows: number) => void;
}

function rowsOf(db: DatabaseSync, sql: string): Iterator<Row> {
  return prepareRows(db, sql).iterate() as unknown as Iterator<Row>;
}

function nextRow(rows: Iterator<Row>, name: string): IteratorResult<Row> {
  try {
    return rows.next();
  } catch (error) {
    throw storeFailure(error, name);
  }
}

function isSameRow(a: Row, b: Row): boolean {
  return a.every((value, index) => value === b[index]);
}
