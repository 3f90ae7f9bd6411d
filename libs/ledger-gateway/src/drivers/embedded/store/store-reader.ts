import { zstdDecompressSync } from 'node:zlib';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { DamagedError, LedgerError } from '../../../errors/ledger.errors.js';
import { isSameDigest, recordDigest, type RecordKind } from './record-digest.js';
import { storeFailure } from './store-failure.js';

/** A block as it is stored. */
export interface StoredBlock {
  readonly number: number;
  /** Hexadecimal hash of the header. */
  readonly hash: string;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

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

type Row = readonly unknown[];

const SQL = {
  height: 'SELECT number + 1 FROM blocks ORDER BY number DESC LIMIT 1',
  block: 'SELECT number, hash, dictionary, packed, digest FROM blocks WHERE number = ?',
  dictionary: 'SELECT content, digest FROM dictionaries WHERE id = ?',
  // With the key, or the one behind where it would stand.
  state: 'SELECT key, value, block, position, entry, digest FROM state WHERE key >= ? ORDER BY key LIMIT 1',
  before: 'SELECT key, value, block, position, entry, digest FROM state WHERE key < ? ORDER BY key DESC LIMIT 1',
  from: 'SELECT key, value, block, position, entry, digest FROM state WHERE key >= ? ORDER BY key LIMIT ?',
  transaction: 'SELECT block, position, digest FROM transactions WHERE id = ?',
  lastEntry: 'SELECT entry FROM history ORDER BY entry DESC LIMIT 1',
  entry: 'SELECT previous, block, position, digest FROM history WHERE entry = ?',
} as const;

/** Reads the store through prepared statements and checks the digest of every record before it is believed. */
export class StoreReader {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<keyof typeof SQL, StatementSync>();
  readonly #dictionaries = new Map<number, Uint8Array>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Number of blocks. */
  height(): number {
    const row = this.#get('height', 'the blocks');
    return row === undefined ? 0 : (row[0] as number);
  }

  block(number: number): StoredBlock | undefined {
    const row = this.#get('block', `block ${number}`, number);
    if (row === undefined) return undefined;
    const [, hash, dictionary, packed] = row as [number, Uint8Array, number, Uint8Array];
    this.#check('block', `block ${number}`, row[4], [number, dictionary], [hash, packed]);
    return { number, hash: Buffer.from(hash).toString('hex'), bytes: this.#unpack(number, packed, dictionary) };
  }

  /** The newest row of a key, or undefined when it was never written. */
  state(key: string): StoredState | undefined {
    const row = this.#get('state', `the state of ${JSON.stringify(key)}`, key);
    const found = row && this.#checkState(row);
    if (found?.key === key) return found;
    // The row behind is checked already.
    this.#checkBefore(key);
    return undefined;
  }

  /**
   * A key that is not found may be one whose stored text was altered: its row still stands beside where it belongs, and
   * its digest tells.
   */
  #checkBefore(key: string): void {
    const before = this.#get('before', 'the state', key);
    if (before !== undefined) this.#checkState(before);
  }

  /** Present keys from `start` on, below `end` (empty: no end), in byte order. */
  range(start: string, end: string, limit: number): StoredState[] {
    this.#checkBefore(start);
    const found: StoredState[] = [];
    for (let from = start; found.length < limit;) {
      // Bounds and deleted keys are judged here, on checked rows: SQL would pass over a row whose altered key or value
      // no longer meets its condition.
      const rows = this.#all('from', 'the state', from, limit).map((row) => this.#checkState(row));
      const inside = end === '' ? rows : rows.filter(({ key }) => isBelow(key, end));
      found.push(...inside.filter(({ value }) => value !== null).slice(0, limit - found.length));
      const last = rows.at(-1);
      if (last === undefined || rows.length < limit || inside.length < rows.length) break;
      // The smallest key above another is that key with a NUL behind it.
      from = `${last.key}\u0000`;
    }
    return found;
  }

  transaction(id: Uint8Array): StoredVersion | undefined {
    const name = 'the index of transactions';
    const row = this.#get('transaction', name, id);
    if (row === undefined) return undefined;
    const [block, position, digest] = row as [number, number, unknown];
    this.#check('transaction', name, digest, [block, position], [id]);
    return { block, position };
  }

