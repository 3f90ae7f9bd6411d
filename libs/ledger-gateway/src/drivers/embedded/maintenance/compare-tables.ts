import type { DatabaseSync } from 'node:sqlite';
import { storeFailure } from '../store/store-failure.js';
import type { FindingList } from './finding-list.js';

/**
 * The tables that follow from the blocks: the order of their rows, all columns of a row as one text (each BLOB would cost an
 * ArrayBuffer of its own), and how a row is called.
 */
const TABLES = [
  {
    name: 'the state',
    sql: `SELECT key, hex(key) || quote(value) || quote(block) || ' ' || quote(position) || ' ' || quote(entry) || quote(digest)
      FROM state ORDER BY key`,
    row: (key: unknown) => `the state of ${JSON.stringify(key)}`,
  },
  {
    name: 'the index of transactions',
    sql: `SELECT hex(id), quote(id) || quote(block) || ' ' || quote(position) || quote(digest)
      FROM transactions ORDER BY id`,
    row: (id: unknown) => `the index entry of transaction ${String(id).toLowerCase()}`,
  },
  {
    name: 'the histories',
    sql: `SELECT entry, quote(previous) || ' ' || quote(block) || ' ' || quote(position) || quote(digest)
      FROM history ORDER BY entry`,
    row: (entry: unknown) => `entry ${String(entry)} of the histories`,
  },
] as const;

type Row = readonly unknown[];

/** How many rows are compared between two reports. */
const ROWS_AT_ONCE = 5000;

/**
 * Compares what a store keeps beside its blocks with what follows from them, every column of every row.
 * @param progress - takes how many rows were compared
 */
export function compareTables(
  stored: DatabaseSync,
  derived: DatabaseSync,
  findings: FindingList,
  progress: (rows: number) => void,
): void {
  let rows = 0;
  for (const { name, sql, row } of TABLES) {
    findings.attempt(name, () => {
      const [wanted, found] = [rowsOf(derived, sql), rowsOf(stored, sql)];
      for (;;) {
        const [want, have] = [wanted.next(), nextRow(found, name)];
        if (want.done === true && have.done === true) return;
        if (++rows % ROWS_AT_ONCE === 0) progress(rows);
        if (want.done !== true && have.done !== true && isSameRow(want.value, have.value)) continue;
        // One is enough: the rows behind it are shifted against each other when one is missing.
        const [key] = (want.done === true ? have.value : want.value) as Row;
        findings.add(row(key), { check: 'DERIVED', what: 'it is not what follows from the blocks' });
        return;
      }
    });
  }
}

function rowsOf(db: DatabaseSync, sql: string): Iterator<Row> {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement.iterate() as unknown as Iterator<Row>;
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
