import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createEmbeddedLedger, verifyLedger, type Ledger, type LedgerCall } from '#ledger-gateway';
import { LedgerProcess } from '../../support/ledger-process.js';
import { until } from '../../support/until.js';

const ROUNDS = 20;
const WORKERS = 16;

describe('a ledger that is killed', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'ledger-crash-'));
  });
  afterEach(() => {
    rmSync(dataDir, { recursive: true });
  });
  const open = (): Promise<Ledger> =>
    createEmbeddedLedger({ dataDir, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });

  it(`has lost nothing that it acknowledged, after ${ROUNDS} times kill -9 during a stream of writes`, async () => {
    const acknowledged = new Map<string, { readonly transactionId: string; readonly block: number }>();
    for (let round = 0; round < ROUNDS; round++) {
      const ledger = await LedgerProcess.open(dataDir);
      ledger.send(`stream round${round} ${WORKERS}`);
      // Another moment in each round: sometimes at the first acknowledgement, sometimes in full stream.
      await ledger.count(/^acked /, 1 + ((round * 37) % 120));
      await ledger.kill();
      expect(ledger.all('refused')).toEqual([]);
      for (const [id = '', transactionId = '', block] of ledger.all('acked')) {
        acknowledged.set(id, { transactionId, block: Number(block) });
      }
    }

    const ledger = await open();
    const channel = ledger.channel();
    const lost: string[] = [];
    for (const [id, { transactionId, block }] of acknowledged) {
      const asset = await channel.evaluate({ function: 'ReadAsset', arguments: [id] }).catch(() => undefined);
      const found = await channel.transactionById(transactionId);
      if (asset === undefined || found?.blockNumber !== block || found.validationCode !== 0) lost.push(id);
    }
    const { height } = await channel.chainInfo();
    await ledger.close();
    expect(lost).toEqual([]);
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS);
    expect(await verifyLedger({ path: dataDir })).toMatchObject({ height, findings: [] });
  });

  it('makes the index of owners of an old store to its end, after kill -9 on the way', async () => {
    const owners = ['Ann', 'Ben'];
    const ids = Array.from({ length: 3000 }, (_, n) => `old-${String(n).padStart(4, '0')}`);
    const create = (id: string, n: number): LedgerCall => ({
      function: 'CreateAsset',
      arguments: [id, 'blue', '5', owners[n % 2]!, '300'],
    });
    const old = await open();
    await Promise.all(ids.map((id, n) => old.channel().submit(create(id, n))));
    await old.close();
    const path = join(dataDir, 'channels', 'mychannel', 'owners.db');

    // Again, where the index was whole before it could be killed.
    await until(async () => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
      const ledger = new LedgerProcess(dataDir);
      await until(() => !['none', 'begun'].includes(progressOf(path)));
      await ledger.kill();
      return progressOf(path) === 'on its way';
    });

    const ledger = await open();
    await until(() => progressOf(path) === 'whole');
    for (const [n, owner] of owners.entries()) {
      const { items } = await ledger.channel().assets({ owner, limit: ids.length });
      expect(items.map((text) => (JSON.parse(text) as { ID: string }).ID)).toEqual(ids.filter((_, at) => at % 2 === n));
    }
    await ledger.close();
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
  });

  it('leaves its lock to the next process, which a living one does not', async () => {
    const first = await LedgerProcess.open(dataDir);
    const second = new LedgerProcess(dataDir);
    const refusal = await second.line(/^failed /);
    await second.ended;
    expect(refusal).toBe(
      `failed LEDGER.MISCONFIGURED Another process uses the data directory ${dataDir}: stop it first, or name another data directory.`,
    );
    expect(second.process.exitCode).toBe(1);
    // The one that came first has noticed nothing.
    await first.ask('create a', /^acked a /);
    await first.kill();

    const third = await LedgerProcess.open(dataDir);
    await third.ask('read a', /^value .*"a"/);
    await third.close();
  });
});

/** How far an index of owners is, as it says itself. */
function progressOf(path: string): 'none' | 'begun' | 'on its way' | 'whole' {
  if (!existsSync(path)) return 'none';
  const db = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    const { behind } = db.prepare('SELECT behind FROM progress').get() ?? {};
    if (behind === null) return 'whole';
    return behind === '' ? 'begun' : 'on its way';
  } catch {
    // Its tables are not there yet.
    return 'none';
  } finally {
    db.close();
  }
}

describe('a ledger with many writers', () => {
  it('lets exactly one of 200 concurrent creates of one id win', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'ledger-race-'));
    const ledger = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 200; n++) ledger.send('create same');
    await ledger.count(/^(acked|refused) /, 200);
    await ledger.close();
    expect(ledger.all('acked')).toHaveLength(1);
    expect(new Set(ledger.all('refused').map(([, code]) => code))).toEqual(new Set(['LEDGER.ASSET_EXISTS']));
    expect((await verifyLedger({ path: dataDir })).transactions).toBe(2);
    rmSync(dataDir, { recursive: true });
  });
});
