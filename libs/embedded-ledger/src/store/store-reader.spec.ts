import { readFileSync, writeFileSync } from 'node:fs';
import { isLedgerError } from '#ledger-gateway';
import { fillLedger, NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { openForReading } from './open-store.js';
import type { ReadingConnection } from '#chain-pages';
import { NamespaceReader } from './namespace-reader.js';
import { StoreReader } from './store-reader.js';

/** Enough for a page of a range; the campaign below reads every answer once for each altered byte. */
const ASSETS = 16;

describe('StoreReader', () => {
  const directory = new TemporaryDirectory();
  const path = directory.file('channels', NAMES.channel, 'ledger.db');
  const copy = directory.file('copy.db');
  let whole: Buffer;
  let truth: string[];
  /** Ids of all transactions, and some that are none. */
  let transactions: string[] = [];
  /** How many blocks there are depends on how quickly the writes came. */
  let height: number;
  beforeAll(async () => {
    await fillLedger(directory.path, ASSETS);
    whole = readFileSync(path);
    const db = openForReading(path);
    height = new StoreReader(db).height();
    transactions = [
      ...db
        .prepare('SELECT id FROM transactions')
        .all()
        .map((row) => Buffer.from(row['id'] as Uint8Array).toString('hex')),
      ...Array.from({ length: 8 }, (_, n) => Buffer.alloc(32, n * 36).toString('hex')),
    ];
    db.close();
    truth = answers(path);
  });
  afterAll(() => {
    directory.remove();
  });

  const ids = ['asset1', 'asset2', 'asset6', ...Array.from({ length: ASSETS }, (_, n) => `asset-${n}`)];

  /** Every answer that the store can be asked for here; an error of the ledger is its code. */
  function answers(file: string): string[] {
    const attempt = (run: () => unknown): string => {
      try {
        return JSON.stringify(run(), (_, value: unknown) => value);
      } catch (error) {
        if (isLedgerError(error)) return error.code;
        throw error;
      }
    };
    let db: ReadingConnection | undefined;
    const opened = attempt(() => {
      db = openForReading(file);
      return 'open';
    });
    if (db === undefined) return [opened];
    const reader = new StoreReader(db);
    const state = new NamespaceReader(db, NAMES.chaincode);
    const found = [
      ...Array.from({ length: height + 1 }, (_, number) => attempt(() => reader.requireBlock(number).hash)),
      ...ids.map((id) => attempt(() => state.state(id))),
      attempt(() => state.range({ start: '', end: '', limit: 1000 })),
      attempt(() => state.range({ start: 'asset-1', end: 'asset-2', limit: 5 })),
      attempt(() => [...state.versions('asset1')]),
      ...transactions.map((id) => attempt(() => reader.place(id) ?? 'absent')),
    ];
    db.close();
    return found;
  }

  it('returns what was written', () => {
    expect(truth[height - 1]).toMatch(/^"[0-9a-f]{64}"$/);
    expect(truth[height]).toBe('LEDGER.DAMAGED');
    expect(JSON.parse(truth[height + 1] ?? '')).toMatchObject({ key: 'asset1' });
    expect(JSON.parse(truth[height + 2] ?? '')).toMatchObject({ key: 'asset2', value: null });
    const all = JSON.parse(truth.at(-3 - transactions.length) ?? '') as { key: string }[];
    expect(all.map(({ key }) => key)).toEqual(
      ids
        .filter((id) => id !== 'asset2')
        .concat('asset3', 'asset4', 'asset5')
        .sort(),
    );
    const page = JSON.parse(truth.at(-2 - transactions.length) ?? '') as { key: string }[];
    expect(truth.filter((answer) => answer === '"absent"')).toHaveLength(8);
    expect(page.map(({ key }) => key)).toEqual(['asset-1', 'asset-10', 'asset-11', 'asset-12', 'asset-13']);
  });

  it('returns the right value or an error, whichever byte of a record is altered', () => {
    const wrong: string[] = [];
    let damaged = 0;
    const records = recordBytes(whole);
    for (let n = 0; n < records.length; n += 173) {
      const at = records[n] ?? 0;
      const altered = Buffer.from(whole);
      altered[at] = (altered[at] ?? 0) ^ (1 + ((at * 73) % 255));
      writeFileSync(copy, altered);
      const found = answers(copy);
      const isError = (answer: string | undefined) => answer?.startsWith('LEDGER.') === true;
      if (found.some(isError)) damaged++;
      const lie = found.findIndex((answer, index) => answer !== truth[index] && !isError(answer));
      if (lie >= 0) wrong.push(`byte ${at}: ${truth[lie] ?? ''} became ${found[lie] ?? ''}`);
    }
    expect(wrong).toEqual([]);
    expect(damaged).toBeGreaterThan(100);
  });
});

/**
 * The positions of records in the file: after the lists of cells of the pages that hold rows, and on overflow pages. (Damage
 * to those lists can make rows vanish, which only `verify` finds: see docs/adr.)
 */
function recordBytes(file: Buffer): number[] {
  const offsets: number[] = [];
  for (let page = 4096; page < file.length; page += 4096) {
    const type = file[page];
    const isLeaf = type === 0x0d || type === 0x0a;
    const isInterior = type === 0x02 || type === 0x05;
    const start = isLeaf ? 8 + 2 * file.readUInt16BE(page + 3) : 4;
    if (!isInterior) for (let at = page + start; at < page + 4096; at++) offsets.push(at);
  }
  return offsets;
}
