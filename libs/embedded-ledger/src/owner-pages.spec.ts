import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger, LedgerCall } from '#ledger-gateway';
import { verifyLedger } from './maintenance/verify-ledger.js';
import { createAsset, NAMES, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

const OWNERS = ['Ann', 'Bob', 'Jin Soo', 'Ö\u0000 🚀', '"\\', '__proto__', 'x'.repeat(4096)];

describe('pages of the assets of an owner', () => {
  let directory: TemporaryDirectory;
  let data: string;
  beforeEach(() => {
    directory = new TemporaryDirectory();
    data = directory.file('data');
  });
  afterEach(() => {
    directory.remove();
  });

  const idsOf = (assets: readonly string[]) => assets.map((text) => (JSON.parse(text) as { ID: string }).ID);
  const owned = async (ledger: Ledger, owner: string): Promise<string[]> => {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await ledger.assets!({ limit: 7, after, owner });
      ids.push(...idsOf(page.items));
      after = page.next;
    } while (after !== undefined);
    return ids;
  };
  const expectComplete = async (ledger: Ledger): Promise<void> => {
    const all = await ledger.evaluate({ function: 'GetAllAssets', arguments: [] });
    const assets = JSON.parse(Buffer.from(all).toString()) as { ID: string; owner: string }[];
    for (const owner of OWNERS) {
      expect(await owned(ledger, owner)).toEqual(assets.filter((it) => it.owner === owner).map(({ ID }) => ID));
    }
  };
  const call = (name: string, ...args: string[]): LedgerCall => ({ function: name, arguments: args });
  let random = 1;
  const pick = (count: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((random / 2 ** 31) * count);
  };
  /** Some writes at the same time. */
  const scramble = async (ledger: Ledger, count: number): Promise<void> => {
    const writes = Array.from({ length: count }, () => {
      const [id, owner] = [`asset-${pick(60)}`, OWNERS[pick(OWNERS.length)]!];
      const kind = pick(4);
      if (kind === 0) return createAsset(id, owner);
      if (kind === 1) return call('DeleteAsset', id);
      return kind === 2 ? call('TransferAsset', id, owner) : call('UpdateAsset', id, 'red', '1', owner, '2');
    });
    await Promise.allSettled(writes.map((write) => ledger.submit(write)));
  };

  it('contain exactly the assets of the owner, directly after each write', async () => {
    const ledger = await openLedger(data);
    for (let round = 0; round < 4; round++) {
      await scramble(ledger, 60);
      await expectComplete(ledger);
    }
    await ledger.submit(createAsset('last', 'Ann'));
    expect(await owned(ledger, 'Ann')).toContain('last');
    expect(await owned(ledger, 'Nobody')).toEqual([]);
    await ledger.close();
    expect((await verifyLedger({ path: data })).findings).toEqual([]);
  });

  it('are read from the index, whose entries verify compares with the state', async () => {
    const ledger = await openLedger(data);
    await scramble(ledger, 100);
    await ledger.close();
    const file = join(data, 'channels', NAMES.channel, 'ledger.db');
    const db = new DatabaseSync(file);
    const page = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get('owners');
    db.close();
    expect(page).toBeDefined();

    // The entries of the index are removed without those of the table.
    const copy = directory.file('copy');
    cpSync(data, copy, { recursive: true });
    const damaged = new DatabaseSync(join(copy, 'channels', NAMES.channel, 'ledger.db'));
    damaged.enableDefensive(false);
    damaged.exec('PRAGMA writable_schema = ON');
    const definition = String(damaged.prepare("SELECT sql FROM sqlite_schema WHERE name = 'owners'").get()?.['sql']);
    damaged.exec('DROP INDEX owners');
    damaged.exec(definition.replace(/WHERE .*$/s, "WHERE qualified_key = 'none'"));
    damaged.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'owners'").run(definition);
    damaged.close();
    const { findings } = await verifyLedger({ path: copy });
    expect(findings[0]).toMatchObject({ where: 'the store', check: 'RECORD' });
  });
});
