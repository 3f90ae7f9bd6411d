import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const CANARY = 'canary-5f1c8a';
const PATIENT = {
  payload: 'outside',
  mode: 'mutable',
  schema: { type: 'object', properties: { name: { type: 'string', maxLength: 50 } }, required: ['name'] },
  indexes: ['name'],
};

/** Returns the files below a directory that contain a text. */
function filesWith(directory: string, text: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

describe('records outside the blocks', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
    for (const [type, definition] of Object.entries({ patient: PATIENT, visit: { payload: 'outside' }, login: {} })) {
      expect(await api.api('PUT', `/record-types/${type}`, { body: definition })).toMatchObject({ status: 200 });
    }
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });
  const send = (
    method: string,
    path: string,
    body: object | string | undefined,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const text = typeof body === 'object' ? JSON.stringify(body) : body;
    return api.api(method, path, { ...(text !== undefined && { body: text }), headers: { ...JSON_TYPE, ...headers } });
  };
  const get = (path: string) => api.api('GET', path);
  const dataOf = ({ json }: Answer) => (json as { data: Readonly<Record<string, unknown>> }).data;

  it('are created, read, listed, filtered and changed as records inside', async () => {
    const created = await send('POST', '/records/patient?id=p1', { name: 'ana', age: 5 });
    expect(created).toMatchObject({
      status: 201,
      json: { data: { id: 'p1', version: 1, document: { name: 'ana', age: 5 }, outside: { state: 'stored' } } },
    });
    const { digest, salt } = dataOf(created)['outside'] as { digest: string; salt: string };
    const canonical = '{"age":5,"name":"ana"}';
    expect(createHash('sha256').update(Buffer.from(salt, 'hex')).update(canonical).digest('hex')).toBe(digest);
    const read = await get('/records/patient/p1');
    const { transactionId, ...record } = dataOf(created);
    expect(dataOf(read)).toEqual(record);
    const recorded = await get(`/transactions/${String(transactionId)}`);
    expect(recorded.text).toContain(digest);
    expect(recorded.text).not.toContain('ana');

    expect(await send('POST', '/records/patient', { age: 5 })).toMatchObject({
      status: 400,
      json: { message: expect.stringContaining("must have required property 'name'") },
    });
    expect(await send('POST', '/records/patient?id=p1', { name: 'bob' })).toMatchObject({ status: 409 });
    const etag = String(read.headers['etag']);
    expect(await send('PUT', '/records/patient/p1', { name: 'ann' }, { 'if-match': '"other"' })).toMatchObject({
      status: 412,
    });
    const updated = await send('PUT', '/records/patient/p1', { name: 'ann' }, { 'if-match': etag });
    expect(updated).toMatchObject({ status: 200, json: { data: { document: { name: 'ann' } } } });
    const lines = '{"name":"bob"}\n{"name":1}\n{"name":"ann"}\n';
    const upload = await send('POST', '/records/patient', lines, { 'content-type': 'application/x-ndjson' });
    expect(upload).toMatchObject({ status: 200, json: { data: { created: 2, refused: 1 } } });
    const names = (answer: Answer) =>
      (dataOf(answer)['records'] as { document: { name: string } }[]).map(({ document }) => document.name);
    expect(names(await get('/records/patient'))).toEqual(expect.arrayContaining(['ann', 'bob', 'ann']));
    expect(names(await get('/records/patient?where.name=ann'))).toEqual(['ann', 'ann']);
    const first = await get('/records/patient?where.name=ann&limit=1');
    expect(names(first)).toEqual(['ann']);
    expect(names(await get(`/records/patient?where.name=ann&limit=1&after=${String(dataOf(first)['next'])}`))).toEqual([
      'ann',
    ]);
    const history = await get('/records/patient/p1/history');
    expect(dataOf(history)['changes']).toMatchObject([
      { document: { name: 'ann' }, outside: { state: 'stored' } },
      { document: { name: 'ana', age: 5 }, outside: { digest } },
    ]);
  });

  it('return the same answer to a repeated key, also after a restart', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await send('POST', '/records/visit', { a: 1 }, headers);
    const same = (answer: Answer) => {
      expect(answer).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
      expect(dataOf(answer)).toEqual(dataOf(first));
    };
    same(await send('POST', '/records/visit', ' {"a":1.0}', headers));
    const copies = ['x', 'x', 'x'].map((b) => send('POST', '/records/visit', { b }, { 'idempotency-key': 'copies' }));
    const ids = (await Promise.all(copies)).map((copy) => dataOf(copy)['id']);
    expect(new Set(ids).size).toBe(1);
    expect(await api.program.end()).toEqual({ code: 0, signal: null });
    api = await LedgerApi.start({}, api.dataDir);
    same(await send('POST', '/records/visit', { a: 1 }, headers));
    expect(await send('POST', '/records/visit', { a: 2 }, headers)).toMatchObject({
      status: 422,
      headers: { 'x-error-code': 'LEDGER.KEY_REUSED' },
    });
  });

  it('leave no byte in the data directory after a purge', async () => {
    const path = '/records/patient/c1';
    await send('POST', '/records/patient?id=c1', { name: `${CANARY}-first` });
    await send('PUT', path, { name: `${CANARY}-second` });
    expect(filesWith(api.dataDir, CANARY)).not.toEqual([]);
    const purged = await api.api('DELETE', `${path}?purge=true`);
    expect(filesWith(api.dataDir, CANARY)).toEqual([]);
    expect(purged).toMatchObject({ status: 200, json: { message: 'Record erased.' } });
    expect(await get(path)).toMatchObject({ status: 404 });
    const gone = { document: null, outside: { state: 'erased', salt: null } };
    const history = await get(`${path}/history`);
    expect(dataOf(history)['changes']).toMatchObject([{ deleted: true }, gone, gone]);
  });

  it('leave no byte in the data directory when they are refused', async () => {
    const refused = { age: 5, note: `${CANARY}-refused` };
    expect(await send('POST', '/records/patient', refused)).toMatchObject({ status: 400 });
    const lines = `{"name":"cleo"}\n${JSON.stringify(refused)}\n`;
    const upload = await send('POST', '/records/patient', lines, { 'content-type': 'application/x-ndjson' });
    expect(upload).toMatchObject({ status: 200, json: { data: { created: 1, refused: 1 } } });
    expect(filesWith(api.dataDir, 'cleo')).not.toEqual([]);
    expect(filesWith(api.dataDir, CANARY)).toEqual([]);
  });

  it('of mode append are purged too, and those inside are not', async () => {
    await send('POST', '/records/visit?id=v1', { note: CANARY });
    await send('POST', '/records/login?id=l1', { user: 'ana' });
    expect(await api.api('DELETE', '/records/visit/v1')).toMatchObject({ status: 400 });
    expect(await api.api('DELETE', '/records/visit/v1?purge=1')).toMatchObject({ status: 400 });
    expect(await api.api('DELETE', '/records/visit/v1?purge=true')).toMatchObject({ status: 200 });
    expect(filesWith(api.dataDir, CANARY)).toEqual([]);
    expect(await api.api('DELETE', '/records/visit/none?purge=true')).toMatchObject({ status: 404 });
    expect(await api.api('DELETE', '/records/login/l1?purge=true')).toMatchObject({
      status: 409,
      headers: { 'x-error-code': 'LEDGER.RECORD_NOT_ERASABLE' },
      json: { message: expect.stringContaining('Use a type with the payload outside') },
    });
  });
});
