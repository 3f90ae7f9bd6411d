import type { DatabaseSync } from 'node:sqlite';
import { storeFailure } from '../store/store-failure.js';
import type { FindingList } from './finding-list.js';

/** The tables that follow from the blocks, and how a row of each is called. */
const TABLES = [
  {
    name: 'the state',
    sql: 'SELECT key, value, block, position, entry, digest FROM state ORDER BY key',
    row: (key: unknown) => `the state of ${JSON.stringify(key)}`,
  },
  {
    name: 'the index of transactions',
    sql: 'SELECT id, block, position, digest FROM transactions ORDER BY id',
    row: (id: unknown) => `the index entry of transaction ${Buffer.from(id as Uint8Array).toString('hex')}`,
  },
  {
    name: 'the histories',
    sql: 'SELECT entry, previous, block, position, digest FROM history ORDER BY entry',
    row: (entry: unknown) => `entry ${String(entry)} of the histories`,
  },
] as const;

type Row = readonly unknown[];

/** Compares what a store keeps beside its blocks with what follows from them, every column of every row. */
export function compareTables(stored: DatabaseSync, derived: DatabaseSync, findings: FindingList): void {
  for (const { name, sql, row } of TABLES) {
    findings.attempt(name, () => {
      const [wanted, found] = [rowsOf(derived, sql), rowsOf(stored, sql)];
      for (;;) {
        const [want, have] = [wanted.next(), nextRow(found, name)];
        if (want.done === true && have.done === true) return;
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
  return a.every((value, index) => isSameValue(value, b[index]));
}

function isSameValue(a: unknown, b: unknown): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b)) return a === b;
  return Buffer.compare(a as Uint8Array, b as Uint8Array) === 0;
}
