import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LedgerApi, type Answer, type CallOptions } from '../../support/ledger-api.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const LOGIN = {
  schema: {
    type: 'object',
    properties: { user: { type: 'string' }, ok: { type: 'boolean' } },
    required: ['user'],
    additionalProperties: false,
  },
  indexes: ['user'],
};

/** Returns the code of an error and its message. */
function refusal({ status, headers, json }: Answer): string {
  return `${status} ${String(headers['x-error-code'])} ${(json as { message: string }).message}`;
}

describe('records of ledger-api', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
    expect(await api.api('PUT', '/record-types/login', { body: LOGIN })).toMatchObject({ status: 200 });
    expect(await api.api('PUT', '/record-types/batch', { body: { mode: 'mutable' } })).toMatchObject({ status: 200 });
  });
  afterAll(async () => {
    expect(await api.stop()).toEqual({ code: 0, signal: null });
  });
  const create = (type: string, document: string, options: CallOptions & { readonly id?: string } = {}) => {
    const { id, headers, ...rest } = options;
    const query = id === undefined ? '' : `?id=${encodeURIComponent(id)}`;
    return api.api('POST', `/records/${type}${query}`, {
      body: document,
      headers: { ...JSON_TYPE, ...headers },
      ...rest,
    });
  };
  const put = (path: string, document: string, headers: Readonly<Record<string, string>> = {}) =>
    api.api('PUT', path, { body: document, headers: { ...JSON_TYPE, ...headers } });
  const dataOf = ({ json }: Answer) => (json as { data: Readonly<Record<string, unknown>> }).data;

  it('have types with versions', async () => {
    const defined = { name: 'login', version: 1, mode: 'append', payload: 'inside', ...LOGIN };
    expect(await api.api('GET', '/record-types/login')).toMatchObject({ status: 200, json: { data: defined } });
    const again = await api.api('PUT', '/record-types/login', { body: LOGIN });
    expect(again).toMatchObject({ status: 200, json: { data: { version: 1 } } });
    const page = await api.api('GET', '/record-types?limit=1');
    expect(dataOf(page)).toMatchObject({ types: [{ name: 'batch' }] });
    const { next } = dataOf(page);
    expect(page.headers['link']).toBe(`</api/v1/record-types?limit=1&after=${String(next)}>; rel="next"`);
    expect(dataOf(await api.api('GET', `/record-types?after=${String(next)}`))).toEqual({
      types: [defined],
      next: null,
    });
  });

  it('are created with an id of their own, or one of their transaction', async () => {
    const own = await create('login', '{"user": "ana", "ok": true}', { id: 'l/1' });
    expect(own).toMatchObject({
      status: 201,
      json: { data: { id: 'l/1', version: 1, document: { user: 'ana', ok: true } } },
    });
    const { transactionId } = dataOf(own);
    expect(own.headers['x-transaction-id']).toBe(transactionId);
    const headers = { 'idempotency-key': 'once' };
    const made = await create('login', '{"user":"bob"}', { headers });
    const { id } = dataOf(made);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const repeated = await create('login', '{"user":"bob"}', { headers });
    expect(repeated).toMatchObject({
      status: 201,
      headers: { 'idempotency-replayed': 'true' },
      json: { data: { id } },
    });
    expect(dataOf(await api.api('GET', `/records/login/${String(id)}`))).toEqual({
      id,
      version: 1,
      document: { user: 'bob' },
    });
    expect(await api.api('GET', `/transactions/${String(transactionId)}`)).toMatchObject({
      json: {
        data: {
          chaincodeId: 'records',
          function: 'Create',
          arguments: ['login', 'l/1', '{"user": "ana", "ok": true}'],
        },
      },
    });
  });

  it('are refused with the pointer of each fault, and a suggestion for a misspelt type', async () => {
    expect(refusal(await create('login', '{"user":1,"ok":2}'))).toBe(
      '400 LEDGER.RECORD_INVALID The document is refused: /ok must be boolean; /user must be string.',
    );
    expect(refusal(await create('login', '{"user":"a","user":"b"}'))).toBe(
      '400 LEDGER.RECORD_INVALID The document is refused: it has "user" twice.',
    );
    expect(refusal(await create('batch', '{"n":9007199254740993}'))).toBe(
      '400 LEDGER.RECORD_INVALID The document is refused: /n has a number that a double cannot represent; send it as a string.',
    );
    expect(refusal(await create('batch', '{'))).toBe(
      '400 LEDGER.RECORD_INVALID The document is refused: it must be JSON.',
    );
    expect(refusal(await create('logn', '{}'))).toBe(
      '404 LEDGER.RECORD_TYPE_UNKNOWN The record type logn is not defined. Did you mean "login"?',
    );
    expect(refusal(await api.api('GET', '/records/other'))).toBe(
      '404 LEDGER.RECORD_TYPE_UNKNOWN The record type other is not defined.',
    );
    expect(refusal(await create('login', '{"user":"a"}', { id: '..' }))).toBe(
      '400 LEDGER.INVALID_ARGUMENT Id must not be . or ..',
    );
    expect(refusal(await api.api('POST', '/records/login?id=', { body: '{}', headers: JSON_TYPE }))).toBe(
      '400 API.INVALID_REQUEST The query parameter id must be one id that is not empty.',
    );
    expect(refusal(await put('/record-types/a', '{"schema":{"pattern":"(?=a)"}}'))).toMatch(
      /^400 LEDGER.RECORD_TYPE_INVALID The schema is refused: \/pattern is not a pattern that takes linear time/,
    );
    expect(refusal(await put('/record-types/login', '{"mode":"mutable"}'))).toBe(
      '409 LEDGER.RECORD_TYPE_CONFLICT The mode of login is append and cannot change.',
    );
    expect(refusal(await create('login', '{"user":"ana"}', { id: 'l/1' }))).toBe(
      '409 LEDGER.RECORD_EXISTS The record l/1 of login already exists.',
    );
  });

  it('of a mutable type are changed and deleted with If-Match, and keep their history', async () => {
    await create('batch', '{"n":1}', { id: 'b1' });
    const first = await api.api('GET', '/records/batch/b1');
    const etag = String(first.headers.etag);
    expect(await api.api('GET', '/records/batch/b1', { headers: { 'if-none-match': etag } })).toMatchObject({
      status: 304,
    });
    expect(await put('/records/batch/b1', '{"n":2}', { 'if-match': etag })).toMatchObject({
      status: 200,
      json: { data: { id: 'b1', document: { n: 2 } } },
    });
    expect(refusal(await put('/records/batch/b1', '{"n":3}', { 'if-match': etag }))).toBe(
      '412 LEDGER.RECORD_CHANGED The record b1 of batch has changed since it was read. Nothing was written. Read the record again.',
    );
    expect(refusal(await put('/records/batch/b1', '{"n":3}', { 'if-match': '"foreign"' }))).toMatch(/^412 /);
    expect(await api.api('DELETE', '/records/batch/b1')).toMatchObject({ status: 200 });
    expect(refusal(await api.api('GET', '/records/batch/b1'))).toBe(
      '404 LEDGER.RECORD_NOT_FOUND The record b1 of batch does not exist.',
    );
    expect(refusal(await api.api('DELETE', '/records/batch/b1'))).toMatch(/^404 LEDGER.RECORD_NOT_FOUND/);
    const page = await api.api('GET', '/records/batch/b1/history?limit=2');
    const { changes, next } = dataOf(page);
    expect(changes).toMatchObject([
      { deleted: true, version: null, document: null },
      { deleted: false, version: 1, document: { n: 2 } },
    ]);
    expect(dataOf(await api.api('GET', `/records/batch/b1/history?after=${String(next)}`))).toMatchObject({
      changes: [{ document: { n: 1 } }],
      next: null,
    });
  });

  it('of an append type are neither changed nor deleted', async () => {
    await create('login', '{"user":"ana"}', { id: 'fixed' });
    const message = '400 LEDGER.RECORD_APPEND_ONLY Records of login cannot be changed or deleted: its mode is append.';
    expect(refusal(await put('/records/login/fixed', '{"user":"bob"}'))).toBe(message);
    expect(refusal(await api.api('DELETE', '/records/login/fixed'))).toBe(message);
  });

  it('are the same on a path with a channel, and do not mix with assets', async () => {
    const path = '/channels/mychannel/records/login/fixed';
    expect(dataOf(await api.api('GET', path))).toMatchObject({ id: 'fixed' });
    expect(await api.api('GET', '/assets')).toMatchObject({ status: 200, json: { data: [] } });
    expect(refusal(await api.api('GET', '/channels/no/records/login/fixed'))).toMatch(/^404 LEDGER.CHANNEL_UNKNOWN/);
  });
});
