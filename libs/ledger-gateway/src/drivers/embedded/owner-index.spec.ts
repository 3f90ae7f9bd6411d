import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ledger, LedgerCall } from '../../ports/ledger.port.js';
import { until } from '../../../../../test/support/until.js';
import { backupLedger } from './maintenance/backup-ledger.js';
import { exportLedger } from './maintenance/export-ledger.js';
import { importLedger } from './maintenance/import-ledger.js';
import { rebuildLedger } from './maintenance/rebuild-ledger.js';
import { verifyLedger } from './maintenance/verify-ledger.js';
import { placeOf } from './store/owner-index.js';
import { createAsset, NAMES, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

const OWNERS = ['Ann', 'Bob', 'Jin Soo', 'Ö\u0000 🚀', '__proto__', 'x'.repeat(4096)];

describe('the index of owners', () => {
  let directory: TemporaryDirectory;
  let data: string;
  beforeEach(() => {
    directory = new TemporaryDirectory();
    data = directory.file('data');
  });
  afterEach(() => {
    directory.remove();
  });

  const index = (of = data) => join(of, 'channels', NAMES.channel, 'owners.db');
  /** The rows of the index, when it says that it is complete; undefined while it is not. */
  const rows = (of = data): string[] | undefined => {
    if (!existsSync(index(of))) return undefined;
    const db = new DatabaseSync(index(of), { readOnly: true, timeout: 10_000 });
    const [progress] = db.prepare('SELECT behind FROM progress').all();
    const all = db.prepare('SELECT place FROM places ORDER BY place').all();
    db.close();
    return progress?.['behind'] === null ? all.map(({ place }) => String(place)) : undefined;
  };
  const isComplete = (of = data) => rows(of) !== undefined;
  const withLedger = async <T>(work: (ledger: Ledger) => Promise<T>, of = data): Promise<T> => {
    const ledger = await openLedger(of);
    try {
      return await work(ledger);
    } finally {
      await ledger.close();
    }
  };
  const owned = async (ledger: Ledger, owner: string): Promise<string[]> => {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page = await ledger.channel().assets({ limit: 7, after, owner });
      ids.push(...page.items.map((text) => (JSON.parse(text) as { ID: string }).ID));
      after = page.next;
    } while (after !== undefined);
    return ids;
  };
  /** What the owners have by the whole list. */
  const truth = async (ledger: Ledger, owner: string): Promise<string[]> => {
    const all = await ledger.channel().evaluate({ function: 'GetAllAssets', arguments: [] });
    const assets = JSON.parse(Buffer.from(all).toString()) as { ID: string; owner: string }[];
    return assets.filter((it) => it.owner === owner).map(({ ID }) => ID);
  };
  const expectTruth = async (ledger: Ledger): Promise<void> => {
    for (const owner of OWNERS) expect(await owned(ledger, owner)).toEqual(await truth(ledger, owner));
  };
  const findings = async (of = data) => (await verifyLedger({ path: of })).findings;

  const call = (name: string, ...args: string[]): LedgerCall => ({ function: name, arguments: args });
  const seed = Date.now() % 100_000;
  let random = seed;
  const pick = (count: number): number => {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((random / 2 ** 31) * count);
  };
  /** Some random writes, many at once. */
  const scramble = async (ledger: Ledger, count: number): Promise<void> => {
    const writes = Array.from({ length: count }, () => {
      const [id, owner] = [`asset-${pick(60)}`, OWNERS[pick(OWNERS.length)]!];
      const kind = pick(4);
      if (kind === 0) return createAsset(id, owner);
      if (kind === 1) return call('DeleteAsset', id);
      return kind === 2 ? call('TransferAsset', id, owner) : call('UpdateAsset', id, 'red', '1', owner, '2');
    });
    await Promise.allSettled(writes.map((write) => ledger.channel().submit(write)));
  };

  it(`has what owners have, right behind each write, after each start (seed ${seed})`, async () => {
    for (let round = 0; round < 2; round++) {
      await withLedger(async (ledger) => {
        await scramble(ledger, 60);
        await expectTruth(ledger);
      });
      expect(await findings()).toEqual([]);
    }
    expect(rows()!.length).toBeGreaterThan(10);
  });

  it('is made beside an old store while it serves and is written to, and goes on where it was stopped', async () => {
    await withLedger(async (ledger) => {
      const ids = Array.from({ length: 600 }, (_, n) => `old-${n}`);
      await Promise.all(ids.map((id, n) => ledger.channel().submit(createAsset(id, OWNERS[n % OWNERS.length]))));
    });
    for (const suffix of ['', '-wal', '-shm']) rmSync(index() + suffix, { force: true });
    // Stopped on its way: the next start goes on.
    await withLedger((ledger) => scramble(ledger, 5));
    await withLedger(async (ledger) => {
      await Promise.all([scramble(ledger, 200), expectTruthOf(ledger, 'old')]);
      await expectTruth(ledger);
      await until(() => isComplete());
      await expectTruth(ledger);
    });
    expect(await findings()).toEqual([]);
  });

  async function expectTruthOf(ledger: Ledger, prefix: string): Promise<void> {
    for (const owner of OWNERS) {
      const found = (await owned(ledger, owner)).filter((id) => id.startsWith(prefix));
      expect(found).toEqual((await truth(ledger, owner)).filter((id) => id.startsWith(prefix)));
    }
  }

  it('catches up with what was written without it, and is made anew when another store stands there', async () => {
    await withLedger((ledger) => scramble(ledger, 80));
    const earlier = directory.file('earlier.db');
    cpSync(index(), earlier);
    await withLedger((ledger) => scramble(ledger, 80));
    cpSync(earlier, index());
    await withLedger(async (ledger) => {
      await until(() => isComplete());
      await expectTruth(ledger);
    });
    expect(await findings()).toEqual([]);

    const other = directory.file('other');
    await withLedger((ledger) => scramble(ledger, 30), other);
    cpSync(index(other), index());
    await withLedger(async (ledger) => {
      await expectTruth(ledger);
      await until(() => isComplete());
      await expectTruth(ledger);
    });
    expect(await findings()).toEqual([]);
  });

  it('never tells anything else when it is damaged, and neither harms the ledger nor stays as it is', async () => {
    await withLedger((ledger) => scramble(ledger, 120));
    const whole = readFileSync(index());
    // Of the rows: what becomes of a page's own list of its rows only verify can tell, as in the store itself.
    const texts = rows()!.map((row) => Buffer.from(row));
    for (let n = 0; n < 2; n++) {
      const bytes = Buffer.from(whole);
      const text = texts[pick(texts.length)]!;
      const at = bytes.indexOf(text);
      expect(at).toBeGreaterThan(0);
      bytes[at + text.length - 1 - pick(text.length)]! ^= 1 << pick(8);
      writeFileSync(index(), bytes);
      await withLedger(async (ledger) => {
        await expectTruth(ledger);
        await ledger.channel().submit(createAsset(`damaged-${n}`, 'Ann'));
        await expectTruth(ledger);
      });
    }
    for (const garbage of [Buffer.from('no database'), whole.subarray(0, whole.length / 2)]) {
      writeFileSync(index(), garbage);
      await withLedger(expectTruth);
    }
    rmSync(index());
    await withLedger(expectTruth);
    expect(await findings()).toEqual([]);
  });

  it('is done without where it cannot be made, which is told once, and made when it can', async () => {
    const told: string[] = [];
    const logger = {
      info: () => undefined,
      warn: () => undefined,
      error: (facts: object) => told.push((facts as { err: Error }).err.message),
    };
    await withLedger((ledger) => scramble(ledger, 20));
    rmSync(index());
    mkdirSync(index());
    const ledger = await openLedger(data, { logger });
    await scramble(ledger, 20);
    await expectTruth(ledger);
    await ledger.close();
    expect(told).toEqual([expect.stringMatching(/^There is no index of owners until a restart: /)]);
    rmSync(index(), { recursive: true });
    await withLedger(expectTruth);
    expect(await findings()).toEqual([]);
  });

  it('is found out by verify when it is not what follows from the blocks', async () => {
    await withLedger((ledger) => scramble(ledger, 120));
    for (const sql of [
      'DELETE FROM places WHERE place = (SELECT max(place) FROM places)',
      `INSERT INTO places VALUES ('${placeOf('Zoe', 'no such asset')}')`,
      `UPDATE places SET place = place || 'x' WHERE place = (SELECT min(place) FROM places)`,
    ]) {
      const copy = directory.file(`copy-${sql.length}`);
      cpSync(data, copy, { recursive: true });
      const db = new DatabaseSync(index(copy));
      db.exec(sql);
      db.close();
      expect(await findings(copy)).toMatchObject([{ check: 'DERIVED' }]);
    }
  });

  it('comes with what backup, import and rebuild make', async () => {
    await withLedger((ledger) => scramble(ledger, 120));
    const wanted = rows()!;
    await backupLedger({ dataDir: data, target: directory.file('backup') });
    exportLedger({ dataDir: data, target: directory.file('export') });
    await importLedger({ source: directory.file('export'), dataDir: directory.file('imported') });
    await rebuildLedger({ dataDir: data });
    for (const made of [directory.file('backup'), directory.file('imported'), data]) {
      expect(rows(made)).toEqual(wanted);
      expect(statSync(index(made)).mode & 0o777).toBe(0o600);
      expect(await findings(made)).toEqual([]);
    }
    // An imported ledger without keys is not written to, and has its index all the same.
    await withLedger(expectTruth, directory.file('imported'));
  });
});
