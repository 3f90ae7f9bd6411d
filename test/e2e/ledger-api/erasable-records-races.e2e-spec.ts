import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { canariesIn, canary } from '../../support/canary.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { mountSmallDisk, smallDiskWorks } from '../../support/small-disk.js';

const withSmallDisk = smallDiskWorks() ? it : it.skip;

/** Returns what remains of canaries in the files of a directory. */
function canariesBelow(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(directory, name)).isFile());
  return canariesIn(Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), 'latin1')])));
}

describe('records outside the blocks', () => {
  let home: string;
  let api: LedgerApi;
  let unmount: (() => void) | undefined;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'erasable-'));
    unmount = undefined;
  });
  afterEach(async () => {
    await api.program.end();
    unmount?.();
    rmSync(home, { recursive: true, force: true });
  });

  const start = async (name = 'data'): Promise<void> => {
    api = await LedgerApi.start({}, join(home, name));
  };
  const define = async (): Promise<void> => {
    const body = { payload: 'outside', mode: 'mutable' };
    expect(await api.api('PUT', '/record-types/patient', { body })).toMatchObject({ status: 200 });
  };
  const create = (id: string, text: string): Promise<Answer> =>
    api.api('POST', `/records/patient?id=${id}`, { body: { text } });
  const update = (id: string, text: string): Promise<Answer> =>
    api.api('PUT', `/records/patient/${id}`, { body: { text } });
  const purge = (id: string, headers = {}): Promise<Answer> =>
    api.api('DELETE', `/records/patient/${id}?purge=true`, { headers });
  const get = (path: string): Promise<Answer> => api.api('GET', `/records/patient/${path}`);
  const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;
  const ids = Array.from({ length: 12 }, (_, index) => `p${index}`);
  /** Purges one more record, which also truncates the log with the documents of refused writes. */
  const flush = async (): Promise<void> => {
    await create('flush', 'x');
    expect(await purge('flush')).toMatchObject({ status: 200 });
  };

  it('are erased whichever update or purge races their purge', async () => {
    await start();
    await define();
    await Promise.all(ids.map((id) => create(id, canary(id))));
    const races = ids.map(async (id, index) => {
      const first = index % 2 === 0 ? purge(id) : undefined;
      const updated = statusOf(update(id, canary(`${id}-second`)));
      const purged = await Promise.all([first ?? purge(id), purge(id)]);
      return { purged: purged.map(({ status }) => status), updated: await updated };
    });
    for (const { purged, updated } of await Promise.all(races)) {
      expect(purged).toEqual([200, 200]);
      expect([200, 404]).toContain(updated);
    }
    for (const id of ids) {
      expect(await statusOf(get(id))).toBe(404);
      const { text } = await get(`${id}/history`);
      expect(text).not.toContain('"state":"stored"');
      expect(text).not.toContain('"state":"absent"');
    }
    await flush();
    expect(canariesBelow(api.dataDir)).toEqual([]);
  });

  it('are erased with the same answer for a repeated key, and their ids can be used again', async () => {
    await start();
    await define();
    await create('p', canary('p'));
    const copies = await Promise.all([1, 2, 3].map(() => purge('p', { 'idempotency-key': 'once' })));
    expect(copies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(copies.map(({ text }) => text)).size).toBe(1);
    expect(canariesBelow(api.dataDir)).toEqual([]);
    expect(await create('p', 'new')).toMatchObject({ status: 201 });
    // A repeat of the earlier erasure does not erase the new document.
    expect(await purge('p', { 'idempotency-key': 'once' })).toMatchObject({ status: 200 });
    expect(await get('p')).toMatchObject({ json: { data: { document: { text: 'new' } } } });
  });

  it('stay erased after a rebuild, and in backups made later', async () => {
    await start();
    await define();
    await create('erased', canary('erased'));
    await create('kept', 'kept');
    const backup = (name: string) => ledgerTool(join(home, 'data'), 'backup', join(home, name));
    expect(await backup('before')).toMatchObject({ code: 0 });
    expect(await purge('erased')).toMatchObject({ status: 200 });
    expect(await backup('after')).toMatchObject({ code: 0 });
    await api.program.end('SIGKILL');
    expect(await ledgerTool(join(home, 'data'), 'rebuild')).toMatchObject({ code: 0 });
    for (const name of ['data', 'before', 'after']) {
      const verified = await ledgerTool(join(home, name), 'verify');
      expect([name, verified.code]).toEqual([name, 0]);
      await start(name);
      const isErased = name !== 'before';
      expect([name, await statusOf(get('erased'))]).toEqual([name, isErased ? 404 : 200]);
      const { text } = await get('erased/history');
      expect([name, text.includes(isErased ? '"state":"erased"' : '"state":"stored"')]).toEqual([name, true]);
      expect(await get('kept')).toMatchObject({ json: { data: { document: { text: 'kept' } } } });
      if (name !== 'after') await api.program.end();
      expect([name, canariesBelow(join(home, name)).length > 0]).toEqual([name, !isErased]);
    }
  });

  it('are not reported as erased while a reader keeps them in the log', async () => {
    await start();
    await define();
    await create('p', canary('p'));
    const reader = new DatabaseSync(join(home, 'data', 'private', 'mychannel.db'), { readOnly: true });
    try {
      reader.exec('BEGIN; SELECT * FROM private_values');
      const refused = await purge('p', { 'idempotency-key': 'first' });
      expect(canariesBelow(api.dataDir)).not.toEqual([]);
      expect(refused).toMatchObject({ status: 503, headers: { 'x-error-code': 'LEDGER.ERASURE_INCOMPLETE' } });
      // Repeating the request with its key, or reading the transaction, would succeed although the values are not erased.
      expect(refused.headers).not.toHaveProperty('retry-after');
      expect(refused.headers).not.toHaveProperty('x-transaction-id');
      expect(await statusOf(get('p'))).toBe(404);
    } finally {
      reader.close();
    }
    expect(await purge('p')).toMatchObject({ status: 200 });
    expect(canariesBelow(api.dataDir)).toEqual([]);
  });

  withSmallDisk('of a full disk are refused, and nothing signed refers to them', async () => {
    const directory = join(home, 'data', 'private');
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    unmount = mountSmallDisk(directory, '2m');
    await start();
    await define();
    await create('erased', canary('erased'));
    const filler = join(directory, 'filler');
    writeFileSync(filler, Buffer.alloc(1_500_000));
    const stored: string[] = [];
    let refused: Answer | undefined;
    for (let count = 0; refused === undefined; count++) {
      const answer = await create(`full${count}`, 'x'.repeat(40_000));
      if (answer.status === 201) stored.push(`full${count}`);
      else refused = answer;
    }
    expect(refused.headers).toMatchObject({ 'x-error-code': 'LEDGER.UNAVAILABLE', 'retry-after': '1' });
    expect(api.program.stdout).toContain('the disk is full');
    // Documents inside the blocks are in another file.
    expect(await api.create('asset')).toMatchObject({ status: 201 });
    expect(await statusOf(get(`full${stored.length}`))).toBe(404);
    for (const id of stored) expect(await statusOf(get(id))).toBe(200);
    // What is answered as erased is erased, also now.
    const purged = await purge('erased');
    const left = canariesBelow(directory);
    expect([purged.headers['x-error-code'], left.length > 0]).toEqual(
      left.length > 0 ? ['LEDGER.ERASURE_INCOMPLETE', true] : [undefined, false],
    );
    rmSync(filler);
    expect(await create('again', 'again')).toMatchObject({ status: 201 });
    expect(await purge('erased')).toMatchObject({ status: 200 });
    expect(canariesBelow(join(home, 'data'))).toEqual([]);
    await api.program.end();
    await start();
    for (const id of stored) expect(await statusOf(get(id))).toBe(200);
    expect(await create('more', 'more')).toMatchObject({ status: 201 });
    await api.program.end();
    const { code, stdout } = await ledgerTool(join(home, 'data'), 'verify');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`private values: ${stored.length + 2} of`)]);
  });
});
