import type { DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { PreparedStatements, type Row } from './prepared-statements.js';
import { isDigestOf, REPAIR, requireDigest } from './record-digest.js';
import { endOf, OWNER, STORE_FORMAT, storedKey } from './schema.js';

/** Block and position of a write: Fabric's version of a key. */
export interface StoredVersion {
  readonly block: number;
  readonly position: number;
}

/** The row of a key that was written at least once. */
export interface StoredState extends StoredVersion {
  readonly key: string;
  /** Null when the newest write deleted the key. */
  readonly value: Uint8Array | null;
  /** Number of the newest entry of the key's history. */
  readonly entry: number;
}

/** The row of a key that has a value. */
export interface PresentState extends StoredState {
  readonly value: Uint8Array;
}

/**
 * Values and digests as text: `node:sqlite` creates an ArrayBuffer for each BLOB, which costs more than finding the row, and
 * a list would leave thousands of them to the garbage collector.
 */
const TEXT_COLUMNS = 'qualified_key, CAST(value AS TEXT), block, position, entry, hex(digest)';
const EXACT_COLUMNS = 'qualified_key, value, block, position, entry, digest';

/** The row of a key or the next one, the row before it, rows from a key on, and rows of an owner after a key. */
const PLACES = {
  at: 'WHERE qualified_key >= ? ORDER BY qualified_key LIMIT 1',
  before: 'WHERE qualified_key < ? ORDER BY qualified_key DESC LIMIT 1',
  from: 'WHERE qualified_key >= ? ORDER BY qualified_key LIMIT ?',
  owned: `WHERE ${OWNER} = ? AND qualified_key > ? AND qualified_key < ? ORDER BY qualified_key LIMIT ?`,
} as const;

type Place = keyof typeof PLACES;

function statements(columns: string): Readonly<Record<Place, string>> {
  const sql = (place: Place): string => `SELECT ${columns} FROM state ${PLACES[place]}`;
  return { at: sql('at'), before: sql('before'), from: sql('from'), owned: sql('owned') };
}

const ENTRY_SQL = {
  last: 'SELECT entry FROM history ORDER BY entry DESC LIMIT 1',
  entry: 'SELECT previous, block, position, digest FROM history WHERE entry = ?',
} as const;

/** A record whose digest was checked. */
interface CheckedRecord extends StoredVersion {
  readonly qualifiedKey: string;
  readonly value: string | Uint8Array | null;
  readonly entry: number;
}

/** A checked record and its row. */
interface CachedRecord {
  readonly row: Row;
  readonly record: CheckedRecord;
}

/** An entry of a history, unchecked. */
interface HistoryRow extends StoredVersion {
  readonly previous: number;
  readonly digest: unknown;
}

/** Reads the state and the histories of one chaincode. The digest of every record is checked before it is used. */
export class NamespaceReader {
  readonly namespace: string;
  readonly #prefix: string;
  readonly #texts: PreparedStatements<Place>;
  readonly #exact: PreparedStatements<Place>;
  readonly #history: PreparedStatements<keyof typeof ENTRY_SQL>;
  /** The last record read at each place: successive ids often lie between the same two records. */
  readonly #cached: Record<'at' | 'before', CachedRecord | undefined> = { at: undefined, before: undefined };

  /** @param namespace - name of the chaincode */
  constructor(db: DatabaseSync, namespace: string) {
    this.namespace = namespace;
    this.#prefix = storedKey(STORE_FORMAT, namespace, '');
    this.#texts = new PreparedStatements(db, statements(TEXT_COLUMNS));
    this.#exact = new PreparedStatements(db, statements(EXACT_COLUMNS));
    this.#history = new PreparedStatements(db, ENTRY_SQL);
  }

  /** Returns the row of a key, or undefined when the key was never written. */
  state(key: string): StoredState | undefined {
    const found = this.#one('at', key);
    if (found?.qualifiedKey === this.#stored(key)) return this.#stateOf(found);
    // The next row was checked just now.
    this.#checkBefore(key);
    return undefined;
  }

  /** Returns present keys from `start` on, below `end` (empty: no end), in byte order. */
  range(start: string, end: string, limit: number): PresentState[] {
    this.#checkBefore(start);
    const found: PresentState[] = [];
    for (let from = start; found.length < limit;) {
      // Bounds and deleted keys are evaluated here, on checked rows: SQL would skip a row whose altered key or value no
      // longer meets its condition.
      const { states, hasMore } = this.#rows('from', limit, this.#stored(from), limit);
      const inside = end === '' ? states : states.filter(({ key }) => isBelow(key, end));
      for (const state of inside) if (isPresent(state) && found.length < limit) found.push(state);
      const last = states.at(-1);
      if (last === undefined || !hasMore || inside.length < states.length) break;
      from = smallestAbove(last.key);
    }
    return found;
  }

  /** Returns present keys after one, in byte order; after the empty key, from the first on. */
  after(key: string, limit: number): PresentState[] {
    return this.range(key === '' ? '' : smallestAbove(key), '', limit);
  }

  /** Returns the keys after one whose records name an owner, in byte order. */
  ownedBy(owner: string, after: string, limit: number): PresentState[] {
    return this.#rows('owned', limit, owner, this.#stored(after), endOf(this.namespace), limit).states.filter(
      isPresent,
    );
  }

  /**
   * Returns the versions of a key, newest first.
   * @param from - number of the entry to begin with, by default the newest
   */
  *history(key: string, from = this.state(key)?.entry ?? 0): Generator<StoredVersion & { readonly entry: number }> {
    for (let entry = from; entry !== 0;) {
      const { previous, block, position, digest } = this.#entry(entry);
      const name = `entry ${entry} of the history of ${JSON.stringify(key)}`;
      requireDigest('history', name, digest, [entry, previous, block, position], [this.#stored(key)]);
      yield { entry, block, position };
      entry = previous;
    }
  }

  /**
   * Finds the entry of a key's history before the one that a transaction made, without reading the newer ones.
   * @returns its number, 0 when there is none before; undefined when that transaction did not write the key
   */
  entryBefore(key: string, at: StoredVersion): number | undefined {
    // Entries are in the order of the writes.
    const last = (this.#history.get('last', 'the histories')?.[0] as number | undefined) ?? 0;
    let [low, high] = [1, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (isBefore(this.#entry(middle), at)) low = middle + 1;
      else high = middle;
    }
    for (let number = low; number <= last; number++) {
      const { previous, block, position, digest } = this.#entry(number);
      if (block !== at.block || position !== at.position) return undefined;
      // Only the digest shows which key an entry belongs to.
      const numbers = [number, previous, block, position];
      if (isDigestOf(digest, 'history', numbers, [this.#stored(key)])) return previous;
    }
    return undefined;
  }

  #entry(number: number): HistoryRow {
    const name = `entry ${number} of the histories`;
    const row = this.#history.get('entry', name, number);
    if (row === undefined) throw new LedgerError('LEDGER.DAMAGED', `${name} is missing: ${REPAIR}`);
    const [previous, block, position, digest] = row as [number, number, number, unknown];
    return { previous, block, position, digest };
  }

  /**
   * A key that is not found may be one whose stored text was altered: its row is still next to where it belongs, and its
   * digest is wrong.
   */
  #checkBefore(key: string): void {
    this.#one('before', key);
  }

  #one(place: 'at' | 'before', key: string): CheckedRecord | undefined {
    const what = `the state of ${JSON.stringify(key)}`;
    const row = this.#texts.get(place, what, this.#stored(key));
    if (row === undefined) return undefined;
    const cached = this.#cached[place];
    // Equal content has an equal digest.
    if (cached !== undefined && isSame(cached.row, row)) return cached.record;
    const record = recordOfTexts(row);
    if (record !== undefined) {
      this.#cached[place] = { row, record };
      return record;
    }
    const exact = this.#exact.get(place, what, this.#stored(key));
    return exact && requireRecord(exact);
  }

  /** Rows up to the first one of another namespace, and whether there may be more. */
  #rows(place: 'from' | 'owned', limit: number, ...values: readonly (string | number)[]): CheckedRows {
    const states: StoredState[] = [];
    const rows = this.#texts.all(place, 'the state', ...values);
    let exact: Row[] | undefined;
    for (const [index, row] of rows.entries()) {
      const record =
        recordOfTexts(row) ?? requireRecord((exact ??= this.#exact.all(place, 'the state', ...values))[index] ?? []);
      if (!record.qualifiedKey.startsWith(this.#prefix)) return { states, hasMore: false };
      states.push(this.#stateOf(record));
    }
    return { states, hasMore: rows.length === limit };
  }

  #stored(key: string): string {
    return this.#prefix + key;
  }

  #stateOf({ qualifiedKey, value, block, position, entry }: CheckedRecord): StoredState {
    const key = qualifiedKey.slice(this.#prefix.length);
    return { key, value: typeof value === 'string' ? Buffer.from(value) : value, block, position, entry };
  }
}

interface CheckedRows {
  readonly states: StoredState[];
  readonly hasMore: boolean;
}

/** Returns undefined for a record that is damaged or whose value is not UTF-8, which only its bytes can show. */
function recordOfTexts(row: Row): CheckedRecord | undefined {
  const [qualifiedKey, value, block, position, entry, digest] = row as [
    string,
    string | null,
    number,
    number,
    number,
    unknown,
  ];
  if (!isDigestOf(digest, 'state', [block, position, entry], [qualifiedKey, value])) return undefined;
  return { qualifiedKey, value, block, position, entry };
}

/** @throws `LEDGER.DAMAGED` */
function requireRecord(row: Row): CheckedRecord {
  const [qualifiedKey, value, block, position, entry, digest] = row as [
    string,
    Uint8Array | null,
    number,
    number,
    number,
    unknown,
  ];
  const name = `the state of ${JSON.stringify(qualifiedKey)}`;
  requireDigest('state', name, digest, [block, position, entry], [qualifiedKey, value]);
  return { qualifiedKey, value, block, position, entry };
}

/** Returns whether a write precedes another in the chain. */
export function isBefore(a: StoredVersion, b: StoredVersion): boolean {
  return a.block < b.block || (a.block === b.block && a.position < b.position);
}

function isSame(a: Row, b: Row): boolean {
  for (let column = a.length - 1; column >= 0; column--) if (a[column] !== b[column]) return false;
  return true;
}

function isPresent(state: StoredState): state is PresentState {
  return state.value !== null;
}

/** The next key after another: itself followed by a NUL. */
function smallestAbove(key: string): string {
  return `${key}\u0000`;
}

/** Compares keys by the bytes of their UTF-8. */
function isBelow(key: string, end: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(end)) < 0;
}
