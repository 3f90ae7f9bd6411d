import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { EventReader } from '../../support/event-reader.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { LedgerProcess } from '../../support/ledger-process.js';

describe('LEDGER_READ_ONLY=on', () => {
  let api: LedgerApi;
  let transactionId: string;
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-read-only-'));
    const writing = await LedgerProcess.open(dataDir);
    [, , transactionId = ''] = (await writing.ask('create car-1', /^acked car-1 /)).split(' ');
    await writing.close();
    api = await LedgerApi.start({ LEDGER_READ_ONLY: 'on' }, dataDir);
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });

  const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

  it.each([
    ['POST', '/assets', { id: 'car-2', ...FIELDS }],
    ['PUT', '/assets/car-1', FIELDS],
    ['PUT', '/assets/car-1/transfer', { newOwner: 'Ann' }],
    ['POST', '/ledger/init', undefined],
    ['POST', '/contracts/basic/submit', { function: 'DeleteAsset', arguments: ['car-1'] }],
  ])('refuses %s %s', async (method, path, body) => {
    const options = { ...(body !== undefined && { body }), headers: { 'idempotency-key': 'one' } };
    const answer = await api.api(method, path, options);
    expect([answer.status, answer.headers['x-error-code']]).toEqual([503, 'LEDGER.WRITES_DISABLED']);
    expect(answer.headers).not.toHaveProperty('retry-after');
  });

  it.each([
    ['an asynchronous write', { prefer: 'respond-async', 'content-type': 'application/json' }],
    ['an upload', { 'content-type': 'application/x-ndjson' }],
  ])('refuses %s', async (_, headers) => {
    const answer = await api.api('POST', '/assets', { headers, body: JSON.stringify({ id: 'car-3', ...FIELDS }) });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([503, 'LEDGER.WRITES_DISABLED']);
    expect((await api.api('GET', '/assets/car-3')).status).toBe(404);
  });

  it.each([
    '/assets',
    '/assets/car-1',
    '/assets/car-1/history',
    '/transactions',
    '/blocks',
    '/ledger/totals',
    '/search?text=car',
  ])('answers GET %s', async (path) => {
    expect((await api.api('GET', path)).status).toBe(200);
  });

  it('continues receipts, events and evaluations, and is ready', async () => {
    expect((await api.api('GET', `/transactions/${transactionId}/receipt`)).status).toBe(200);
    const body = { function: 'ReadAsset', arguments: ['car-1'] };
    expect((await api.api('POST', '/contracts/basic/evaluate', { body })).status).toBe(200);
    expect((await fetch(`${api.origin}/readyz`)).status).toBe(200);
    const events = await EventReader.open(`${api.origin}/api/v1/events?from=1`);
    const [created] = await events.count(1);
    expect(created).toMatchObject({ event: 'asset.created', data: { transactionId } });
    await events.close();
  });

  it('streams what another process writes, and reports its height and metrics', async () => {
    const heightIn = async (): Promise<number> =>
      Number(/^ledger_height (\d+)$/m.exec(await (await fetch(`${api.origin}/metrics`)).text())?.[1]);
    const before = await heightIn();
    const writing = await LedgerProcess.open(api.dataDir);
    const events = await EventReader.open(`${api.origin}/api/v1/events`);
    const [, , transactionId] = (await writing.ask('create live-1', /^acked live-1 /)).split(' ');
    const [created] = await events.count(1);
    expect(created).toMatchObject({ event: 'asset.created', data: { transactionId } });
    await events.close();
    await writing.close();
    expect(await heightIn()).toBe(before + 1);
  });

  it('lets a program wait for a page although nothing else keeps it from exiting', async () => {
    const names = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP', dataDir: api.dataDir, readOnly: true };
    const library = pathToFileURL(resolve('dist/test/ledgers.js')).href;
    const script = `import { createEmbeddedLedger } from '${library}';
    const ledger = await createEmbeddedLedger(${JSON.stringify(names)});
    console.log((await ledger.assets({ limit: 10, prefix: 'car-1' })).items.length);`;
    const file = join(api.dataDir, 'read.mjs');
    await writeFile(file, script);
    expect(await promisify(execFile)(process.execPath, [file])).toMatchObject({ stdout: '1\n' });
  });
});
