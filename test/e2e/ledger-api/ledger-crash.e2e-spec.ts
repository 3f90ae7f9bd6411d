import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedLedger, verifyLedger } from '#embedded-ledger';
import type { Ledger } from '#ledger-gateway';
import { LedgerProcess } from '../../support/ledger-process.js';

/** `npm run test:night` kills it 200 times. */
const ROUNDS = Number(process.env['LEDGER_KILLS'] ?? 5);
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
    const channel = ledger;
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

  it('has every acknowledged call of a chaincode exactly once, and keeps the sum of its accounts', async () => {
    const moved = new Map<string, number>();
    for (const count of [1, 30, 60]) {
      const ledger = await LedgerProcess.open(dataDir);
      await ledger.ask('sum', /^sum 500$/);
      ledger.send(`transfers ${WORKERS}`);
      await ledger.count(/^moved /, count);
      await ledger.kill();
      for (const [transactionId = '', block] of ledger.all('moved')) moved.set(transactionId, Number(block));
    }

    const ledger = await LedgerProcess.open(dataDir);
    await ledger.ask('sum', /^sum 500$/);
    await ledger.close();
    const report = await verifyLedger({ path: dataDir });
    expect([report.findings, report.checked.refused]).toEqual([[], 0]);
    const chain = await open();
    for (const [transactionId, block] of moved) {
      expect(await chain.transactionById(transactionId)).toMatchObject({ blockNumber: block, validationCode: 0 });
    }
    await chain.close();
  });

  it('leaves its lock to the next process, which a living one does not', async () => {
    const first = await LedgerProcess.open(dataDir);
    const second = new LedgerProcess(dataDir);
    const refusal = await second.line(/^failed /);
    await second.ended;
    expect(refusal).toBe(
      `failed LEDGER.MISCONFIGURED Another process (${first.process.pid}) uses the data directory ${dataDir}: stop it first, or name another data directory.`,
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
