import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, LedgerApi, type Answer, type CallOptions } from '../../support/ledger-api.js';
import { addCaller } from '../../support/ledger-callers.js';

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

  const upload = (type: string, body: string, query = '', headers: Readonly<Record<string, string>> = {}) =>
    api.api('POST', `/records/${type}${query}`, {
      body,
      headers: { 'content-type': 'application/x-ndjson', ...headers },
    });

  describe('with indexed fields', () => {
    const found = async (path: string): Promise<readonly string[]> => {
      const answer = await api.api('GET', path);
      expect(answer.status).toBe(200);
      return (dataOf(answer)['records'] as readonly { id: string }[]).map(({ id }) => id);
    };
    beforeAll(async () => {
      const type = { mode: 'mutable', indexes: ['user', 'from.city', 'tags'] };
      expect(await api.api('PUT', '/record-types/visit', { body: type })).toMatchObject({ status: 200 });
      const lines = Array.from({ length: 30 }, (_, n) => {
        const visit = { user: n % 2 ? 'ana' : 'bob', from: { city: `city ${n % 3}` }, tags: [n, n % 5], n };
        return `${JSON.stringify({ no: `v${String(n).padStart(2, '0')}`, ...visit })}\n`;
      });
      const uploaded = await upload('visit', lines.join(''), '?key=no');
      expect(uploaded).toMatchObject({ status: 200, json: { data: { lines: 30, created: 30, refused: 0 } } });
    });

    it('are found by them, in pages that the Link names', async () => {
      const all = await found('/records/visit?where.user=ana');
      expect(all).toEqual(Array.from({ length: 15 }, (_, n) => `v${String(2 * n + 1).padStart(2, '0')}`));
      const page = await api.api('GET', '/records/visit?where.user=ana&where.from.city=city%201&limit=2');
      const { records, next } = dataOf(page) as unknown as { records: { id: string }[]; next: string };
      expect(records.map(({ id }) => id)).toEqual(['v01', 'v07']);
      const rest = `/records/visit?where.user=ana&where.from.city=city%201&limit=2&after=${next}`;
      expect(page.headers['link']).toBe(`</api/v1${rest}>; rel="next"`);
      expect(await found(rest)).toEqual(['v13', 'v19']);
      expect(await found('/records/visit?where.tags=29')).toEqual(['v29']);
      expect(await found('/records/visit?where.user=carl')).toEqual([]);
      expect(await found('/channels/mychannel/records/visit?where.tags=29')).toEqual(['v29']);
    });

    it('are counted on request, with and without a filter', async () => {
      const countOf = async (query: string): Promise<unknown> =>
        (await api.api('GET', `/records/visit?limit=1${query}`)).headers['x-total-count'];
      expect(await countOf('&count=true')).toBe('30');
      expect(await countOf('&count=true&where.user=ana')).toBe('15');
      expect(await countOf('')).toBeUndefined();
    });

    it('have empty cells for columns with names of inherited members', async () => {
      const schema = { type: 'object', properties: { constructor: { type: 'string' }, valueOf: { type: 'string' } } };
      await api.api('PUT', '/record-types/inherited', { body: { schema } });
      await create('inherited', '{"valueOf":"own"}', { id: 'i1' });
      const table = await api.api('GET', '/records/inherited', { headers: { accept: 'text/csv' } });
      expect(table.text).toBe('id,version,constructor,valueOf\r\ni1,1,,own\r\n');
    });

    it('follow changes, deletions and new indexes', async () => {
      await put('/records/visit/v00', '{"user":"zoe"}');
      await create('visit', '{"user":"zoe"}', { id: 'new' });
      expect(await found('/records/visit?where.user=zoe')).toEqual(['new', 'v00']);
      await api.api('DELETE', '/records/visit/new');
      expect(await found('/records/visit?where.user=zoe')).toEqual(['v00']);
      expect(await found('/records/visit?where.from.city=city%200')).not.toContain('v00');
      const type = { indexes: ['user', 'tags', 'n'] };
      expect(await api.api('PUT', '/record-types/visit', { body: type })).toMatchObject({ status: 200 });
      expect(await found('/records/visit?where.n=7')).toEqual(['v07']);
      expect(refusal(await api.api('GET', '/records/visit?where.from.city=x'))).toBe(
        '400 API.INVALID_REQUEST Records of visit cannot be filtered by "from.city": its indexed fields are user, tags, n.',
      );
      expect(refusal(await api.api('GET', '/records/visit?where.usr=x'))).toMatch(/Did you mean "user"\?$/);
      for (const query of ['where.=x', 'where=x', 'user=ana', 'where.user=', 'where.user=a&where.user=b']) {
        expect(refusal(await api.api('GET', `/records/visit?${query}`))).toMatch(/^400 API.INVALID_REQUEST /);
      }
      expect(refusal(await api.api('GET', `/records/visit?where.user=${'x'.repeat(257)}`))).toMatch(/256 bytes/);
      expect(refusal(await api.api('GET', '/records/nothing?where.user=a'))).toMatch(/^404 LEDGER.RECORD_TYPE_UNKNOWN/);
    });

    it('are read as they were after a block', async () => {
      const { height } = dataOf(await api.api('GET', '/blockchain/info')) as unknown as { height: number };
      expect(await put('/records/visit/v02', '{"user":"late"}')).toMatchObject({ status: 200 });
      const before = await api.api('GET', `/records/visit/v02?at=${height - 1}`);
      expect(before).toMatchObject({ status: 200, json: { data: { id: 'v02', document: { user: 'bob' } } } });
      expect(before.headers.etag).toBeUndefined();
      expect(dataOf(await api.api('GET', `/records/visit/v02?at=${height}`))).toMatchObject({
        document: { user: 'late' },
      });
      expect(refusal(await api.api('GET', '/records/visit/v02?at=1'))).toBe(
        '404 LEDGER.RECORD_NOT_FOUND The record v02 of visit did not exist after block 1.',
      );
      expect(refusal(await api.api('GET', `/records/visit/v02?at=${height + 50}`))).toMatch(
        /^400 LEDGER.INVALID_ARGUMENT The query parameter at is refused: there is no block/,
      );
      expect(refusal(await api.api('GET', '/records/visit/v02?at=x'))).toMatch(/^400 API.INVALID_REQUEST/);
    });

    it('are downloaded as CSV and as lines of JSON', async () => {
      const accept = { headers: { accept: 'application/x-ndjson' } };
      const lines = await api.api('GET', '/records/visit?where.tags=4', accept);
      expect(lines.headers['content-type']).toBe('application/x-ndjson');
      const records = lines.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { id: string });
      expect(records.map(({ id }) => id)).toEqual(['v04', 'v09', 'v14', 'v19', 'v24', 'v29']);
      expect(records[0]).toMatchObject({ version: 1, document: { user: 'bob', n: 4 } });
      const csv = await api.api('GET', '/records/visit?where.n=9', { headers: { accept: 'text/csv' } });
      expect(csv.text).toBe(
        'id,version,document\r\n' +
          'v09,1,"{""from"":{""city"":""city 0""},""n"":9,""no"":""v09"",""tags"":[9,4],""user"":""ana""}"\r\n',
      );
      await create('login', '{"user":"=cmd()","ok":true}', { id: 'odd' });
      const typed = await api.api('GET', '/records/login?where.user==cmd()', { headers: { accept: 'text/csv' } });
      expect(typed.text).toBe("id,version,ok,user\r\nodd,1,true,'=cmd()\r\n");
      expect(refusal(await api.api('GET', '/records/visit?limit=5', { headers: { accept: 'text/csv' } }))).toMatch(
        /^400 API.INVALID_REQUEST .*whole list/,
      );
    });
  });

  it('have operations of their own in the document, with their schemas', async () => {
    const schema = {
      type: 'object',
      properties: { amount: { $ref: '#/$defs/money' }, note: { type: ['string', 'null'] } },
      $defs: { money: { type: 'number', exclusiveMinimum: 0 } },
    };
    await api.api('PUT', '/record-types/payment', { body: { schema, indexes: ['amount'], mode: 'mutable' } });
    const { json } = await call(api.origin, 'GET', '/docs-json');
    const { openapi, info, paths, components } = json as {
      openapi: string;
      info: { version: string };
      paths: Record<string, Record<string, { parameters: { name: string }[]; requestBody: object }>>;
      components: { schemas: Record<string, unknown> };
    };
    expect([openapi, info.version]).toEqual(['3.1.0', '1.0']);
    expect(components.schemas['records.payment']).toEqual({
      title: 'payment',
      ...schema,
      properties: { ...schema.properties, amount: { $ref: '#/components/schemas/records.payment/$defs/money' } },
    });
    const reference = { $ref: '#/components/schemas/records.payment' };
    expect(paths['/records/payment']?.['post']?.requestBody).toMatchObject({
      content: { 'application/json': { schema: reference } },
    });
    const names = paths['/records/payment']?.['get']?.parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['where.amount', 'limit', 'after']));
    expect(names).not.toContain('type');
    expect(Object.keys(paths['/records/payment/{id}'] ?? {})).toEqual(['get', 'put', 'delete']);
    expect(Object.keys(paths['/records/login/{id}'] ?? {})).toEqual(['get']);
    expect(JSON.stringify(json)).not.toContain('"nullable"');
    const page = await call(api.origin, 'GET', '/docs/swagger-ui-init.js');
    expect(page.text).toContain('/records/payment/{id}');
  });

  it('are uploaded one on each line: a line that is refused refuses no other, and a repeat creates nothing again', async () => {
    const deep = '['.repeat(64) + ']'.repeat(64);
    const lines = ['{"user":"u1"}', '{"user":2}', '{"user":"u3","user":"x"}', '', '{', '{"user":"u6"}', deep];
    const accept = { accept: 'application/x-ndjson', 'idempotency-key': 'an-upload' };
    const first = await upload('login', `${lines.join('\n')}\n`, '', accept);
    const answers = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const made = answers(first.text);
    expect(made).toMatchObject([
      { line: 1, status: 201 },
      { line: 2, status: 400, code: 'LEDGER.RECORD_INVALID', message: expect.stringContaining('/user must be string') },
      { line: 3, status: 400, code: 'LEDGER.RECORD_INVALID', message: expect.stringContaining('twice') },
      { line: 4, status: 400, message: 'The line is empty.' },
      { line: 5, status: 400, code: 'LEDGER.RECORD_INVALID' },
      { line: 6, status: 201 },
      { line: 7, status: 400, message: expect.stringContaining('must be object') },
    ]);
    expect(dataOf(await api.api('GET', `/records/login/${String(made[0]?.['id'])}`))).toMatchObject({
      document: { user: 'u1' },
    });
    const receipt = await api.api('GET', `/transactions/${String(made[0]?.['transactionId'])}/receipt`);
    expect(receipt.status).toBe(200);
    const again = answers((await upload('login', `${lines.join('\n')}\n`, '', accept)).text);
    expect(again[0]).toEqual({ ...made[0], replayed: true });
    const counted = await upload('login', '{"user":"k1"}\n{"user":"k1"}\n{"user":"k2"}\n{"ok":true}', '?key=user');
    expect(counted).toMatchObject({
      status: 200,
      json: {
        data: {
          lines: 4,
          created: 2,
          refused: 2,
          refusals: [
            { line: 2, id: 'k1', code: 'LEDGER.RECORD_EXISTS' },
            { line: 4, code: 'API.INVALID_REQUEST', message: expect.stringContaining('"user"') },
          ],
        },
      },
    });
    expect(refusal(await upload('logn', '{}'))).toMatch(/^404 LEDGER.RECORD_TYPE_UNKNOWN .*Did you mean "login"/);
    expect(refusal(await upload('login', '{}', '?key=a&id=b'))).toMatch(/^400 API.INVALID_REQUEST/);
    const one = await api.api('POST', '/channels/mychannel/records/login?key=user', { body: { user: 'k3' } });
    expect(one).toMatchObject({ status: 201, json: { data: { id: 'k3' } } });
  });

  it('fill transactions of up to 500 lines, whatever their length', async () => {
    const large = Array.from({ length: 40 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(60_000) })).join('\n');
    expect(await upload('batch', large)).toMatchObject({ json: { data: { created: 40, refused: 0 } } });
    const small = Array.from({ length: 1200 }, (_, n) => JSON.stringify({ n })).join('\n');
    expect(await upload('batch', small)).toMatchObject({ json: { data: { created: 1200, refused: 0 } } });
  });

  it('are the same on a path with a channel, and do not mix with assets', async () => {
    const path = '/channels/mychannel/records/login/fixed';
    expect(dataOf(await api.api('GET', path))).toMatchObject({ id: 'fixed' });
    expect(await api.api('GET', '/assets')).toMatchObject({ status: 200, json: { data: [] } });
    expect(refusal(await api.api('GET', '/channels/no/records/login/fixed'))).toMatch(/^404 LEDGER.CHANNEL_UNKNOWN/);
  });
});

describe('the document of ledger-api with authentication', () => {
  it('has the operations on record types only for callers', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'ledger-records-'));
    const key = await addCaller(dataDir, 'ana', '--role', 'writer', '--new');
    const api = await LedgerApi.start({ LEDGER_AUTH: 'on' }, dataDir);
    try {
      const headers = { 'x-api-key': key };
      expect(await api.api('PUT', '/record-types/secret', { body: {}, headers })).toMatchObject({ status: 200 });
      expect((await call(api.origin, 'GET', '/docs-json')).text).not.toContain('/records/secret');
      expect((await call(api.origin, 'GET', '/docs-json', { headers })).text).toContain('/records/secret');
      const wrong = await call(api.origin, 'GET', '/docs-json', { headers: { 'x-api-key': 'wrong' } });
      expect(wrong).toMatchObject({ status: 401 });
    } finally {
      await api.stop();
    }
  });
});
