import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { verifyLedger } from '../../index.js';
import { codeOf, fillLedger, NAMES, openLedger, TemporaryDirectory } from '../../testing/temporary-ledger.js';
import { migrateStore } from './migrate-store.js';
import type { Migration } from './migration.js';
import { STORE_FORMAT } from '../schema.js';

const noProgress = { namespace: NAMES.chaincode, progress: () => undefined };

describe('the migrations of a store', () => {
  const directory = new TemporaryDirectory();
  const store = directory.file('channels', NAMES.channel, 'ledger.db');
  beforeAll(async () => {
    await fillLedger(directory.path, 20);
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
  /** A migration to the newest format that ends as the schema of that format. */
  const migration = (run: Migration['run'], addedBytes = 0): Migration => ({
    format: STORE_FORMAT + 1,
    addedBytes: () => addedBytes,
    run,
  });
  const expectUnchanged = async (migrate: Promise<void>, failure: unknown) => {
    const before = readFileSync(store);
    await expect(migrate).rejects.toEqual(failure);
    expect(format()).toEqual([{ user_version: STORE_FORMAT }]);
    expect(readFileSync(store).equals(before)).toBe(true);
    expect((await verifyLedger({ path: directory.path })).findings).toEqual([]);
  };

  it('leave the store as it was when one fails after it has written', async () => {
    const failing = migration((db) => {
      db.exec('DELETE FROM state; CREATE TABLE added (key TEXT) STRICT');
      return Promise.reject(new Error('a damaged record'));
    });
    await expectUnchanged(migrateStore(store, noProgress, [failing]), new Error('a damaged record'));
  });

  it('leave the store as it was when the tables afterwards are not those of a new store', async () => {
    const incomplete = migration((db) => {
      db.exec('CREATE TABLE added (key TEXT) STRICT');
      return Promise.resolve();
    });
    const failure: unknown = expect.objectContaining({
      message: expect.stringContaining('unknown table "added"') as string,
    });
    await expectUnchanged(migrateStore(store, noProgress, [incomplete]), failure);
  });

  it('leave the store as it was without enough free space', async () => {
    const large = migration(() => Promise.resolve(), 2 ** 50);
    const failure: unknown = expect.objectContaining({
      code: 'LEDGER.MISCONFIGURED',
      message: expect.stringContaining('MiB of free space') as string,
    });
    await expectUnchanged(migrateStore(store, noProgress, [large]), failure);
  });

  it('run in order, once, and only those of newer formats', async () => {
    const ran: number[] = [];
    const named = (number: number): Migration => ({
      ...migration(() => {
        ran.push(number);
        return Promise.resolve();
      }),
      format: number,
    });
    const migrations = [STORE_FORMAT, STORE_FORMAT + 1, STORE_FORMAT + 2].map(named);
    await migrateStore(store, noProgress, migrations);
    expect(ran).toEqual([STORE_FORMAT + 1, STORE_FORMAT + 2]);
    expect(format()).toEqual([{ user_version: STORE_FORMAT + 2 }]);
    expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
    expect(await codeOf(verifyLedger({ path: directory.path }))).toBe('LEDGER.MISCONFIGURED');
    edit(`PRAGMA user_version = ${STORE_FORMAT}`);
    expect((await verifyLedger({ path: directory.path })).findings).toEqual([]);
  });
});
