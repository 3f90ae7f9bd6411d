import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ReadingConnection } from './connections.js';
import { LedgerError, type RecordName } from '#ledger-gateway';
import { indexedFields, MAX_RECORD_BYTES, readRecord, recordKey, splitRecordKey, typeKey } from '#records-contract';

/**
 * The indexed values of records, in byte order of the ids for each value. They follow from the state: rows carry no digests, and a
 * record that they name is compared with them.
 */
export const RECORD_FIELDS_TABLE = `
  CREATE TABLE record_fields (
    type TEXT NOT NULL,
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (type, field, value, id)
  ) STRICT, WITHOUT ROWID;
`;

/** A value that a field of a record must have. */
export interface FieldCondition {
  readonly field: string;
  readonly value: string;
}

/** The state of the records contract, of which the table follows. */
export interface RecordState {
  /** Returns the newest value of a key; undefined when it has none. */
  value(key: string): Uint8Array | undefined;
  /** Returns the present keys from one to before another in byte order, at most `limit`. */
  keys(from: string, end: string, limit: number): readonly string[];
}

/** Keys that are read at once. */
const KEYS_PER_QUERY = 500;

/** Writes the table of indexed values. The caller opens and commits the transaction. */
export class RecordFieldWriter {
  readonly #state: RecordState;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #deleteField: StatementSync;
  /** Indexed fields by the names of types. */
  readonly #indexes = new Map<string, readonly string[]>();

  constructor(db: DatabaseSync, state: RecordState) {
    this.#state = state;
    this.#insert = db.prepare('INSERT OR IGNORE INTO record_fields VALUES (?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM record_fields WHERE type = ? AND field = ? AND value = ? AND id = ?');
    this.#deleteField = db.prepare('DELETE FROM record_fields WHERE type = ? AND field = ?');
  }

  /**
   * Applies a write of a key, after the state has it.
   * @param before - the previous value; undefined when there was none
   */
  apply(key: string, value: Uint8Array | undefined, before: Uint8Array | undefined): void {
    const record = splitRecordKey(key);
    if (record === undefined) {
      if (key.startsWith(typeKey(''))) this.#define(key.slice(typeKey('').length), indexesIn(value), indexesIn(before));
      return;
    }
    const { type, id } = record;
    const indexes = this.#indexesOf(type);
    if (indexes.length === 0) return;
    for (const { field, value: text } of fieldsIn(indexes, before)) this.#delete.run(type, field, text, id);
    this.#add(indexes, record, value);
  }

  /** Fills the empty table from the state. */
  fill(): void {
    for (const key of this.#keysIn(typeKey(''))) this.apply(key, this.#state.value(key), undefined);
  }

  #define(type: string, indexes: readonly string[], before: readonly string[]): void {
    this.#indexes.set(type, indexes);
    for (const field of before) if (!indexes.includes(field)) this.#deleteField.run(type, field);
    const added = indexes.filter((field) => !before.includes(field));
    if (added.length === 0) return;
    for (const key of this.#keysIn(recordKey(type, ''))) {
      const record = splitRecordKey(key);
      if (record !== undefined) this.#add(added, record, this.#state.value(key));
    }
  }

  /** Yields the present keys that begin with a text that ends with `/`. */
  *#keysIn(start: string): Generator<string, void> {
    // `0` follows the `/`.
    const end = `${start.slice(0, -1)}0`;
    // In steps: the caller may iterate over other keys meanwhile, and a statement has one iterator.
    for (let from: string | undefined = start; from !== undefined;) {
      const found = this.#state.keys(from, end, KEYS_PER_QUERY);
      yield* found;
      from = found.length < KEYS_PER_QUERY ? undefined : `${found.at(-1)}\u0000`;
    }
  }

  #add(indexes: readonly string[], { type, id }: { type: string; id: string }, value: Uint8Array | undefined): void {
    for (const { field, value: text } of fieldsIn(indexes, value)) this.#insert.run(type, field, text, id);
  }

  #indexesOf(type: string): readonly string[] {
    let indexes = this.#indexes.get(type);
    if (indexes === undefined) {
      indexes = indexesIn(this.#state.value(typeKey(type)));
      this.#indexes.set(type, indexes);
    }
    return indexes;
  }
}

