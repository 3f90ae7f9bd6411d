import { damaged } from '#ledger-gateway';
import type { ProvenStore } from '../store/open-store.js';
import { damagedRecord, isDigestOf, REPAIR } from '../store/record-digest.js';
import { prepareRows, queryFailure, queryOf, type Row } from '../store/store-reader.js';
import { openBlock, storedChain, type Progress } from './chain-source.js';
import type { ReadingConnection } from '#chain-pages';

/** Most errors in the file's own structure that are listed. */
const MAX_FAULTS = 10;
/** Records checked between two reports of progress. */
const RECORDS_PER_REPORT = 5000;

const COUNTED = ['transactions', 'state', 'history'].map((table) => `(SELECT count(*) FROM ${table})`);

/**
 * Lets SQLite check the structure of a store: pages, the order of keys, column types, and that each index matches its table.
 * @returns a description of each error
 */
export function structureFaults(db: ReadingConnection): string[] {
  const rows = rowsOf(db, 'the store', `PRAGMA integrity_check(${MAX_FAULTS})`);
  return Array.from(rows, ([fault]) => String(fault)).filter((fault) => fault !== 'ok');
}

/**
 * Checks the structure of a store, and the digest of every record that has one. Unlike `verifyLedger` it verifies no signatures
 * and does not replay the state, which takes far longer than to copy a store.
 * @throws `LEDGER.DAMAGED` naming the first error
 */
export function requireIntactRecords(store: ProvenStore, progress: Progress): void {
  const { db, head } = store;
  const [fault] = structureFaults(db);
  if (fault !== undefined) throw damaged(`SQLite reports "${fault}": ${REPAIR}`);
  const [[derived] = []] = queryOf(db, 'the store', `SELECT ${COUNTED.join(' + ')}`)() as [[number]?];
  const total = head.height + (derived ?? 0);
  let done = 0;
  const count = (): void => {
    if (++done % RECORDS_PER_REPORT === 0) progress(done, total);
  };
  checkBlocks(store, count);
  checkTransactions(store, count);
  checkStates(store, count);
  // Without its row of the state, the entries of a key are not found.
  if (done < total) throw damaged(`the histories contain entries that belong to no key: ${REPAIR}`);
}

function checkBlocks({ reader, head }: ProvenStore, count: () => void): void {
  const chain = storedChain(reader, head.height);
  for (let number = 0; number < chain.height; number++) {
    openBlock(chain.raw(number));
    count();
  }
}

function checkTransactions({ db }: ProvenStore, count: () => void): void {
  const what = 'the index of transactions';
  for (const row of rowsOf(db, what, 'SELECT id, block, position, hex(digest) FROM transactions')) {
    const [id, block, position, digest] = row as [Uint8Array, number, number, unknown];
    if (!isDigestOf(digest, 'transaction', [block, position], [id])) throw damagedRecord(what);
    count();
  }
}

type StateRow = [
  key: string,
  value: Uint8Array | null,
  block: number,
  position: number,
  entry: number,
  digest: unknown,
];
type HistoryRow = [previous: number, block: number, position: number, digest: unknown];
const HISTORY = 'SELECT previous, block, position, hex(digest) FROM history WHERE entry = ?';

/** Checks each row of the state and the history of its key, whose entries do not contain it. */
function checkStates({ db }: ProvenStore, count: () => void): void {
  const entryOf = queryOf(db, 'the histories', HISTORY);
  const select = 'SELECT qualified_key, value, block, position, entry, hex(digest) FROM state';
  for (const state of rowsOf(db, 'the state', select)) {
    const [key, value, block, position, newest, digest] = state as StateRow;
    const name = JSON.stringify(key);
    if (!isDigestOf(digest, 'state', [block, position, newest], [key, value]))
      throw damagedRecord(`the state of ${name}`);
    count();
    for (let entry = newest; entry !== 0;) {
      // A missing entry has no digest, which is wrong too.
      const [row = []] = entryOf(entry);
      const [previous, inBlock, at, entryDigest] = row as HistoryRow;
      if (!isDigestOf(entryDigest, 'history', [entry, previous, inBlock, at], [key])) {
        throw damagedRecord(`entry ${entry} of the history of ${name}`);
      }
      count();
      entry = previous;
    }
  }
}

/** Yields the rows of a query, unlike {@link queryOf} without loading all of them. @param what - is read, for the error */
function* rowsOf(db: ReadingConnection, what: string, sql: string): Generator<Row> {
  try {
    yield* prepareRows(db, sql).iterate() as unknown as Iterable<Row>;
  } catch (error) {
    throw queryFailure(error, what);
  }
}
