import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { BlockPosition } from '#chain-pages';
import type { HourCount, TimeRange, TransactionFilter } from '#ledger-gateway/driver';
import { millisecondsOf, type ReadingConnection } from '#chain-pages';
import { prepareRows, queryOf, type Query } from './store-reader.js';

/** A transaction as the index of calls records it. */
export interface IndexedCall {
  /** Common name of the certificate that signed it. */
  readonly creator: string;
  /** Empty if it is not a call of a chaincode. */
  readonly function: string;
  /** Milliseconds since 1970; NaN for no timestamp. */
  readonly timestamp: number;
}

const HOUR_MS = 3_600_000;
/** Numbers of callers in memory; a name can be a caller's choice, so that there may be millions. */
const CACHED_CALLERS = 1000;

/** Reads the counts that a {@link CallIndexWriter} continues from. */
export function readCallCounts(db: ReadingConnection): Readonly<Record<'callers' | 'transactions' | 'assets', number>> {
  const [newestCaller] = prepareRows(db, 'SELECT coalesce(max(id), 0) FROM callers').all() as unknown as [number][];
  const [newest] = prepareRows(db, NEWEST_TOTALS).all() as unknown as readonly [number, number][];
  const [transactions, assets] = newest ?? [0, 0];
  return { callers: newestCaller?.[0] ?? 0, transactions, assets };
}

/** Writes the index of calls: one row per block and caller. The caller opens and commits the transaction. */
export class CallIndexWriter {
  readonly #insertCaller: StatementSync;
  readonly #insertCalls: StatementSync;
  readonly #insertTotals: StatementSync;
  readonly #addHour: StatementSync;
  readonly #findCaller: StatementSync;
  /** Recently used numbers of callers, by creator and function. */
  readonly #callers = new Map<string, number>();
  #callerCount: number;
  #transactions: number;
  #assets: number;

  constructor(db: DatabaseSync) {
    this.#insertCaller = db.prepare('INSERT INTO callers VALUES (?, ?, ?)');
    this.#insertCalls = db.prepare('INSERT INTO calls VALUES (?, ?, ?)');
    this.#insertTotals = db.prepare('INSERT INTO totals VALUES (?, ?, ?, ?, ?)');
    this.#addHour = db.prepare(
      'INSERT INTO hours VALUES (?, ?) ON CONFLICT DO UPDATE SET transactions = transactions + excluded.transactions',
    );
    this.#findCaller = prepareRows(db, 'SELECT id FROM callers WHERE creator = ? AND function = ?');
    const { callers, transactions, assets } = readCallCounts(db);
    this.#callerCount = callers;
    this.#transactions = transactions;
    this.#assets = assets;
  }

  /**
   * Adds a block.
   * @param calls - its transactions by their positions
   * @param newAssets - the number of assets after the block minus that before it
   */
  add(number: number, calls: readonly IndexedCall[], newAssets: number): void {
    const positions = new Map<number, number[]>();
    const hours = new Map<number, number>();
    let [earliest, latest] = [Infinity, -Infinity];
    for (const [position, { creator, function: name, timestamp }] of calls.entries()) {
      const caller = this.#callerOf(creator, name);
      const known = positions.get(caller);
      if (known === undefined) positions.set(caller, [position]);
      else known.push(position);
      if (Number.isNaN(timestamp)) continue;
      earliest = Math.min(earliest, timestamp);
      latest = Math.max(latest, timestamp);
      const hour = Math.floor(timestamp / HOUR_MS);
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
    }
    for (const [caller, those] of positions) this.#insertCalls.run(caller, number, bitmapOf(those));
    for (const [hour, count] of hours) this.#addHour.run(hour, count);
    this.#transactions += calls.length;
    this.#assets += newAssets;
    const times = hours.size === 0 ? ([null, null] as const) : ([earliest, latest] as const);
    this.#insertTotals.run(number, ...times, this.#transactions, this.#assets);
  }

  #callerOf(creator: string, name: string): number {
    const key = JSON.stringify([creator, name]);
    const id = this.#callers.get(key) ?? this.#storedCaller(creator, name) ?? this.#addCaller(creator, name);
    if (this.#callers.size >= CACHED_CALLERS) this.#callers.clear();
    this.#callers.set(key, id);
    return id;
  }

  #storedCaller(creator: string, name: string): number | undefined {
    const [row] = this.#findCaller.all(creator, name) as unknown as [number][];
    return row?.[0];
  }

  #addCaller(creator: string, name: string): number {
    this.#insertCaller.run(creator, name, ++this.#callerCount);
    return this.#callerCount;
  }
}

