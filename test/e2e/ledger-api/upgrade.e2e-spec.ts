import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { encodeBatch } from '#asset-contract';
import { createEmbeddedLedger, verifyLedger } from '#embedded-ledger';
import type { Ledger } from '#ledger-gateway';
import { LedgerApi } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { LedgerProcess } from '../../support/ledger-process.js';
import { Program } from '../../support/program.js';
import { mountSmallDisk, smallDiskWorks } from '../../support/small-disk.js';
import { convertToFormat2 } from '../../support/store-of-format-2.js';
import { until } from '../../support/until.js';

const RELEASE = 'test/fixtures/release-0.2';
const KEYS = JSON.parse(readFileSync(`${RELEASE}/keys.json`, 'utf8')) as Record<'alice' | 'bob' | 'carol', string>;
const RECEIPTS = readdirSync(`${RELEASE}/receipts`);
/** The transaction of alice's write with the key "key-alice-1". */
const FIRST_WRITE = 'f4d158e2a536d07ffb4b21180e5fc8daa02df57ad991bff04936e21b88813862';

const withSmallDisk = smallDiskWorks() ? it : it.skip;

let home: string;
let dataDir: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ledger-upgrade-'));
  dataDir = join(home, 'data');
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

const storeIn = (directory: string) => join(directory, 'channels', 'mychannel', 'ledger.db');
/** `PRAGMA user_version` in the header of a closed store. */
const formatOf = (directory: string) => readFileSync(storeIn(directory)).readUInt32BE(60);
const open = (directory: string): Promise<Ledger> =>
  createEmbeddedLedger({ dataDir: directory, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });

describe('a data directory of release 0.2', () => {
  beforeEach(() => {
    cpSync(`${RELEASE}/data`, dataDir, { recursive: true });
    const path = storeIn(dataDir);
    writeFileSync(path, gunzipSync(readFileSync(`${path}.gz`)));
    rmSync(`${path}.gz`);
    // Git stores no file modes but the executable bit.
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      if (/\.(pem|db|json|pin)$/.test(name)) chmodSync(join(dataDir, name), 0o600);
    }
  });

  it('is read by the tools as it is', async () => {
    const before = readFileSync(storeIn(dataDir));
    expect(await verifyLedger({ path: dataDir })).toMatchObject({ findings: [] });
    for (const command of [['verify'], ['export', join(home, 'export')], ['backup', join(home, 'backup')]]) {
      expect(await ledgerTool(dataDir, ...command)).toMatchObject({ code: 0 });
    }
    const main = 'apps/ledger-api/bundle/lib/ledger-api.js';
    const check = new Program({ main, args: ['--check', '--data-dir', dataDir], env: {} });
    expect(await check.ended).toMatchObject({ code: 0 });
    expect(check.stdout).toContain(`will upgrade ${storeIn(dataDir)} from format 2 to format 3: make a backup first.`);
    expect(readFileSync(storeIn(dataDir)).equals(before)).toBe(true);
    expect(formatOf(join(home, 'backup'))).toBe(2);
  });

  it('is upgraded by the command without a start', async () => {
    expect(await ledgerTool(dataDir, 'store', '--format', '3')).toMatchObject({ code: 0 });
    expect(formatOf(dataDir)).toBe(3);
    expect(await verifyLedger({ path: dataDir })).toMatchObject({ findings: [] });
  });

  it('is upgraded by the first start: callers, repeated writes, receipts and event ids stay valid', async () => {
    const { height } = await verifyLedger({ path: dataDir });
    const api = await LedgerApi.start({ LEDGER_AUTH: 'on' }, dataDir);
    const as = (caller: keyof typeof KEYS, headers: Record<string, string> = {}) => ({
      headers: { 'x-api-key': KEYS[caller], ...headers },
    });
    try {
      await until(async () => (await api.api('GET', '/assets', as('carol'))).status === 200);
      expect(await api.api('GET', '/assets', as('bob'))).toMatchObject({ status: 401 });

      const body = { id: 'old-1', color: 'blue', size: '1', owner: 'Owner 1', appraisedValue: '10' };
      const repeated = await api.api('POST', '/assets', { body, ...as('alice', { 'idempotency-key': 'key-alice-1' }) });
      expect(repeated.status).toBe(201);
      expect(repeated.headers).toMatchObject({ 'x-transaction-id': FIRST_WRITE, 'idempotency-replayed': 'true' });
      const forbidden = { body: { ...body, id: 'new' }, ...as('carol') };
      expect(await api.api('POST', '/assets', forbidden)).toMatchObject({ status: 403 });

      const owned = await api.api('GET', '/assets?owner=Zoe', as('carol'));
      expect(owned.text).toContain('"old-1"');
      for (const file of RECEIPTS) {
        const transactionId = file.replace('.json', '');
        expect(await api.api('GET', `/transactions/${transactionId}`, as('carol'))).toMatchObject({ status: 200 });
      }
      const events = await api.api('GET', '/events', as('carol', { 'last-event-id': '1:0:0' }));
      expect(events.status).toBe(200);
      expect(await api.api('POST', '/assets', { body: { ...body, id: 'later' }, ...as('alice') })).toMatchObject({
        status: 201,
      });
    } finally {
      await api.program.end();
    }
    for (const file of RECEIPTS) {
      const root = `Org1MSP=${join(dataDir, 'identities', 'ca.pem')}`;
      expect(
        await ledgerTool(dataDir, 'verify-receipt', join(RELEASE, 'receipts', file), '--root', root),
      ).toMatchObject({
        code: 0,
      });
    }
    expect(formatOf(dataDir)).toBe(3);
    expect(await verifyLedger({ path: dataDir })).toMatchObject({ height: height + 1, findings: [] });
  });
});