/** Returns the values of a stored record; none for other bytes, which a chaincode of the same name may have written. */
function fieldsIn(indexes: readonly string[], value: Uint8Array | undefined): readonly FieldCondition[] {
  if (value === undefined || value.length > MAX_RECORD_BYTES) return [];
  const record = readRecord(value);
  return record === undefined ? [] : indexedFields(indexes, record.d);
}

/** Returns the indexed fields of a stored type; none for other bytes. */
function indexesIn(value: Uint8Array | undefined): readonly string[] {
  if (value === undefined) return [];
  try {
    const type = JSON.parse(Buffer.from(value).toString()) as { readonly indexes?: unknown } | null;
    const indexes: readonly unknown[] = Array.isArray(type?.indexes) ? type.indexes : [];
    return indexes.filter((field) => typeof field === 'string');
  } catch {
    return [];
  }
}

/** Seeks of one page, at most: conditions that seldom hold together make a short page. */
const MAX_SEEKS = 20_000;

/** Ids that were found, and the id after which the next page begins; undefined on the last one. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly next: string | undefined;
}

/** Finds records by their indexed values. */
export class RecordFieldReader {
  readonly #db: ReadingConnection;
  #seek: StatementSync | undefined;

  constructor(db: ReadingConnection) {
    this.#db = db;
  }

  /**
   * Returns the ids of the records of a type that meet every condition, in byte order after one (leapfrog join: each seek skips the
   * ids that cannot meet all of them).
   * @param where - at least one
   */
  find(
    type: string,
    where: readonly FieldCondition[],
    { after, limit }: { readonly after: string; readonly limit: number },
  ): FoundIds {
    const ids: string[] = [];
    let candidate = after === '' ? '' : `${after}\u0000`;
    let agreeing = 0;
    let passed = after;
    for (let seeks = 0; seeks < MAX_SEEKS; seeks++) {
      const condition = where[seeks % where.length];
      const id = condition && this.#next(type, condition, candidate);
      if (id === undefined) return { ids, next: undefined };
      if (id !== candidate) {
        if (agreeing > 0) passed = candidate;
        agreeing = 0;
      }
      agreeing += 1;
      candidate = id;
      if (agreeing < where.length) continue;
      // One more shows whether there is a next page.
      if (ids.length === limit) return { ids, next: ids.at(-1) };
      ids.push(id);
      passed = id;
      candidate = `${id}\u0000`;
      agreeing = 0;
    }
    return { ids, next: passed };
  }

  #next(type: string, { field, value }: FieldCondition, from: string): string | undefined {
    this.#seek ??= this.#db.prepare(
      'SELECT id FROM record_fields WHERE type = ? AND field = ? AND value = ? AND id >= ? ORDER BY id LIMIT 1',
    );
    return (this.#seek.get(type, field, value, from) as { readonly id: string } | undefined)?.id;
  }
}

/**
 * Returns the stored form of a record as it was after a block.
 * @param value - what the newest write of it up to that block has written; undefined for none or a deletion
 * @throws `LEDGER.RECORD_NOT_FOUND`
 */
export function recordAfter(block: number, { type, id }: RecordName, value: Uint8Array | undefined): string {
  if (value !== undefined) return Buffer.from(value).toString();
  throw new LedgerError('LEDGER.RECORD_NOT_FOUND', `the record ${id} of ${type} did not exist after block ${block}`);
}

/** Returns whether a stored record meets conditions: an index of fields is derived, and may be damaged. */
export function meetsConditions(value: Uint8Array, where: readonly FieldCondition[]): boolean {
  const found = fieldsIn(
    where.map(({ field }) => field),
    value,
  );
  return where.every((wanted) =>
    found.some(({ field, value: text }) => field === wanted.field && text === wanted.value),
  );
}