const NEWEST_TOTALS = 'SELECT transactions, assets FROM totals ORDER BY block DESC LIMIT 1';

/** Sets a bit for each position, given in ascending order. */
function bitmapOf(positions: readonly number[]): Buffer {
  const bitmap = Buffer.alloc(((positions.at(-1) ?? 0) >> 3) + 1);
  for (const position of positions) bitmap[position >> 3] = (bitmap[position >> 3] ?? 0) | (1 << (position & 7));
  return bitmap;
}

/** Returns the positions of a bitmap's bits, the last one first. */
function positionsIn(bitmap: Buffer): number[] {
  const positions: number[] = [];
  for (let position = bitmap.length * 8 - 1; position >= 0; position--) {
    if (((bitmap[position >> 3] ?? 0) & (1 << (position & 7))) !== 0) positions.push(position);
  }
  return positions;
}

/** Rows of `calls` that are read at once, at most. */
const CALLS_AT_ONCE = 64;
/** Blocks whose times are compared in one step, and steps for one page. */
const BLOCKS_PER_STEP = 2000;
const STEPS_PER_PAGE = 100;
/** A place that states that nothing more is found. */
export const END: BlockPosition = { block: 0, positions: [] };

/**
 * Reads the index of calls. Its records have no digests: a page reads what they name from the blocks and compares it with
 * the filter, so that an altered record can only hide a transaction, which a verification finds.
 */
export class CallIndexReader {
  readonly #byCreator: Query;
  readonly #byFunction: Query;
  readonly #byBoth: Query;
  readonly #calls: Query;
  readonly #inTime: Query;
  readonly #firstInTime: Query;
  readonly #lastInTime: Query;
  readonly #timesOf: Query;
  readonly #newest: Query;
  readonly #hours: Query;
  readonly #creatorFrom: Query;
  readonly #functionFrom: Query;

