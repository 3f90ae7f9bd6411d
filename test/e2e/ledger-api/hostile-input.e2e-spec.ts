import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { exchange, lastAnswer, RawConnection } from '../../support/raw-http.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const GOOD = JSON.stringify(FIELDS);
const failure = { success: false, message: expect.stringMatching(/\S/) as unknown };
const MIB = 1024 * 1024;

let api: LedgerApi;
beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  const { stdout, stderr } = api.program;
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  // Nothing above may have been an unexpected failure.
  expect(stderr).toBe('');
  expect(stdout).not.toMatch(/"level":(50|60)/);
});

const post = async (body: string | Uint8Array, type = 'application/json') =>
  api.api('POST', '/assets', { body, headers: { 'content-type': type } });

describe('bodies in chunks of one byte', () => {
  it.each([
    ['JSON', 'application/json'],
    ['lines', 'application/x-ndjson'],
  ])('take the memory of their bytes: %s', async (_, type) => {
    // Some 100 bytes for each chunk would not fit.
    const small = await LedgerApi.start({ NODE_OPTIONS: '--max-old-space-size=64' });
    const chunks = '1\r\nx\r\n'.repeat(10_000);
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const connections = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => RawConnection.open(small.origin)));
    for (const connection of connections) connection.write(head);
    for (let round = 0; round < 12; round += 1) {
      for (const connection of connections) {
        await new Promise((resolve) => connection.socket.write(chunks, resolve));
      }
    }
    expect((await small.api('GET', '/health')).status).toBe(200);
    for (const connection of connections) connection.socket.destroy();
    expect(await small.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('ids', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    ' ',
    'a b',
    'a/b/c',
    '/',
    'transfer',
    'a/transfer',
    '%2F',
    '%',
    '100%25',
    '?x=1',
    '#x',
    '+',
    '...',
    '.a',
    'é',
    'e\u0301',
    '🚀',
    '\u202e',
    '\ufeff',
    '\u2028',
    "'; DROP TABLE state; --",
    '<script>',
    'CON',
    'null',
    'i'.repeat(256),
    'é'.repeat(128),
    '🚀'.repeat(64),
  ])('%j is an id like any other', async (id) => {
    const path = `/assets/${encodeURIComponent(id)}`;
    expect(await api.create(id)).toMatchObject({ status: 201, json: { data: { asset: { ID: id } } } });
    expect(await api.api('GET', path)).toMatchObject({ status: 200, json: { data: { ID: id, ...FIELDS } } });
    expect(await api.api('PUT', path, { body: { ...FIELDS, color: 'red' } })).toMatchObject({ status: 200 });
    expect(await api.api('PUT', `${path}/transfer`, { body: { newOwner: 'Brad' } })).toMatchObject({
      status: 200,
      json: { data: { asset: { ID: id, color: 'red', owner: 'Brad' } } },
    });
  });

  it.each(['.', '..', 'i'.repeat(257), 'é'.repeat(129), 'a\nb', '\u0000', '\u007f', '\u009f', ''])(
    '%j is refused by a create, and is a 404 to read',
    async (id) => {
      expect(await api.create(id)).toMatchObject({ status: 400, json: failure });
      expect(await api.api('GET', `/assets/${encodeURIComponent(id)}`)).toMatchObject({ status: 404, json: failure });
    },
  );

  it('refuses half of a surrogate pair, in an id and in a value', async () => {
    for (const body of [`{"id":"\\ud800",${GOOD.slice(1)}`, GOOD.replace('blue', '\\udc00')]) {
      expect(await post(body)).toMatchObject({ status: 400, json: failure });
    }
  });

  it.each(['%', '%zz', '%e9', '%ff', '%ed%a0%80', '%c0%ae', '%E0%A4%A'])(
    'answers the malformed path %s with 400',
    async (id) => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        expect(await api.api(method, `/assets/${id}`)).toMatchObject({ status: 400, json: failure });
      }
    },
  );

  it('does not decode twice', async () => {
    await api.create('a%2Fb');
    expect(await api.api('GET', '/assets/a%252Fb')).toMatchObject({ status: 200 });
    expect(await api.api('GET', '/assets/a%2Fb')).toMatchObject({ status: 404 });
  });

  it('answers a path of 15 KiB with 404', async () => {
    expect(await api.api('GET', `/assets/${'i'.repeat(15_000)}`)).toMatchObject({ status: 404, json: failure });
  });
});