  /** Number of the newest entry of all histories; 0 when there is none. */
  lastEntry(): number {
    return (this.#get('lastEntry', 'the histories')?.[0] as number | undefined) ?? 0;
  }

  /** All versions of a key, newest first. */
  *history(key: string): Generator<StoredVersion & { readonly entry: number }> {
    for (let entry = this.state(key)?.entry ?? 0; entry !== 0;) {
      const name = `entry ${entry} of the history of ${JSON.stringify(key)}`;
      const row = this.#get('entry', name, entry);
      if (row === undefined) throw new DamagedError(`${name} is missing: ${REPAIR}`);
      const [previous, block, position, digest] = row as [number, number, number, unknown];
      this.#check('history', name, digest, [entry, previous, block, position], [key]);
      yield { entry, block, position };
      entry = previous;
    }
  }

  #checkState(row: Row): StoredState {
    const [key, value, block, position, entry, digest] = row as [
      string,
      Uint8Array | null,
      number,
      number,
      number,
      unknown,
    ];
    this.#check('state', `the state of ${JSON.stringify(key)}`, digest, [block, position, entry], [key, value]);
    return { key, value, block, position, entry };
  }

  #unpack(number: number, packed: Uint8Array, dictionary: number): Uint8Array {
    try {
      return zstdDecompressSync(packed, dictionary === 0 ? {} : { dictionary: this.#dictionary(dictionary) });
    } catch (cause) {
      if (cause instanceof DamagedError) throw cause;
      throw new DamagedError(`block ${number} cannot be unpacked: ${REPAIR}`, { cause });
    }
  }

  #dictionary(id: number): Uint8Array {
    const known = this.#dictionaries.get(id);
    if (known !== undefined) return known;
    const name = `dictionary ${id}`;
    const row = this.#get('dictionary', name, id);
    if (row === undefined) throw new DamagedError(`${name} is missing: ${REPAIR}`);
    const [content, digest] = row as [Uint8Array, unknown];
    this.#check('dictionary', name, digest, [id], [content]);
    this.#dictionaries.set(id, content);
    return content;
  }

  #check(
    kind: RecordKind,
    name: string,
    digest: unknown,
    numbers: readonly number[],
    texts: readonly (string | Uint8Array | null)[],
  ): void {
    if (!matches(digest, () => recordDigest(kind, numbers, texts))) {
      throw new DamagedError(`${name} is not what was written: ${REPAIR}`);
    }
  }

  #get(name: keyof typeof SQL, what: string, ...values: readonly SQLInputValue[]): Row | undefined {
    try {
      return this.#statement(name).get(...values) as unknown as Row | undefined;
    } catch (error) {
      throw readFailure(error, what);
    }
  }

  #all(name: keyof typeof SQL, what: string, ...values: readonly SQLInputValue[]): Row[] {
    try {
      return this.#statement(name).all(...values) as unknown as Row[];
    } catch (error) {
      throw readFailure(error, what);
    }
  }

  #statement(name: keyof typeof SQL): StatementSync {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = this.#db.prepare(SQL[name]);
      statement.setReturnArrays(true);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}

const REPAIR =
  'run "npm run ledger -- verify", then restore a backup, or rebuild when only what follows from the blocks is damaged.';

/** Values of a kind that was never written there have no digest. */
function matches(digest: unknown, expected: () => Uint8Array): boolean {
  try {
    return digest instanceof Uint8Array && isSameDigest(digest, expected());
  } catch {
    return false;
  }
}

/** An error that is not SQLite's own is about a number that JavaScript cannot hold: none such was ever written. */
function readFailure(error: unknown, what: string): Error {
  const failure = storeFailure(error, what);
  if (failure instanceof LedgerError) return failure;
  return new DamagedError(`${what} holds a value that was never written: ${REPAIR}`, { cause: error });
}

/**
 * A block below the height of the chain.
 * @throws {@link DamagedError} when it is not there
 */
export function requireBlock(reader: StoreReader, number: number): StoredBlock {
  const block = reader.block(number);
  if (block === undefined) throw new DamagedError(`Block ${number} is missing: restore a backup.`);
  return block;
}

/** In the order of the keys, that of the bytes of their UTF-8. */
function isBelow(key: string, end: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(end)) < 0;
}
