import type { StatementSync } from 'node:sqlite';
import type { ReadingConnection } from '#chain-pages';
import { hex } from '#fabric-codec';

/** A row of `blocks`. */
export interface IndexedBlock {
  readonly number: number;
  readonly first: number;
  readonly hash: Uint8Array;
  readonly previous_hash: Uint8Array;
  readonly data_hash: Uint8Array;
}

/** A transaction with its names. */
export interface CallRow {
  readonly number: number;
  readonly block: number;
  readonly first: number;
  readonly id: string;
  readonly time: string;
  readonly type: number;
  readonly caller_id: number;
  readonly caller: string;
  readonly msp: string;
  readonly function_id: number;
  readonly function: string;
  readonly chaincode: string;
  readonly code: number;
  readonly argument: string;
  readonly created: string | null;
}

/** A write with its transaction. */
export interface ChangeRow {
  readonly number: number;
  readonly block: number;
  readonly first: number;
  readonly id: string;
  readonly time: string;
  readonly caller: string;
  readonly msp: string;
  readonly value: string | Uint8Array | null;
}

// CROSS JOIN fixes the order, so that rows are read in the order of the outer table and no sort is needed.
const CALLS = `
  SELECT t.number, t.block, b.first, t.id, t.time, t.type, t.caller AS caller_id, c.name AS caller, c.msp,
    t.function AS function_id, f.name AS function, f.chaincode, t.code, t.argument, t.created
  FROM transactions t CROSS JOIN blocks b ON b.number = t.block CROSS JOIN callers c ON c.id = t.caller
    CROSS JOIN functions f ON f.id = t.function
  WHERE t.number >= ? AND t.number < ?`;
const NEWEST = 'ORDER BY t.number DESC LIMIT ?';
const CHANGES = `
  SELECT w.number, t.block, b.first, t.id, t.time, c.name AS caller, c.msp, w.value
  FROM writes w CROSS JOIN transactions t ON t.number = w.number CROSS JOIN blocks b ON b.number = t.block
    CROSS JOIN callers c ON c.id = t.caller
  WHERE w.key = ? AND w.number < ? ORDER BY w.number DESC LIMIT ?`;

/** Digits of a hash, and characters of a transaction id, that are indexed. */
const [HASH_DIGITS, ID_CHARACTERS] = [10, 12] as const;
const LAST = '\u{10ffff}';

/** The first characters of ids that are indexed, as an expression of the index. */
const ID_START = `substr(id, 1, ${ID_CHARACTERS})`;
const HASH_START = `substr(hash, 1, ${HASH_DIGITS / 2})`;
const IN_TIME = 'latest >= ? AND earliest <= ?';

/** The statements, by the names of the methods that use them. */
const STATEMENTS = {
  calls: `${CALLS} ${NEWEST}`,
  callsOfCaller: `${CALLS} AND t.caller = ? ${NEWEST}`,
  callsOfFunction: `${CALLS} AND t.function = ? ${NEWEST}`,
  callsOfBoth: `${CALLS} AND t.caller = ? AND t.function = ? ${NEWEST}`,
  callsBetween: `${CALLS} ORDER BY t.number`,
  changes: CHANGES,
  blocks: 'SELECT * FROM blocks WHERE number < ? ORDER BY number DESC LIMIT ?',
  blocksInTime: `SELECT * FROM blocks WHERE number < ? AND ${IN_TIME} ORDER BY number DESC LIMIT ?`,
  firstInTime: `SELECT number, first FROM blocks WHERE ${IN_TIME} ORDER BY number LIMIT 1`,
  lastInTime: `SELECT number FROM blocks WHERE ${IN_TIME} ORDER BY number DESC LIMIT 1`,
  firstOf: 'SELECT first FROM blocks WHERE number = ?',
  callers: 'SELECT id FROM callers WHERE name = ?',
  functions: 'SELECT id FROM functions WHERE name = ?',
  numbersFrom: `SELECT number FROM transactions WHERE ${ID_START} >= ? AND ${ID_START} < ? LIMIT ?`,
  idsFrom: `SELECT id FROM transactions WHERE ${ID_START} >= ? AND ${ID_START} < ? AND id >= ? AND id < ?
    ORDER BY ${ID_START}, id LIMIT ?`,
  hashesFrom: `SELECT number, hash FROM blocks WHERE ${HASH_START} >= ? AND ${HASH_START} <= ?
    AND substr(lower(hex(hash)), 1, ?) = ? ORDER BY ${HASH_START}, hash LIMIT ?`,
  key: 'SELECT id FROM keys WHERE namespace = ? AND key = ?',
  keyFrom: `SELECT key, present FROM keys WHERE namespace = ? AND key >= ? AND typeof(key) = 'text' ORDER BY key LIMIT 1`,
  ownerFrom: 'SELECT owner FROM keys WHERE namespace = ? AND owner IS NOT NULL AND owner >= ? ORDER BY owner LIMIT 1',
  callerFrom: 'SELECT name FROM callers WHERE name >= ? ORDER BY name LIMIT 1',
  functionFrom: 'SELECT name FROM functions WHERE name >= ? ORDER BY name LIMIT 1',
  keyCount: 'SELECT keys FROM namespaces WHERE name = ?',
  hours: 'SELECT hour, transactions FROM hours ORDER BY hour DESC LIMIT ?',
};

type Value = string | number | Uint8Array;

/** The queries of an index. */
export class IndexQueries {
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>;

  constructor(db: ReadingConnection) {
    const statements = Object.entries(STATEMENTS).map(([name, sql]) => [name, db.prepare(sql)]);
    this.#statements = Object.fromEntries(statements) as Record<keyof typeof STATEMENTS, StatementSync>;
  }