describe('JSON', () => {
  it.each([
    ['nothing', ''],
    ['cut', '{"color":"blue"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['a number', '1'],
    ['two values', `${GOOD}${GOOD}`],
    ['NaN', '{"size":NaN}'],
    ['comments', `/* */${GOOD}`],
    ['a trailing comma', `${GOOD.slice(0, -1)},}`],
    ['constructor', `{"constructor":"x",${GOOD.slice(1)}`],
    ['toString', `{"toString":"x",${GOOD.slice(1)}`],
    ['__proto__', `{"__proto__":{"size":"9"},${GOOD.slice(1)}`],
    ['constructor.prototype', `{"constructor":{"prototype":{"x":1}},${GOOD.slice(1)}`],
    ['a field twice', `{"color":"red",${GOOD.slice(1)}`],
    ['a field twice, once escaped', `{"\\u0063olor":"red",${GOOD.slice(1)}`],
    ['10,000 deep objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['500,000 deep arrays', `${'['.repeat(500_000)}${']'.repeat(500_000)}`],
    ['a field 10,000 deep', `{"color":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['100,000 unknown fields', JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [n, ''])))],
  ])('answers %s with 400', async (_name, body) => {
    expect(await post(body)).toMatchObject({ status: 400, json: failure });
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a cut character', [0xf0, 0x9f]],
    ['Latin-1', [0xe9]],
  ])('answers %s in a value with 400', async (_name, bytes) => {
    const [before, after] = GOOD.split('blue');
    const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)]);
    expect(await post(body)).toMatchObject({ status: 400, json: { message: 'The body is not valid UTF-8.' } });
  });

  it('answers UTF-16 with 400', async () => {
    expect(await post(Buffer.from(GOOD, 'utf16le'))).toMatchObject({ status: 400, json: failure });
  });
});

describe('content types', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json ; charset=utf8',
    'application/json; version=1',
    ' application/json',
    'application/json;',
  ])('accepts %j', async (type) => {
    expect((await post(GOOD, type)).status).toBe(201);
  });

  it.each([
    'text/plain',
    'text/json',
    'text/html',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/javascript',
    'application/jsonx',
    'xapplication/json',
    'application/json+x',
    'application/vnd.api+json',
    'application/problem+json',
    'application/*',
    '*/*',
    'json',
    '/json',
    'application/',
    'application',
    ';',
    'application json',
    'application/json, text/plain',
    'text/plain, application/json',
    'application/json\ttext/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    "application/json; charset='utf-7'",
    'application/octet-stream',
    'application/bson',
    'application/json/x',
    '\u00e4',
  ])('answers %j with 415 and writes nothing', async (type) => {
    const before = await api.api('GET', '/blockchain/height');
    expect(await post(GOOD, type)).toMatchObject({ status: 415, json: failure });
    expect((await api.api('GET', '/blockchain/height')).json).toEqual(before.json);
  });

  it('answers a body without a type with 415, and a form with 415', async () => {
    expect(await api.api('POST', '/assets', { body: GOOD })).toMatchObject({ status: 415, json: failure });
    const form = new URLSearchParams(FIELDS).toString();
    expect(await post(form, 'application/x-www-form-urlencoded')).toMatchObject({ status: 415, json: failure });
  });

  it.each(['gzip', 'br', 'identity, gzip'])('answers Content-Encoding: %s with 415', async (coding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    expect(await api.api('POST', '/assets', { body: GOOD, headers })).toMatchObject({ status: 415, json: failure });
  });

  it('answers a missing body with 400', async () => {
    expect(await api.api('POST', '/assets')).toMatchObject({ status: 400, json: failure });
    expect(await post('')).toMatchObject({ status: 400, json: failure });
  });
});

describe('sizes', () => {
  it('validates a body of exactly 1 MiB, and answers one byte more with 413', async () => {
    const fill = (size: number) => `{"x":"${'x'.repeat(size - 8)}"}`;
    expect(await post(fill(MIB))).toMatchObject({ status: 400, json: failure });
    expect(await post(fill(MIB + 1))).toMatchObject({ status: 413, json: failure });
  });

  it('answers a chunked body of 8 MiB with 413, closes, and a client that sends it all sees the answer', async () => {
    const connection = await RawConnection.open(api.origin);
    connection.write('POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n');
    connection.write('Transfer-Encoding: chunked\r\n\r\n');
    const chunk = `${MIB.toString(16)}\r\n${'x'.repeat(MIB)}\r\n`;
    for (let sent = 0; sent < 8; sent++) connection.write(chunk);
    connection.write('0\r\n\r\nGET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    const answers = await connection.closed;
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
    expect(lastAnswer(answers)).toMatchObject({ head: expect.stringMatching(/^connection: close/im), body: failure });
  });

  it('does not ask for a body that it would refuse', async () => {
    const head = 'POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const answer = await exchange(api.origin, `${head}Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n`);
    expect(answer).not.toContain('100 Continue');
    expect(lastAnswer(answer)).toMatchObject({ status: 413, body: failure });
  });
});

describe('a connection whose last request cannot be read to its end', () => {
  const body = (path: string, more = 'Content-Type: application/json\r\n', method = 'POST') =>
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${more}Content-Length: 100\r\n\r\n{`;
  it.each([
    ['a long body', 413, body('/api/v1/assets').replace('100', '2000000')],
    ['a type that is not accepted', 415, body('/api/v1/assets', 'Content-Type: text/plain\r\n')],
    ['lines where none are read', 415, body('/api/v1/assets/a', 'Content-Type: application/x-ndjson\r\n', 'PUT')],
    ['an unknown path', 404, body('/api/v1/nothing')],
    ['another method', 405, body('/api/v1/assets', '', 'PATCH')],
    ['a malformed path', 400, body('/api/v1/assets/%zz')],
    ['a malformed query', 400, body('/api/v1/assets?%zz')],
    ['a page of another site', 403, body('/api/v1/assets', 'Origin: http://evil.example\r\n')],
    ['a foreign host', 403, body('/api/v1/assets').replace('localhost', 'evil.example')],
    ['an unknown expectation', 417, body('/api/v1/assets', 'Expect: cake\r\n')],
    [
      'a body that waits for 100 Continue',
      415,
      body('/api/v1/assets', 'Expect: 100-continue\r\nContent-Type: a/b\r\n'),
    ],
    ['an upgrade', 404, body('/api/v1/nothing', 'Connection: upgrade\r\nUpgrade: websocket\r\n')],
    ['the body of a read', 200, body('/api/v1/health', '', 'GET')],
    ['an ignored body', 200, body('/api/v1/ledger/init', 'Content-Type: text/plain\r\n')],
    ['two Hosts', 400, 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['no Host', 400, 'GET / HTTP/1.1\r\n\r\n'],
    ['another version', 505, 'GET / HTTP/2.0\r\nHost: localhost\r\n\r\n'],
  ])('defect: closes after the answer to %s', async (_what, status, bytes) => {
    const answer = lastAnswer(await exchange(api.origin, bytes));
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/^connection: close$/im);
  });

  it('stays open after a refusal whose body has arrived', async () => {
    const connection = await RawConnection.open(api.origin);
    const refused = `${body('/api/v1/assets', 'Content-Type: text/plain\r\n')}${' '.repeat(99)}`;
    await connection.write(refused).until('API.UNSUPPORTED_BODY');
    connection.write('GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(lastAnswer(await connection.closed)).toMatchObject({ status: 200, body: { status: 'healthy' } });
  });
});

describe('framing', () => {
  const requests: readonly (readonly [string, string, number])[] = [
    ['no Host', 'GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an empty Host', 'GET /api/v1/health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n', 400],
    ['an invalid Host', 'GET /api/v1/health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    [
      'two Hosts',
      'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'the same Host twice',
      'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX-A: 1\r\nhost: localhost\r\nConnection: close\r\n\r\n',
      400,
    ],
    [
      'an unknown expectation',
      'GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nExpect: cake\r\nConnection: close\r\n\r\n',
      417,
    ],
    ['a malformed URL', 'GET /api/v1/assets/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    [
      'a chunked GET with a broken chunk',
      'POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    [
      'another transfer coding',
      'POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
      501,
    ],
    ['HTTP/0.9', 'GET /api/v1/health\r\n\r\n', 505],
    ['HTTP/2.0', 'GET /api/v1/health HTTP/2.0\r\nHost: localhost\r\nConnection: close\r\n\r\n', 505],
  ];
  it.each(requests)('answers %s in the error shape', async (_name, bytes, status) => {
    expect(lastAnswer(await exchange(api.origin, bytes))).toMatchObject({ status, body: failure });
  });

  it('serves HTTP/1.0 without Host, and the absolute form', async () => {
    for (const bytes of [
      'GET /api/v1/health HTTP/1.0\r\n\r\n',
      'GET http://localhost/api/v1/health HTTP/1.1\r\nHost: elsewhere\r\nConnection: close\r\n\r\n',
    ]) {
      expect(lastAnswer(await exchange(api.origin, bytes))).toMatchObject({ status: 200, body: { status: 'healthy' } });
    }
  });

  it('answers pipelined requests in their order', async () => {
    const one = (path: string, more = '') => `GET /api/v1/${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const answers = await exchange(
      api.origin,
      one('health') + one('nothing') + one('blockchain/height', 'Connection: close\r\n'),
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '404', '200']);
  });
});

describe('a pipeline', () => {
  it('reads what the previous request wrote, and writes after what the previous request read', async () => {
    const fields = JSON.stringify({ id: 'piped', ...FIELDS });
    const write = (method: string, path: string, body: string) =>
      `${method} /api/v1/assets${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const read = (more = '') => `GET /api/v1/assets/piped HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
    const answers = await exchange(
      api.origin,
      read() +
        write('POST', '', fields) +
        read() +
        write('PUT', '/piped/transfer', '{"newOwner":"Brad"}') +
        read('Connection: close\r\n'),
    );
    expect([...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '404',
      '201',
      '200',
      '200',
      '200',
    ]);
    expect([...answers.matchAll(/"owner":"(\w+)"/g)].map(([, owner]) => owner)).toEqual([
      'Tomoko',
      'Tomoko',
      'Brad',
      'Brad',
    ]);
  });
});

describe('callers in a browser', () => {
  const paths = ['/api/v1/health', '/api/v1/assets', '/docs', '/docs-json', '/metrics', '/readyz', '/nothing', '/'];
  it.each(paths)('answers %s with 403 for the host of a stranger', async (path) => {
    const headers = { host: 'evil.example:3000' };
    expect(await call(api.origin, 'GET', path, { headers })).toMatchObject({ status: 403, json: failure });
  });

  it.each(['/api/v1/ledger/init', '/api/v1/assets', '/nothing'])("refuses a stranger's form to %s", async (path) => {
    const { height } = ((await api.api('GET', '/blockchain/height')).json as { data: { height: number } }).data;
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example' },
      { origin: 'null' },
    ]) {
      const form = { body: '{}', headers: { 'content-type': 'text/plain', ...headers } };
      expect(await call(api.origin, 'POST', path, form)).toMatchObject({ status: 403, json: failure });
    }
    expect((await api.api('GET', '/blockchain/height')).json).toMatchObject({ data: { height } });
  });

  it("serves its own pages' writes, and programs", async () => {
    for (const headers of [{ origin: api.origin, 'sec-fetch-site': 'same-origin' }, { origin: api.origin }, {}]) {
      expect((await call(api.origin, 'POST', '/api/v1/ledger/init', { headers })).status).toBe(200);
    }
  });
});

describe('queries', () => {
  it.each([
    'limit=0',
    'limit=1001',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'after=%20',
    'after=',
    'limt=1',
    'limit',
    '__proto__=1',
    'a[b]=1',
  ])('answers GET /assets?%s with 400', async (query) => {
    expect(await api.api('GET', `/assets?${query}`)).toMatchObject({ status: 400, json: failure });
    expect(await api.api('HEAD', `/assets?${query}`)).toMatchObject({ status: 400, text: '' });
  });

  it.each(['/assets?owner=%ff', '/assets?owner=%zz', '/assets?%zz', '/health?x=%', '/blocks?x=%c3'])(
    'defect: a malformed query was decoded leniently: GET %s answers 400',
    async (path) => {
      expect(await api.api('GET', path)).toMatchObject({ status: 400, json: failure });
    },
  );

  it('defect: three filters of the longest length were too large for the head', async () => {
    const value = encodeURIComponent('é'.repeat(2048));
    expect(await api.api('GET', `/assets?owner=${value}&color=${value}&size=${value}`)).toMatchObject({ status: 200 });
  });

  it('ignores a query where none is documented', async () => {
    expect((await api.api('GET', '/health?x=1')).status).toBe(200);
    expect((await call(api.origin, 'GET', '/api/v1/blockchain/height?a=1&a=2')).status).toBe(200);
  });
});
