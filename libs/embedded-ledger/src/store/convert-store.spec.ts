import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { convertLedger, verifyLedger } from '../embedded.js';
import { codeOf, createAsset, fillLedger, NAMES, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const ASSETS = 40;

describe('a store of another format', () => {
  const directory = new TemporaryDirectory();
  const store = directory.file('channels', NAMES.channel, 'ledger.db');
  beforeAll(async () => {
    await fillLedger(directory.path, ASSETS);
  });
  afterAll(() => {
    directory.remove();
  });

  const edit = (sql: string): unknown[] => {
    const db = new DatabaseSync(store);
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  };
  const format = () => edit('PRAGMA user_version');
  const findings = async () => (await verifyLedger({ path: directory.path })).findings;
  const convert = (to: 1 | 2) => convertLedger({ dataDir: directory.path, format: to });

  it('is converted back and forth, without losing later writes', async () => {
    const tables = ['state', 'callers', 'calls', 'totals', 'hours'];
    const before = tables.map((table) => edit(`SELECT * FROM ${table}`));
    const hashes = () => edit("SELECT tbl_name AS name FROM sqlite_schema WHERE name = 'block_hashes'");
    expect(hashes()).toEqual([{ name: 'blocks' }]);
    expect(await convert(1)).toMatchObject({ previousFormat: 2 });
    expect(format()).toEqual([{ user_version: 1 }]);
    expect(await findings()).toEqual([]);
    expect(hashes()).toEqual([]);
    expect(await convert(1)).toMatchObject({ previousFormat: 1 });
    expect(await convert(2)).toMatchObject({ previousFormat: 1 });
    expect(tables.map((table) => edit(`SELECT * FROM ${table}`))).toEqual(before);
    expect(hashes()).toHaveLength(1);
    expect(await findings()).toEqual([]);

    const ledger = await openLedger(directory.path);
    await ledger.submit(createAsset('later'));
    await ledger.close();
    await convert(1);
    expect(await findings()).toEqual([]);
    expect(edit("SELECT key FROM state WHERE key = 'later'")).toHaveLength(1);
  });

  it('is upgraded by a start, which logs the progress and removes the separate index of owners', async () => {
    writeFileSync(directory.file('channels', NAMES.channel, 'owners.db'), 'index');
    const logged: unknown[] = [];
    const info = (facts: object, text: string) => logged.push([text, facts]);
    const logger = { info, warn: info, error: info };
    const ledger = await openLedger(directory.path, { logger });
    expect((await ledger.assets({ limit: 100, owner: 'Ann' })).items).toHaveLength(1);
    expect((await ledger.transactions({ limit: 100, function: 'TransferAsset' })).items).toHaveLength(1);
    expect(await ledger.totals()).toMatchObject({ assets: ASSETS + 6, transactions: ASSETS + 5 });
    await ledger.close();
    expect(format()).toEqual([{ user_version: 2 }]);
    expect(existsSync(directory.file('channels', NAMES.channel, 'owners.db'))).toBe(false);
    const total = ASSETS + 6 + 1;
    expect(logged).toContainEqual([
      'upgrading the store',
      expect.objectContaining({ done: total, total, unit: 'keys' }),
    ]);
    expect(logged).toContainEqual(['upgrading the store', expect.objectContaining({ unit: 'blocks' })]);
    expect(await findings()).toEqual([]);
  });

  it('is refused as damaged, and left as it is, when a record is damaged', async () => {
    await convert(1);
    const whole = readFileSync(store);
    for (const damage of [
      "UPDATE state SET position = position + 1 WHERE key = 'asset-3'",
      'UPDATE history SET previous = 1 WHERE entry = 9',
      "DELETE FROM state WHERE key = 'asset-3'",
    ]) {
      edit(damage);
      const damaged = readFileSync(store);
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.DAMAGED');
      expect(format()).toEqual([{ user_version: 1 }]);
      expect(readFileSync(store).equals(damaged)).toBe(true);
      writeFileSync(store, whole);
    }
    await convert(2);
    expect(await findings()).toEqual([]);
  });

  it('is refused by name when it is newer', async () => {
    edit('PRAGMA user_version = 3');
    expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
    expect(await codeOf(verifyLedger({ path: directory.path }))).toBe('LEDGER.MISCONFIGURED');
    edit('PRAGMA user_version = 2');
  });
});
