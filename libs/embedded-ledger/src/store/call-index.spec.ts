import { DatabaseSync } from 'node:sqlite';
import type { BlockPosition } from '#chain-pages';
import type { TransactionFilter } from '#ledger-gateway/driver';
import { CallIndexReader, CallIndexWriter, type IndexedCall } from './call-index.js';
import { createDerivedTables } from './schema.js';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-21T12:00:00.000Z');

const call = (creator: string, name: string, timestamp = START): IndexedCall => ({
  creator,
  function: name,
  timestamp,
});

/** All places, without those that only state progress. */
const placesOf = (places: Iterable<BlockPosition>) => [...places].filter(({ positions }) => positions?.length !== 0);

describe('the index of calls', () => {
  let db: DatabaseSync;
  beforeEach(() => {
    db = new DatabaseSync(':memory:');
    createDerivedTables(db);
  });
  afterEach(() => {
    db.close();
  });

  it('returns the transactions of a creator, a function or both, newest first', () => {
    const writer = new CallIndexWriter(db);
    writer.add(0, [call('', '')], 0);
    writer.add(1, [call('ana', 'Create'), call('ben', 'Create'), call('ana', 'Create')], 3);
    writer.add(2, [call('ana', 'Update'), ...Array.from({ length: 20 }, () => call('ben', 'Update'))], 0);
    // A writer that is opened later continues with the same numbers.
    new CallIndexWriter(db).add(3, [call('ana', 'Create'), call('cyd', 'Create')], 2);

    const reader = new CallIndexReader(db);
    const found = (filter: TransactionFilter, below = 4) => placesOf(reader.calls(filter, below));
    expect(found({ creator: 'ana' })).toEqual([
      { block: 3, positions: [0] },
      { block: 2, positions: [0] },
      { block: 1, positions: [2, 0] },
    ]);
    expect(found({ creator: 'ana' }, 3).map(({ block }) => block)).toEqual([2, 1]);
    expect(found({ function: 'Create' })).toEqual([
      { block: 3, positions: [1, 0] },
      { block: 1, positions: [2, 1, 0] },
    ]);
    expect(found({ creator: 'ben', function: 'Update' })).toEqual([
      { block: 2, positions: Array.from({ length: 20 }, (_, index) => 20 - index) },
    ]);
    expect(found({ creator: 'cyd', function: 'Update' })).toEqual([]);
    expect(found({ creator: 'Ana' })).toEqual([]);
    expect(reader.totals()).toEqual({ assets: 5, transactions: 27 });
  });

  it('returns the blocks that may contain a time, also when clocks went back', () => {
    const writer = new CallIndexWriter(db);
    const minutes = [[0], [10, 5], [NaN], [3], []];
    for (const [block, those] of minutes.entries()) {
      writer.add(
        block,
        those.map((minute) => call('ana', 'Create', START + minute * 60_000)),
        0,
      );
    }
    const reader = new CallIndexReader(db);
    const at = (minute: number) => new Date(START + minute * 60_000).toISOString();
    const found = (since?: number, until?: number) => {
      const range = { since: since === undefined ? since : at(since), until: until === undefined ? until : at(until) };
      const blocks = placesOf(reader.inTime(range, 0, 5)).map(({ block }) => block);
      expect(blocks).toEqual([4, 3, 2, 1, 0].filter((block) => reader.mayBeInTime(block, range)));
      const [last] = blocks;
      expect(reader.blocksInTime(range)).toEqual(last === undefined ? undefined : { first: blocks.at(-1), last });
      return blocks;
    };
    expect(found(4)).toEqual([1]);
    expect(found(undefined, 3)).toEqual([3, 0]);
    expect(found(6, 8)).toEqual([1]);
    expect(found(11)).toEqual([]);
    expect(found(0, 60)).toEqual([3, 1, 0]);
  });

  it('counts transactions by the hour of their timestamps', () => {
    const writer = new CallIndexWriter(db);
    for (let hour = 0; hour < 60; hour++) {
      writer.add(
        hour,
        [0, 1, -1].map((other) => call('ana', 'Create', START + (hour + other) * HOUR_MS)),
        1,
      );
    }
    const hours = new CallIndexReader(db).hours(48);
    expect(hours).toHaveLength(48);
    expect(hours.at(-1)).toEqual({ hour: new Date(START + 60 * HOUR_MS).toISOString(), transactions: 1 });
    expect(hours[0]).toEqual({ hour: new Date(START + 13 * HOUR_MS).toISOString(), transactions: 3 });
  });
});

