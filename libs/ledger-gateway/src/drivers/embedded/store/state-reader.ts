import type { DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { PreparedStatements, REPAIR, type Row } from './prepared-statements.js';
import { isDigestOf } from './record-digest.js';

/** Where a write stands in the chain: Fabric's version of a key. */
export interface StoredVersion {
  readonly block: number;
  readonly position: number;
}

/** The row of a key that was written at least once. */
export interface StoredState extends StoredVersion {
  readonly key: string;
  /** Null when the newest write deleted the key. */
  readonly value: Uint8Array | null;
  /** Number of the newest entry of its history. */
  readonly entry: number;
}

/** The row of a key that is there. */
export interface PresentState extends StoredState {
  readonly value: Uint8Array;
}

/**
 * Values and digests as texts: `node:sqlite` gives each BLOB an ArrayBuffer of its own, which costs more than finding the
 * row, and a list leaves thousands of them to the garbage collector.
 */
const AS_TEXT = 'SELECT key, CAST(value AS TEXT), block, position, entry, hex(digest) FROM state';
/** As they are stored. */
const EXACT = 'SELECT key, value, block, position, entry, digest FROM state';
// With the key, or the one behind where it would stand.
const AT = 'WHERE key >= ? ORDER BY key LIMIT 1';
const BEFORE = 'WHERE key < ? ORDER BY key DESC LIMIT 1';
const FROM = 'WHERE key >= ? ORDER BY key LIMIT ?';

const TEXT_SQL = { at: `${AS_TEXT} ${AT}`, before: `${AS_TEXT} ${BEFORE}`, from: `${AS_TEXT} ${FROM}` } as const;
const EXACT_SQL = { at: `${EXACT} ${AT}`, before: `${EXACT} ${BEFORE}`, from: `${EXACT} ${FROM}` } as const;

type Place = keyof typeof EXACT_SQL;

/** A record whose digest was checked. */
interface CheckedRecord extends StoredVersion {
  readonly key: string;
  readonly value: string | Uint8Array | null;
  readonly entry: number;
}

/** A record that was found good, with the row that it was. */
interface Known {
  readonly row: Row;
  readonly record: CheckedRecord;
}

/** Reads the state of keys and checks the digest of every record before it is believed. */
export class StateReader {
  readonly #texts: PreparedStatements<Place>;
  readonly #exact: PreparedStatements<Place>;
  /** What was read last in each place: ids that follow one another stand between the same two records. */
  readonly #known: Record<'at' | 'before', Known | undefined> = { at: undefined, before: undefined };

  constructor(db: DatabaseSync) {
    this.#texts = new PreparedStatements(db, TEXT_SQL);
    this.#exact = new PreparedStatements(db, EXACT_SQL);
  }

  /** The newest row of a key, or undefined when it was never written. */
  state(key: string): StoredState | undefined {
    const found = this.#one('at', key);
    if (found?.key === key) return stateOf(found);
    // The row behind is checked already.
    this.#checkBefore(key);
    return undefined;
  }

  /** Present keys from `start` on, below `end` (empty: no end), in byte order. */
  range(start: string, end: string, limit: number): PresentState[] {
    this.#checkBefore(start);
    const found: PresentState[] = [];
    for (let from = start; found.length < limit;) {
      // Bounds and deleted keys are judged here, on checked rows: SQL would pass over a row whose altered key or value
      // no longer meets its condition.
      const rows = this.#rows(from, limit);
      const inside = end === '' ? rows : rows.filter(({ key }) => isBelow(key, end));
      for (const row of inside) if (isPresent(row) && found.length < limit) found.push(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit || inside.length < rows.length) break;
      from = smallestAbove(last.key);
    }
    return found;
  }

  /** Present keys behind one, in byte order; behind the empty one, which nothing has, from the first on. */
  behind(key: string, limit: number): PresentState[] {
    return this.range(key === '' ? '' : smallestAbove(key), '', limit);
  }

  /**
   * A key that is not found may be one whose stored text was altered: its row still stands beside where it belongs, and
   * its digest tells.
   */
  #checkBefore(key: string): void {
    this.#one('before', key);
  }

  #one(place: 'at' | 'before', key: string): CheckedRecord | undefined {
    const what = `the state of ${JSON.stringify(key)}`;
    const row = this.#texts.get(place, what, key);
    if (row === undefined) return undefined;
    const known = this.#known[place];
    // The same content again has the same digest.
    if (known !== undefined && isSame(known.row, row)) return known.record;
    const record = recordOfTexts(row);
    if (record !== undefined) {
      this.#known[place] = { row, record };
      return record;
    }
    const exact = this.#exact.get(place, what, key);
    return exact && requireState(exact);
  }

  #rows(from: string, limit: number): StoredState[] {
    const states: StoredState[] = [];
    for (const row of this.#texts.all('from', 'the state', from, limit)) {
      const record = recordOfTexts(row);
      if (record === undefined) return this.#exact.all('from', 'the state', from, limit).map(requireState);
      states.push(stateOf(record));
    }
    return states;
  }
}

/** Undefined for a record that is damaged or whose value is no UTF-8: only its bytes can tell. */
function recordOfTexts(row: Row): CheckedRecord | undefined {
  const [key, value, block, position, entry, digest] = row as [string, string | null, number, number, number, unknown];
  if (!isDigestOf(digest, 'state', [block, position, entry], [key, value])) return undefined;
  return { key, value, block, position, entry };
}

function stateOf({ key, value, block, position, entry }: CheckedRecord): StoredState {
  return { key, value: typeof value === 'string' ? Buffer.from(value) : value, block, position, entry };
}

function isSame(a: Row, b: Row): boolean {
  for (let column = a.length - 1; column >= 0; column--) if (a[column] !== b[column]) return false;
  return true;
}

/** @throws `LEDGER.DAMAGED` */
function requireState(row: Row): StoredState {
  const [key, value, block, position, entry, digest] = row as [
    string,
    Uint8Array | null,
    number,
    number,
    number,
    unknown,
  ];
  if (!isDigestOf(digest, 'state', [block, position, entry], [key, value])) {
    throw new LedgerError('LEDGER.DAMAGED', `the state of ${JSON.stringify(key)} is not what was written: ${REPAIR}`);
  }
  return { key, value, block, position, entry };
}

function isPresent(state: StoredState): state is PresentState {
  return state.value !== null;
}

/** The key that follows another at once: itself with a NUL behind it. */
function smallestAbove(key: string): string {
  return `${key}\u0000`;
}

/** In the order of the keys, that of the bytes of their UTF-8. */
function isBelow(key: string, end: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(end)) < 0;
}