  /** Returns blocks below a number, newest first. */
  blocks(below: number, count: number): IndexedBlock[] {
    return this.#all('blocks', below, count) as IndexedBlock[];
  }

  /** Returns blocks below a number that may contain a time between two, newest first. */
  blocksInTime(below: number, earliest: number, latest: number, count: number): IndexedBlock[] {
    return this.#all('blocksInTime', below, earliest, latest, count) as IndexedBlock[];
  }

  /** Returns the number of a block's first transaction. */
  firstOf(block: number): number | undefined {
    return (this.#first('firstOf', block) as { readonly first: number } | undefined)?.first;
  }

  /** Returns the first transaction and the last block between two times; undefined if there are none. */
  boundsOfTime(earliest: number, latest: number): { readonly first: number; readonly last: number } | undefined {
    const oldest = this.#first('firstInTime', earliest, latest) as { readonly first: number } | undefined;
    const newest = this.#first('lastInTime', earliest, latest) as { readonly number: number } | undefined;
    return oldest && newest && { first: oldest.first, last: newest.number };
  }

  /** Returns transactions from a number on and below another, in order. */
  callsBetween(from: number, end: number): CallRow[] {
    return this.#all('callsBetween', from, end) as CallRow[];
  }

  /** Returns transactions from a number on and below another, newest first. */
  calls(
    { caller, called }: { readonly caller: number | undefined; readonly called: number | undefined },
    from: number,
    below: number,
    count: number,
  ): CallRow[] {
    const ids = [caller, called].filter((id) => id !== undefined);
    let statement: keyof typeof STATEMENTS = 'calls';
    if (caller !== undefined) statement = called === undefined ? 'callsOfCaller' : 'callsOfBoth';
    else if (called !== undefined) statement = 'callsOfFunction';
    return this.#all(statement, from, below, ...ids, count) as CallRow[];
  }

  /** Returns the ids of the callers with a name, one for each organization. */
  callers(name: string): number[] {
    return (this.#all('callers', name) as readonly { readonly id: number }[]).map(({ id }) => id);
  }

  /** Returns the ids of the functions with a name, one for each chaincode. */
  functions(name: string): number[] {
    return (this.#all('functions', name) as readonly { readonly id: number }[]).map(({ id }) => id);
  }

  /** Returns the numbers of transactions by the beginning of their ids, of which only the indexed part is compared. */
  numbersFrom(prefix: string, limit: number): number[] {
    const start = prefix.slice(0, ID_CHARACTERS);
    const rows = this.#all('numbersFrom', start, start + LAST, limit) as readonly { readonly number: number }[];
    return rows.map(({ number }) => number);
  }

  /** Returns ids of transactions by their beginning, in order. */
  idsFrom(prefix: string, limit: number): string[] {
    const start = prefix.slice(0, ID_CHARACTERS);
    const rows = this.#all('idsFrom', start, start + LAST, prefix, prefix + LAST, limit);
    return (rows as readonly { readonly id: string }[]).map(({ id }) => id);
  }

  /** Returns blocks by the beginning of their hashes, in the order of the hashes. */
  hashesFrom(prefix: string, limit: number): { readonly number: number; readonly hash: string }[] {
    const bound = (digit: string): Buffer =>
      Buffer.from(prefix.slice(0, HASH_DIGITS).padEnd(HASH_DIGITS, digit), 'hex');
    const rows = this.#all('hashesFrom', bound('0'), bound('f'), prefix.length, prefix, limit);
    return (rows as readonly IndexedBlock[]).map(({ number, hash }) => ({ number, hash: hex(hash) }));
  }

  /** Returns the id of a key. */
  key(namespace: string, value: string | Uint8Array): number | undefined {
    return (this.#first('key', namespace, value) as { readonly id: number } | undefined)?.id;
  }

  /** Returns the changes of a key below a number, newest first. */
  changes(key: number, below: number, count: number): ChangeRow[] {
    return this.#all('changes', key, below, count) as ChangeRow[];
  }

  /** Returns the first key in byte order that is not before a text. */
  keyFrom(namespace: string, text: string): { readonly value: string; readonly isPresent: boolean } | undefined {
    const row = this.#first('keyFrom', namespace, text) as
      | { readonly key: string; readonly present: number }
      | undefined;
    return row && { value: row.key, isPresent: row.present === 1 };
  }

  /** Returns the first owner in byte order that is not before a text. */
  ownerFrom(namespace: string, text: string): string | undefined {
    return (this.#first('ownerFrom', namespace, text) as { readonly owner: string } | undefined)?.owner;
  }

  /** Returns the first name of a caller in byte order that is not before a text. */
  callerFrom(text: string): string | undefined {
    return (this.#first('callerFrom', text) as { readonly name: string } | undefined)?.name;
  }

  /** Returns the first name of a function in byte order that is not before a text. */
  functionFrom(text: string): string | undefined {
    return (this.#first('functionFrom', text) as { readonly name: string } | undefined)?.name;
  }

  /** Returns the number of keys that exist. */
  keyCount(namespace: string): number {
    return (this.#first('keyCount', namespace) as { readonly keys: number } | undefined)?.keys ?? 0;
  }

  /** Returns the newest hours, the last one first. */
  hours(limit: number): { readonly hour: number; readonly transactions: number }[] {
    return this.#all('hours', limit) as { hour: number; transactions: number }[];
  }

  #all(name: keyof typeof STATEMENTS, ...values: readonly Value[]): unknown[] {
    return this.#statements[name].all(...values);
  }

  #first(name: keyof typeof STATEMENTS, ...values: readonly Value[]): unknown {
    return this.#statements[name].get(...values);
  }
}