describe('the index of calls of 100,000 transactions', () => {
  const TRANSACTIONS = 100_000;
  const CALLERS = 50;
  const db = new DatabaseSync(':memory:');
  let statements: string[] = [];
  let rows = 0;
  /** Counts the rows that are read. */
  const counted = {
    prepare: (sql: string) => {
      statements.push(sql);
      const statement = db.prepare(sql);
      statement.setReturnArrays(true);
      return {
        setReturnArrays: () => undefined,
        all: (...values: Parameters<typeof statement.all>) => {
          const found = statement.all(...values);
          rows += found.length;
          return found;
        },
      };
    },
  } as unknown as DatabaseSync;
  let reader: CallIndexReader;
  beforeAll(() => {
    createDerivedTables(db);
    const writer = new CallIndexWriter(db);
    db.exec('BEGIN');
    for (let block = 0; block < TRANSACTIONS; block++) {
      const creator = block % 25_000 === 7 ? 'rare' : `caller-${block % CALLERS}`;
      writer.add(block, [call(creator, creator === 'rare' ? 'Delete' : 'Create', START + block * 1000)], 1);
    }
    db.exec('COMMIT');
  });
  beforeEach(() => {
    [statements, rows] = [[], 0];
    reader = new CallIndexReader(counted);
  });
  afterAll(() => {
    db.close();
  });

  /** Reads as many places as a page contains. */
  const pageOf = (places: Iterable<BlockPosition>, limit = 100) => {
    const page: BlockPosition[] = [];
    for (const place of places) {
      if (place.positions?.length !== 0) page.push(place);
      if (page.length === limit) break;
    }
    return page;
  };

  it('reads no more than the matching rows when little or nothing matches', () => {
    expect(pageOf(reader.calls({ creator: 'rare' }, TRANSACTIONS))).toHaveLength(4);
    expect(rows).toBeLessThanOrEqual(10);
    rows = 0;
    expect(pageOf(reader.calls({ creator: 'nobody' }, TRANSACTIONS))).toEqual([]);
    expect(pageOf(reader.calls({ creator: 'rare', function: 'Create' }, TRANSACTIONS))).toEqual([]);
    expect(pageOf(reader.calls({ function: 'Other' }, TRANSACTIONS))).toEqual([]);
    expect(rows).toBe(0);
    expect(pageOf(reader.calls({ function: 'Delete' }, TRANSACTIONS))).toHaveLength(4);
    expect(rows).toBeLessThanOrEqual(10);
  });

  it('reads a few rows of each creator for a page of a function that all have called', () => {
    const page = pageOf(reader.calls({ function: 'Create' }, TRANSACTIONS));
    expect(page.map(({ block }) => block)).toEqual(Array.from({ length: 100 }, (_, n) => TRANSACTIONS - 1 - n));
    expect(rows).toBeLessThanOrEqual(CALLERS * 7);
  });

  it('reads a page of a time from the middle of the chain, and totals, without reading all', () => {
    const since = new Date(START + 40_000 * 1000).toISOString();
    const until = new Date(START + 40_050 * 1000).toISOString();
    expect(pageOf(reader.inTime({ since, until }, 0, TRANSACTIONS))).toHaveLength(51);
    expect(rows).toBe(51);
    expect(reader.blocksInTime({ since, until })).toEqual({ first: 40_000, last: 40_050 });
    rows = 0;
    expect(reader.totals()).toEqual({ assets: TRANSACTIONS, transactions: TRANSACTIONS });
    expect(reader.hours(48)).toHaveLength(28);
    expect([reader.creatorFrom('rar'), reader.functionFrom('D')]).toEqual(['rare', 'Delete']);
    expect(rows).toBe(31);
  });

  it('finds every row by a search in an index, without sorting', () => {
    expect([reader.totals(), reader.hours(1), reader.creatorFrom(''), reader.functionFrom('')]).toHaveLength(4);
    expect(reader.mayBeInTime(1, {})).toBe(true);
    expect(pageOf(reader.inTime({}, 0, 10))).toHaveLength(10);
    for (const filter of [{ creator: 'rare' }, { function: 'Create' }, { creator: 'rare', function: 'Delete' }]) {
      pageOf(reader.calls(filter, TRANSACTIONS));
    }
    expect(statements).toHaveLength(10);
    for (const sql of statements) {
      const steps = db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
      const isLimited = /ORDER BY (block|hour) DESC LIMIT/.test(sql);
      expect(steps).toEqual([expect.stringMatching(isLimited ? /^(SEARCH|SCAN) / : /^SEARCH /)]);
    }
  });
});
