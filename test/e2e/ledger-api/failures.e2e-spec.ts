import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { mountSmallDisk, smallDiskWorks } from '../../support/small-disk.js';
import { Strace, straceWorks } from '../../support/strace.js';

const withStrace = straceWorks() ? it : it.skip;
const withSmallDisk = smallDiskWorks() ? it : it.skip;
const text = expect.stringMatching(/\S/) as unknown;
const readOnly = { status: 500, headers: { 'x-error-code': 'LEDGER.READ_ONLY' } };

describe('a ledger that cannot write any more, seen over HTTP', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'ledger-api-failures-'));
  });
  afterEach(async () => rm(home, { recursive: true, force: true }));

  /** Reads continue, writes are refused without Retry-After, /readyz reports the reason, and the health check succeeds. */
  async function expectReadOnly(api: LedgerApi, known: string): Promise<void> {
    expect(await api.api('GET', `/assets/${known}`)).toMatchObject({ status: 200 });
    for (const [method, path] of [
      ['POST', '/assets'],
      ['PUT', `/assets/${known}`],
    ] as const) {
      const body = { appraisedValue: '1', color: 'c', owner: 'o', size: 's' };
      const refused = await api.api(method, path, { body });
      expect(refused).toMatchObject(readOnly);
      expect(refused.headers['retry-after']).toBeUndefined();
    }
    expect(await call(api.origin, 'GET', '/readyz')).toMatchObject({
      status: 503,
      json: { success: false, message: expect.stringMatching(/^The ledger is read-only: \S/) as unknown },
    });
    expect(await api.api('GET', '/health')).toMatchObject({ status: 200, json: { status: 'healthy' } });
  }

  withSmallDisk('a full disk (needs root)', async () => {
    const disk = join(home, 'disk');
    await mkdir(disk);
    const unmount = mountSmallDisk(disk, '3m');
    try {
      const api = await LedgerApi.start({}, join(disk, 'data'));
      const value = 'x'.repeat(4000);
      let [count, answer] = [0, await api.create('full-0', { owner: value })];
      expect(answer.status).toBe(201);
      while (answer.status === 201) answer = await api.create(`full-${++count}`, { owner: value });
      expect(answer).toMatchObject({ status: 500, json: { success: false, message: text } });
      await expectReadOnly(api, `full-${count - 1}`);
      expect(await api.program.end()).toEqual({ code: 0, signal: null });
    } finally {
      unmount();
    }
  });

  withStrace('an fsync that fails: the in-flight write names its transaction (needs root and strace)', async () => {
    const api = await LedgerApi.start({}, join(home, 'data'));
    await api.create('before');
    const log = join(home, 'strace.log');
    const strace = await Strace.attach(api.program.process.pid ?? 0, { log, inject: 'error=EIO' });
    const unknown = await api.create('during');
    await strace.detach();
    const transactionId = unknown.headers['x-transaction-id'] as string;
    expect(transactionId).toMatch(/^[0-9a-f]{64}$/);
    expect(unknown).toMatchObject({
      status: 500,
      json: { success: false, message: expect.stringContaining(transactionId) as unknown },
    });
    expect(unknown.headers['retry-after']).toBeUndefined();
    await expectReadOnly(api, 'before');
    await api.program.end();

    const again = await LedgerApi.start({}, join(home, 'data'));
    const known = await again.api('GET', `/transactions/${transactionId}`);
    expect([200, 404]).toContain(known.status);
    expect((await again.api('GET', '/assets/during')).status).toBe(known.status);
    expect((await again.create('after')).status).toBe(201);
    await again.program.end();
  });
});
