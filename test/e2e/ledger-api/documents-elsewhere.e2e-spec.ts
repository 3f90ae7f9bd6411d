import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';

const PATIENT = {
  payload: 'outside',
  mode: 'mutable',
  schema: { type: 'object', properties: { name: { type: 'string' } } },
  indexes: ['name'],
};
const ABSENT = { document: null, outside: { state: 'absent', salt: null } };
const ERASED = { document: null, outside: { state: 'erased', salt: null } };

interface Listed {
  readonly records: readonly object[];
  readonly changes: readonly object[];
  readonly outside: { readonly digest: string; readonly salt: string };
}
const dataOf = ({ json }: Answer) => (json as { data: Listed }).data;

/** Files of a ledger with a changed record, one that was erased, and one more. */
let home: string;
let original: string;
let digest: string;
let lastBlock: number;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ledger-elsewhere-'));
  original = join(home, 'original');
  const api = await LedgerApi.start({}, original);
  await api.api('PUT', '/record-types/patient', { body: PATIENT });
  for (const id of ['p1', 'p2', 'p3']) await api.api('POST', `/records/patient?id=${id}`, { body: { name: id } });
  ({ digest } = dataOf(await api.api('GET', '/records/patient/p1')).outside);
  await api.api('PUT', '/records/patient/p1', { body: { name: 'changed' } });
  await api.api('DELETE', '/records/patient/p3?purge=true');
  lastBlock = ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data.height - 1;
  expect(await api.program.end()).toEqual({ code: 0, signal: null });
  expect(await ledgerTool(original, 'export', join(home, 'blocks'))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Private values are not exported'),
  });
});
afterAll(() => {
  rmSync(home, { recursive: true });
});

/** Imports the blocks, and returns the new data directory. */
async function imported(name: string, ...options: readonly string[]): Promise<string> {
  const directory = join(home, name);
  expect(await ledgerTool(directory, 'import', join(home, 'blocks'), ...options)).toMatchObject({ code: 0 });
  return directory;
}
const keys = () => ['--keys', join(original, 'identities')];

/** Runs calls of a ledger that is served from a directory. */
async function serving(directory: string, run: (api: LedgerApi) => Promise<void>): Promise<void> {
  const api = await LedgerApi.start({}, directory);
  try {
    await run(api);
  } finally {
    expect(await api.program.end()).toEqual({ code: 0, signal: null });
  }
}

describe('an imported ledger', () => {
  it('reads, lists and exports records without their documents, and knows which are erased', async () => {
    await serving(await imported('read', ...keys()), async (api) => {
      const get = (path: string, accept = 'application/json') => api.api('GET', path, { headers: { accept } });
      expect(dataOf(await get('/records/patient/p1'))).toMatchObject({ id: 'p1', version: 1, ...ABSENT });
      expect(dataOf(await get(`/records/patient/p1?at=${lastBlock - 2}`))).toMatchObject({
        ...ABSENT,
        outside: { digest },
      });
      expect(dataOf(await get('/records/patient')).records).toMatchObject([ABSENT, ABSENT]);
      const { text } = await get('/records/patient', 'text/csv');
      expect(text.split('\r\n').slice(0, 2)).toEqual([
        'id,version,outside.state,outside.digest,outside.salt,name',
        expect.stringMatching(/^p1,1,absent,[0-9a-f]{64},,$/),
      ]);
      expect((await get('/records/patient', 'application/x-ndjson')).text.split('\n')).toHaveLength(3);
      // No condition can be compared.
      const found = await get('/records/patient?where.name=p2&count=true');
      expect([found.headers['x-total-count'], dataOf(found).records]).toEqual(['0', []]);
      expect(dataOf(await get('/records/patient/p1/history')).changes).toMatchObject([ABSENT, ABSENT]);
      expect(dataOf(await get('/records/patient/p3/history')).changes).toMatchObject([{ deleted: true }, ERASED]);
    });
  });

  it('changes and purges such records, and verifies', async () => {
    const directory = await imported('written', ...keys());
    await serving(directory, async (api) => {
      const changed = await api.api('PUT', '/records/patient/p2', { body: { name: 'new' } });
      expect(changed).toMatchObject({ status: 200, json: { data: { outside: { state: 'stored' } } } });
      expect(dataOf(await api.api('GET', '/records/patient/p2/history')).changes).toMatchObject([
        { document: { name: 'new' }, outside: { state: 'stored' } },
        ABSENT,
      ]);
      expect(await api.api('DELETE', '/records/patient/p1?purge=true')).toMatchObject({ status: 200 });
      expect(dataOf(await api.api('GET', '/records/patient/p1/history')).changes).toMatchObject([
        { deleted: true },
        ERASED,
        ERASED,
      ]);
    });
    expect(await ledgerTool(directory, 'verify')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('private values: 1 of '),
    });
  });

  it('refuses a purge without keys, because it is read-only', async () => {
    await serving(await imported('read-only'), async (api) => {
      expect(dataOf(await api.api('GET', '/records/patient/p2'))).toMatchObject(ABSENT);
      expect(await api.api('DELETE', '/records/patient/p2?purge=true')).toMatchObject({
        status: 500,
        headers: { 'x-error-code': 'LEDGER.READ_ONLY' },
        json: { message: expect.stringContaining('read-only') },
      });
    });
  });

  it('has the documents when the directory of private values is copied too', async () => {
    const directory = await imported('moved', ...keys());
    cpSync(join(original, 'private'), join(directory, 'private'), { recursive: true });
    await serving(directory, async (api) => {
      expect(dataOf(await api.api('GET', '/records/patient/p1'))).toMatchObject({ document: { name: 'changed' } });
      expect(dataOf(await api.api('GET', '/records/patient/p3/history')).changes).toMatchObject([
        { deleted: true },
        ERASED,
      ]);
    });
  });
});

it('a backup has the documents with their salts', async () => {
  const directory = join(home, 'backup');
  expect(await ledgerTool(original, 'backup', directory)).toMatchObject({ code: 0 });
  await serving(directory, async (api) => {
    const { changes } = dataOf(await api.api('GET', '/records/patient/p1/history'));
    expect(changes).toMatchObject([
      { document: { name: 'changed' } },
      { document: { name: 'p1' }, outside: { digest, state: 'stored', salt: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    ]);
    expect(dataOf(await api.api('GET', '/records/patient?where.name=p2')).records).toHaveLength(1);
  });
});