  constructor(db: ReadingConnection) {
    const query = (sql: string): Query => queryOf(db, 'the index of calls', sql);
    this.#byCreator = query('SELECT id FROM callers WHERE creator = ?');
    this.#byFunction = query('SELECT id FROM callers WHERE function = ?');
    this.#byBoth = query('SELECT id FROM callers WHERE creator = ? AND function = ?');
    this.#calls = query(
      'SELECT block, hex(positions) FROM calls WHERE caller = ? AND block < ? ORDER BY block DESC LIMIT ?',
    );
    this.#inTime = query(
      'SELECT block FROM totals WHERE block >= ? AND block < ? AND latest >= ? AND earliest <= ? ORDER BY block DESC',
    );
    const matching = 'SELECT block FROM totals WHERE latest >= ? AND earliest <= ?';
    this.#firstInTime = query(`${matching} ORDER BY block LIMIT 1`);
    this.#lastInTime = query(`${matching} ORDER BY block DESC LIMIT 1`);
    this.#timesOf = query('SELECT earliest, latest FROM totals WHERE block = ?');
    this.#newest = query(NEWEST_TOTALS);
    this.#hours = query('SELECT hour, transactions FROM hours ORDER BY hour DESC LIMIT ?');
    this.#creatorFrom = query('SELECT creator FROM callers WHERE creator >= ? ORDER BY creator LIMIT 1');
    this.#functionFrom = query('SELECT function FROM callers WHERE function >= ? ORDER BY function LIMIT 1');
  }

  /** Yields the transactions of a creator, of a function or of both below a block, newest first. */
  *calls({ creator, function: name }: TransactionFilter, below: number): Generator<BlockPosition> {
    const cursors = this.#callersOf(creator, name).map((id) => this.#callsOf(id, below));
    let heads = cursors.flatMap((cursor) => nextOf(cursor));
    while (heads.length > 0) {
      const block = heads.reduce((newest, head) => Math.max(newest, head.block), 0);
      const here = heads.filter((head) => head.block === block);
      yield { block, positions: here.flatMap(({ positions }) => positions).sort((a, b) => b - a) };
      heads = [...heads.filter((head) => head.block !== block), ...here.flatMap(({ cursor }) => nextOf(cursor))];
    }
    yield END;
  }

  #callersOf(creator: string | undefined, name: string | undefined): readonly number[] {
    let rows;
    if (creator === undefined) rows = this.#byFunction(name ?? '');
    else rows = name === undefined ? this.#byCreator(creator) : this.#byBoth(creator, name);
    return rows.map(([id]) => id as number);
  }

  *#callsOf(caller: number, below: number): Generator<Required<BlockPosition>, void> {
    // Few of a page's transactions are by the same one of many callers.
    for (let [end, count] = [below, 1]; ; count = Math.min(4 * count, CALLS_AT_ONCE)) {
      const rows = this.#calls(caller, Math.min(end, Number.MAX_SAFE_INTEGER), count);
      for (const [block, bitmap] of rows as unknown as readonly [number, string][]) {
        yield { block, positions: positionsIn(Buffer.from(bitmap, 'hex')) };
        end = block;
      }
      if (rows.length < count) return;
    }
  }

  /** Returns the first and the last block that may contain a timestamp in a range; undefined if there is none. */
  blocksInTime(range: TimeRange): { readonly first: number; readonly last: number } | undefined {
    const times = millisecondsOf(range);
    const [[first], [last]] = [this.#firstInTime(...times)[0] ?? [], this.#lastInTime(...times)[0] ?? []];
    return first === undefined ? undefined : { first: first as number, last: last as number };
  }

  /** Yields the blocks from `first` on and below `below` that may contain a timestamp in a range, newest first. */
  *inTime(range: TimeRange, first: number, below: number): Generator<BlockPosition> {
    const times = millisecondsOf(range);
    let top = below;
    for (let step = 0; step < STEPS_PER_PAGE && top > first; step++) {
      const bottom = Math.max(first, top - BLOCKS_PER_STEP);
      for (const [block] of this.#inTime(bottom, top, ...times)) yield { block: block as number };
      yield { block: bottom, positions: [] };
      top = bottom;
    }
    if (top <= first) yield END;
  }

  /** Returns whether a block may contain a timestamp in a range. */
  mayBeInTime(block: number, range: TimeRange): boolean {
    const [since, until] = millisecondsOf(range);
    const [[earliest, latest] = []] = this.#timesOf(block) as readonly (readonly (number | null)[])[];
    return (latest ?? -Infinity) >= since && (earliest ?? Infinity) <= until;
  }

  /** Returns the number of assets and of transactions. */
  totals(): { readonly assets: number; readonly transactions: number } {
    const [[transactions, assets] = [0, 0]] = this.#newest() as unknown as readonly [number, number][];
    return { assets, transactions };
  }

  /** Returns the newest hours that have transactions, in order. */
  hours(limit: number): HourCount[] {
    const rows = this.#hours(limit) as unknown as readonly [number, number][];
    return rows
      .map(([hour, transactions]) => ({ hour: new Date(hour * HOUR_MS).toISOString(), transactions }))
      .toReversed();
  }

  /** Returns the first creator in byte order that is not before a text. */
  creatorFrom(text: string): string | undefined {
    return this.#creatorFrom(text)[0]?.[0] as string | undefined;
  }

  /** Returns the first function in byte order that is not before a text. */
  functionFrom(text: string): string | undefined {
    return this.#functionFrom(text)[0]?.[0] as string | undefined;
  }
}

/** A position in the calls of one caller. */
interface Head extends Required<BlockPosition> {
  readonly cursor: Iterator<Required<BlockPosition>, void>;
}

function nextOf(cursor: Head['cursor']): Head[] {
  const next = cursor.next();
  return next.done === true ? [] : [{ ...next.value, cursor }];
}
