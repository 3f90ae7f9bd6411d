import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Ledger } from '#ledger-gateway';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';
import { Program, type Ended } from '../support/program.js';
import { until } from '../support/until.js';

const release = fabricRelease();
/** MIGRATED_ASSETS=100000 takes some minutes. */
const ASSETS = Number(process.env['MIGRATED_ASSETS'] ?? 10_000);
const LONG_MS = 3_600_000;
const TOOL = 'apps/ledger-api/bundle/lib/ledger-tool.js';
const PARTS = ['tool', 'peer-org1', 'tool', 'orderer', 'chaincode', 'peer-org2', 'tool'] as const;

if ('missing' in release) {
  describe(`the migration to a real network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)(`the migration of ${ASSETS} assets to a real network`, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'migrated-'));
  let network: FabricNetwork;
  let old: LedgerApi;
  let target: Ledger;
  let head: string;

  const run = (...args: string[]): Program =>
    new Program({ main: TOOL, args, env: { ...network.env, LEDGER_DATA_DIR: dataDir } });
  const migrate = (): Program => run('migrate', '--to', 'fabric-gateway');
  const output = async (program: Program): Promise<Ended & { stdout: string; stderr: string }> => {
    const ended = await program.ended;
    return { ...ended, stdout: program.stdout, stderr: program.stderr };
  };

  beforeAll(async () => {
    if ('missing' in release) return;
    const fill = ['test/bench/load/ledger-fill.mjs', dataDir, String(ASSETS)];
    [network] = await Promise.all([
      FabricNetwork.up(release.env, '--batch-timeout', '200ms'),
      promisify(execFile)(process.execPath, fill),
    ]);
    const { stdout } = await output(run('verify'));
    head = /head (\d+:[0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
    target = await FABRIC_DRIVERS[0]!.open(network);
    old = await LedgerApi.start({ LEDGER_READ_ONLY: 'on' }, dataDir);
  }, LONG_MS);
  afterAll(async () => {
    await target.close();
    await old.stop();
    await network.down();
  }, LONG_MS);

  /** Asks a few times a second. */
  const heightOf = async (): Promise<number> => {
    await delay(100);
    const info = await target.chainInfo().catch(() => undefined);
    return info?.height ?? 0;
  };

  it(
    'continues after kill -9 of every part, and ends with the same assets, while the old ledger can be read',
    async () => {
      const started = Date.now();
      for (const part of PARTS) {
        const height = await heightOf();
        const tool = migrate();
        let hasEnded = false;
        void tool.ended.then(() => (hasEnded = true));
        await until(async () => hasEnded || (await heightOf()) > height + 1, LONG_MS);
        if (part === 'tool') await tool.end('SIGKILL');
        else {
          await network.kill(part);
          await network.startStopped();
          // The same run continues when the part has started again.
          const reached = await heightOf();
          await until(async () => hasEnded || (await heightOf()) > reached, LONG_MS);
          await tool.end('SIGKILL');
        }
        expect((await old.api('GET', '/assets/fill-1')).status).toBe(200);
        expect((await old.create('new')).headers['x-error-code']).toBe('LEDGER.WRITES_DISABLED');
      }
      const { code, stdout, stderr } = await output(migrate());
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`From channel mychannel, head ${head}`);
      expect(stdout).toContain(`${ASSETS} assets compared\nNo difference.`);
      console.log(`${ASSETS} assets in ${Math.round((Date.now() - started) / 1000)} s:\n${stdout}`);
    },
    LONG_MS,
  );

  it(
    'records the origin in one transaction, the first; another run finds nothing to do',
    async () => {
      const { code, stdout } = await output(migrate());
      expect(code).toBe(0);
      expect(stdout).toContain(`\n0 assets created; ${ASSETS} assets compared\nNo difference.`);
      const id = /in transaction ([0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
      const recorded = await target.transactionById(id);
      const height = await heightOf();
      // Newest first.
      const names: string[] = [];
      for (let before = height; before > (recorded?.blockNumber ?? 0);) {
        const { items, next } = await target.lists.blocks({ limit: 100, before });
        names.push(...items.flatMap(({ transactions }) => transactions.map((each) => each.function)));
        before = next ?? 0;
      }
      expect(names.filter((name) => name === 'RecordOrigin')).toHaveLength(1);
      expect(names.lastIndexOf('CreateAssets')).toBeLessThan(names.indexOf('RecordOrigin'));
    },
    LONG_MS,
  );

  it(
    'leaves the old directory verifiable, and its receipts provable',
    async () => {
      expect(await output(run('verify', '--expect', head))).toMatchObject({ code: 0 });
      const { json } = await old.api('GET', '/assets/fill-7/history');
      const [{ transactionId } = { transactionId: '' }] = (json as { data: { transactionId: string }[] }).data;
      const files = { receipt: join(dataDir, 'receipt.json'), ca: join(dataDir, 'ca.pem') };
      writeFileSync(files.receipt, (await old.api('GET', `/transactions/${transactionId}/receipt`)).text);
      writeFileSync(files.ca, (await old.api('GET', '/identities/Org1MSP/ca')).text);
      const verified = await output(run('verify-receipt', files.receipt, '--root', `Org1MSP=${files.ca}`));
      expect(verified).toMatchObject({ code: 0, stderr: '' });
    },
    LONG_MS,
  );

  it(
    'refuses writes to the network too with LEDGER_READ_ONLY=on, as for the way back',
    async () => {
      const frozen = await LedgerApi.start({ ...network.env, LEDGER_READ_ONLY: 'on' });
      const refused = await frozen.create('new');
      expect([refused.status, refused.headers['x-error-code']]).toEqual([503, 'LEDGER.WRITES_DISABLED']);
      expect((await frozen.api('GET', '/assets/fill-1')).status).toBe(200);
      await frozen.stop();
    },
    LONG_MS,
  );

  it(
    'refuses a directory in use, and a network with other assets',
    async () => {
      await target.submit({ function: 'DeleteAsset', arguments: ['fill-1'] });
      await target.submit({ function: 'CreateAsset', arguments: ['fill-1', 'blue', '5', 'Eve', '300'] });
      const refused = await output(migrate());
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('"fill-1" is different. Nothing was written.');
      await old.program.end();
      const writing = await LedgerApi.start({}, dataDir);
      const inUse = await output(migrate());
      expect(inUse).toMatchObject({ code: 1, stdout: '' });
      expect(inUse.stderr).toContain('LEDGER_READ_ONLY=on');
      await writing.program.end();
    },
    LONG_MS,
  );
});