it('a store of release 0.1 is refused, and left as it is', async () => {
  await (await open(dataDir)).close();
  const store = new DatabaseSync(storeIn(dataDir));
  store.exec('PRAGMA user_version = 1');
  store.close();
  const before = readFileSync(storeIn(dataDir));
  const advice = 'start the ledger once with release 0.2, which upgrades it.';
  await expect(open(dataDir)).rejects.toMatchObject({
    code: 'LEDGER.MISCONFIGURED',
    message: expect.stringContaining(advice),
  });
  for (const command of [['verify'], ['export', join(home, 'export')], ['rebuild'], ['store', '--format', '3']]) {
    expect(await ledgerTool(dataDir, ...command)).toMatchObject({ code: 1, stderr: expect.stringContaining(advice) });
  }
  expect(await ledgerTool(dataDir, 'store', '--format', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('use release 0.2 to return to release 0.1'),
  });
  expect(readFileSync(storeIn(dataDir)).equals(before)).toBe(true);
});

describe('an interrupted upgrade', () => {
  const ids = Array.from({ length: 1000 }, (_, n) => `asset-${n}`);
  let prepared: string;
  beforeAll(async () => {
    prepared = mkdtempSync(join(tmpdir(), 'ledger-format-2-'));
    const ledger = await open(prepared);
    const calls = Array.from({ length: 10 }, (_, n) => {
      const batch = ids
        .slice(100 * n, 100 * (n + 1))
        .map((ID) => ({ ID, color: 'blue', size: '5', owner: 'Ann', appraisedValue: '3'.repeat(300) }));
      return ledger.submit({ function: 'CreateAssets', arguments: [encodeBatch(batch)] });
    });
    const record = (name: string, ...args: string[]) =>
      ledger.submit({ chaincode: 'records', function: name, arguments: args });
    await record('DefineType', 'login', '{"indexes":["user"],"mode":"mutable"}');
    await record('Create', 'login', 'first', '{"user":"ana"}');
    await record('Create', 'login', 'second', '{"user":"bob"}');
    await record('Delete', 'login', 'second', '');
    await Promise.all(calls);
    await ledger.close();
    convertToFormat2(storeIn(prepared));
    expect((await verifyLedger({ path: prepared })).findings).toEqual([]);
  });
  afterAll(() => {
    rmSync(prepared, { recursive: true });
  });

  const expectComplete = async (path: string) => {
    const ledger = await open(path);
    expect((await ledger.assets!({ owner: 'Ann', limit: ids.length })).items).toHaveLength(ids.length);
    await ledger.close();
    expect(formatOf(path)).toBe(3);
    // It compares the indexed fields of records, too, with those that follow from the blocks.
    expect((await verifyLedger({ path })).findings).toEqual([]);
    const store = new DatabaseSync(storeIn(path));
    expect(store.prepare('SELECT * FROM record_fields').all()).toEqual([
      { type: 'login', field: 'user', value: 'ana', id: 'first' },
    ]);
    store.close();
  };

  it('by kill -9 at any moment leaves a store of format 2 or of format 3, complete', async () => {
    for (let round = 0; round < 3; round++) {
      const copy = join(home, `round-${round}`);
      cpSync(prepared, copy, { recursive: true });
      const ledger = new LedgerProcess(copy);
      const log = `${storeIn(copy)}-wal`;
      // At another size of the log in each round.
      await until(
        () => (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > round * 200_000 || ledger.lines.length > 0,
      );
      await ledger.kill();
      await expectComplete(copy);
    }
  });

  withSmallDisk('by a full disk leaves the store as it was (needs root)', async () => {
    const disk = join(home, 'disk');
    mkdirSync(disk);
    const kibibytes = Math.ceil(readFileSync(storeIn(prepared)).length / 1024) + 1500;
    const unmount = mountSmallDisk(disk, `${kibibytes}k`);
    try {
      const copy = join(disk, 'data');
      cpSync(prepared, copy, { recursive: true });
      const before = readFileSync(storeIn(copy));
      const ledger = new LedgerProcess(copy);
      expect(await ledger.line(/^failed /)).toMatch(/^failed LEDGER\.MISCONFIGURED .*free space/);
      await ledger.ended;
      expect(readFileSync(storeIn(copy)).equals(before)).toBe(true);
      expect((await verifyLedger({ path: copy })).findings).toEqual([]);
    } finally {
      unmount();
    }
  });
});
