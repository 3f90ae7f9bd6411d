import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { call, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { exchange, lastAnswer, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const ROLES = ['reader', 'writer', 'admin'] as const;
const ORIGIN = 'https://app.example';

/** What this ledger lacks: some transactions and page files, and a tree over its blocks. */
const MISSING = [
  [/\/transactions\/\{txid\}|^\/(pages|tree)\//, 404],
  [/\/proof$/, 501],
] as const;

let api: LedgerApi;
const keys = new Map<string, string>();

beforeAll(async () => {
  // Clients of another address each, since those whose logins fail too often have to wait.
  const chaincodes = { LEDGER_CHAINCODES: `cars=${join(process.cwd(), 'test/fixtures/chaincode')}` };
  const env = { LEDGER_AUTH: 'on', LEDGER_TRUSTED_PROXIES: '127.0.0.1', LOG_LEVEL: 'debug', ...chaincodes };
  api = await LedgerApi.start({ ...env, LEDGER_API_CORS_ORIGINS: ORIGIN });
  for (const role of ROLES) {
    keys.set(role, await changeCallers(api, () => addCaller(api.dataDir, `${role}-1`, '--role', role)));
  }
});
afterAll(async () => {
  const { stdout, stderr } = api.program;
  expect(await api.stop()).toEqual({ code: 0, signal: null });
  expect(stderr).toBe('');
  for (const key of keys.values()) expect(stdout).not.toContain(key.slice(0, 24));
});

/** What is looked at of a transaction's envelope. */
interface RawTransaction {
  readonly payload: { readonly header: { readonly signature_header: { readonly creator: unknown } } };
}

const keyOf = (role: string) => keys.get(role)!;

/** A call with the key of a role, or of none. */
async function as(role: string, method: string, path: string, body?: object): Promise<Answer> {
  const key = keys.get(role);
  return api.api(method, path, { ...(body && { body }), headers: key === undefined ? {} : { 'x-api-key': key } });
}

/** A call from its own address. */
const from = (address: string, headers: Record<string, string>, path = '/assets', method = 'GET') =>
  api.api(method, path, { headers: { 'x-forwarded-for': address, ...headers } });

function logged(): Record<string, unknown>[] {
  return api.program.stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the table of docs/callers.md', () => {
  const rows = [...readFileSync('docs/callers.md', 'utf8').matchAll(/^\| `(\w+) (\S+)` \| (.*) \|$/gm)].map(
    ([, method = '', path = '', cells = '']) => ({ method, path, cells: cells.split(' | ') }),
  );

  it('has a row for each operation', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as {
      paths: Record<string, object>;
    };
    const documented = Object.values(paths).flatMap((operations) => Object.keys(operations));
    // Readiness, metrics, the page with its files, and the tree with its tiles are outside the API.
    expect(rows).toHaveLength(documented.length + 6);
  });

  beforeAll(async () => {
    expect(await as('admin', 'PUT', '/record-types/batch', { mode: 'mutable' })).toMatchObject({ status: 200 });
  });

  it.each(rows.map((row) => [`${row.method} ${row.path}`, row] as const))('holds for %s', async (_, row) => {
    const { method, path, cells } = row;
    for (const [index, role] of ['nobody', ...ROLES].entries()) {
      const id = `${method}-${role}`;
      const created = await as('admin', 'POST', '/assets', { id, ...FIELDS });
      await as('admin', 'POST', `/records/batch?id=${id}`, {});
      const transaction = (created.headers['x-transaction-id'] as string | undefined) ?? '0'.repeat(64);
      const target = path
        .replace('{id}', id)
        .replace('{type}', 'batch')
        .replace('{channel}', 'mychannel')
        .replace('{txid}', transaction)
        .replace('{chaincode}', 'basic')
        .replace('{function}', 'TransferAsset')
        .replace('{number}', '0')
        .replace('{mspId}', 'Org1MSP')
        .replace(/search$/, 'search?text=a');
      const bodies: Record<string, object> = {
        'PUT /api/v1/assets/{id}': FIELDS,
        'PUT /api/v1/assets/{id}/transfer': { newOwner: 'Ben' },
        'POST /api/v1/assets': FIELDS,
        'PUT /api/v1/record-types/{type}': { mode: 'mutable' },
        'POST /api/v1/records/{type}': {},
        'PUT /api/v1/records/{type}/{id}': {},
        'POST /api/v1/contracts/{chaincode}/evaluate': { function: 'ReadAsset', arguments: [id] },
        'POST /api/v1/contracts/{chaincode}/submit': { function: 'TransferAsset', arguments: [id, 'Ben'] },
        'POST /api/v1/contracts/{chaincode}/functions/{function}': { id, newOwner: 'Ben' },
      };
      const body = bodies[`${method} ${path.replace('/channels/{channel}', '')}`];
      const headers = role === 'nobody' ? {} : { 'x-api-key': keyOf(role) };
      const answer = await call(api.origin, method, target, { ...(body && { body }), headers });
      if (cells[index] === 'yes')
        expect([200, 201, MISSING.find(([pattern]) => pattern.test(path))?.[1]]).toContain(answer.status);
      else expect([role, answer.status]).toEqual([role, Number(cells[index])]);
      if (answer.status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer realm="ledger-api"');
      if (answer.status === 403) {
        expect(answer.headers['www-authenticate']).toBe('Bearer realm="ledger-api", error="insufficient_scope"');
      }
      // Whether something is there is not to be had from a refusal.
      if (answer.status === 401 || answer.status === 403) {
        const other = await call(api.origin, method, path.replace(/\{\w+\}/, 'nothing'), {
          ...(body && { body }),
          headers,
        });
        expect(other.text).toBe(answer.text);
      }
      if (method === 'GET' && answer.status < 400) {
        expect((await call(api.origin, 'HEAD', target, { headers })).status).toBe(answer.status);
      }
    }
  });
});

describe('GET /callers/me', () => {
  it('returns the caller and the role', async () => {
    const data = { loginNeeded: true, name: 'writer-1', role: 'writer' };
    expect((await as('writer', 'GET', '/callers/me')).json).toMatchObject({ success: true, data });
  });
});

describe('a role', () => {
  it('that does not reach is refused before anything that the request is wrong in', async () => {
    const wrong = [
      { body: '{"this is', headers: { 'content-type': 'application/json' } },
      { body: 'x'.repeat(2 ** 20 + 1), headers: { 'content-type': 'application/json' } },
      { body: 'x', headers: { 'content-type': 'text/plain' } },
      { body: FIELDS, headers: { 'idempotency-key': 'a bad one', 'if-match': 'blue' } },
    ];
    for (const { body, headers } of wrong) {
      for (const [method, path] of [['POST', '/assets'] as const, ['PUT', '/assets/missing/transfer'] as const]) {
        const status = async (role: string) =>
          (await api.api(method, path, { body, headers: { ...headers, 'x-api-key': keyOf(role) } })).status;
        expect(await status('reader')).toBe(403);
        expect([400, 413, 415]).toContain(await status('writer'));
      }
    }
  });
});

describe('a login', () => {
  it.each([
    ['X-API-Key', (key: string) => ({ 'x-api-key': key })],
    ['Authorization: Bearer', (key: string) => ({ authorization: `Bearer ${key}` })],
    ['authorization: bearer', (key: string) => ({ authorization: `bearer ${key}` })],
    [
      'X-API-Key with Basic, which is for a proxy in front',
      (key: string) => ({ 'x-api-key': key, authorization: 'Basic eDp5' }),
    ],
  ])('works by %s', async (_, headers) => {
    expect((await api.api('GET', '/assets', { headers: headers(keyOf('reader')) })).status).toBe(200);
  });

  const spoilt: readonly (readonly [string, (key: string) => string])[] = [
    ['no text at all', () => ''],
    ['half a key', (key) => key.slice(0, 30)],
    ['a key without its last character', (key) => key.slice(0, -1)],
    ['a key with one more', (key) => `${key}0`],
    ['a key in another case', (key) => key.toUpperCase()],
    ['two keys', (key) => `${key}, ${key}`],
    ['two keys apart', (key) => `${key} ${key}`],
    ['a quoted key', (key) => `"${key}"`],
    ['an id alone', (key) => key.slice(0, 12)],
    ['a word', () => 'admin'],
    ['null', () => 'null'],
    ['a path', () => '../../identities/client.pem'],
    ['a long text', () => 'lk_'.repeat(2000)],
  ];
  it.each(spoilt)('is refused by %s, however it is sent', async (name, spoil) => {
    const text = spoil(keyOf('admin'));
    const address = `10.1.0.${spoilt.findIndex(([one]) => one === name) + 1}`;
    const headers: Record<string, string>[] = [{ 'x-api-key': text }, { authorization: `Bearer ${text}` }];
    for (const one of headers) {
      const answer = await from(address, one);
      expect(answer).toMatchObject({ status: 401, json: { success: false } });
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="ledger-api", error="invalid_token"/);
    }
  });

  it('is refused before a body is read', async () => {
    const body = '{"this is';
    const json = { 'content-type': 'application/json' };
    expect(await api.api('POST', '/assets', { body, headers: json })).toMatchObject({ status: 401 });
    const headers = { ...json, 'x-api-key': 'x', 'x-forwarded-for': '10.2.0.1' };
    expect(await api.api('POST', '/assets', { body, headers })).toMatchObject({ status: 401 });
    expect(await api.api('POST', '/assets', { body: 'x'.repeat(2 ** 20 + 1), headers })).toMatchObject({ status: 401 });
  });

  it('accepts only one of both ways', async () => {
    const key = keyOf('reader');
    for (const authorization of [`Bearer ${key}`, 'Bearer', 'bearer x']) {
      expect(await from('10.2.0.2', { 'x-api-key': key, authorization })).toMatchObject({ status: 400 });
    }
  });

  it('accepts no second line of a header, whatever it contains', async () => {
    const key = keyOf('reader');
    const lines = [
      [`X-API-Key: ${key}`, `X-API-Key: ${keyOf('admin')}`],
      [`X-API-Key: ${key}`, `x-api-key: ${key}`],
      ['X-API-Key: x', `X-API-Key: ${key}`],
      [`Authorization: Bearer ${key}`, `Authorization: Bearer ${keyOf('admin')}`],
      [`X-API-Key: ${key}`, `Authorization: Bearer ${key}`],
    ];
    for (const [index, two] of lines.entries()) {
      const head = [
        'GET /api/v1/assets HTTP/1.1',
        'Host: a',
        'Connection: close',
        `X-Forwarded-For: 10.3.0.${index}`,
        ...two,
      ];
      const { status } = lastAnswer(await exchange(api.origin, `${head.join('\r\n')}\r\n\r\n`));
      expect([two, status]).toEqual([two, index === 4 ? 400 : 401]);
    }
  });

  it('is the same in HTTP/1.0, and with blanks around the key', async () => {
    const get = (line: string, version: string) =>
      exchange(api.origin, `GET /api/v1/assets HTTP/${version}\r\nHost: a\r\nConnection: close\r\n${line}\r\n\r\n`);
    for (const version of ['1.0', '1.1']) {
      expect(await get('Accept: */*', version)).toContain(' 401 Unauthorized');
      expect(await get(`X-API-Key: \t ${keyOf('reader')} \t`, version)).toContain(' 200 OK');
    }
    expect(await get(`X-API-Key:${keyOf('reader')}\r\n folded`, '1.1')).toContain(' 400 ');
  });

  it('is required with any Host, and before 405 reveals only the methods', async () => {
    const headers = { host: 'anything.example', 'x-api-key': keyOf('reader') };
    expect((await api.api('GET', '/assets', { headers })).status).toBe(200);
    expect((await api.api('DELETE', '/assets/x')).status).toBe(405);
    expect((await api.api('OPTIONS', '/assets/x')).status).toBe(405);
  });

  it('that failed too often from one address waits; a valid key from there does not', async () => {
    const fail = () => from('10.4.0.1', { 'x-api-key': 'wrong' });
    // One more may fail every three seconds, so how many it takes depends on the machine.
    let refused = await fail();
    let count = 1;
    for (; refused.status === 401; count += 1) refused = await fail();
    expect(count).toBeGreaterThan(20);
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^[1-9]$/) as unknown },
    });
    for (let more = 0; more < 10; more += 1) await fail();
    expect((await from('10.4.0.1', { 'x-api-key': keyOf('reader') })).status).toBe(200);
    expect((await from('10.4.0.2', { 'x-api-key': 'wrong' })).status).toBe(401);
    const lines = logged().filter(({ msg, address }) => msg === 'login refused' && address === '10.4.0.1');
    expect(lines.length).toBeGreaterThanOrEqual(count);
    expect(lines.length).toBeLessThan(count + 10);
  });
});

describe('a key in a URL', () => {
  it.each(['/api/v1/assets', '/api/v1/assets/x', '/api/v1/health', '/docs', '/readyz', '/metrics', '/nothing', '/'])(
    'is refused on %s and never logged',
    async (path) => {
      const key = keyOf('writer');
      const urls = [
        `${path}?api_key=${key}`,
        `${path}?x=1&X-Api-Key=y`,
        `${path}?access_token=y`,
        `${path}?anything=${key}`,
        `${path}?anything=lk%5f${key.slice(3)}`,
        `${path}?${key}`,
        `${path}/${key}`,
      ];
      for (const url of urls) {
        const answer = await call(api.origin, 'GET', url, { headers: { 'x-api-key': keyOf('reader') } });
        expect([url, answer.status, answer.text.includes(key)]).toEqual([url, 400, false]);
      }
    },
  );
});

describe('paths next to the open ones', () => {
  it.each([
    ['/api/v1/health', 200],
    ['/api/v1/health?x=1', 200],
    ['/api/v1/health/', 404],
    ['//api/v1/assets', 404],
    ['/api/v1//assets', 404],
    ['/api/v1/assets/', 404],
    ['/API/v1/assets', 404],
    ['/api/v1/Assets', 404],
    ['/api/v1/health/../assets', 404],
    ['/api/v1/health%2f..%2fassets', 404],
    ['/api/v1/%61ssets', 401],
    ['/api/v1/assets;/health', 404],
    ['/api/v1/assets%3f/health', 404],
    ['/api/v1/assets?/health', 401],
    ['/metrics', 401],
    ['/metrics/', 404],
    ['/%6detrics', 401],
    ['/docs', 200],
    ['/docs-json', 200],
    ['/readyz', 200],
  ])('%s is answered with %i', async (path, status) => {
    expect((await call(api.origin, 'GET', path)).status).toBe(status);
    const absolute = lastAnswer(
      (await exchange(api.origin, `HEAD http://x${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)).trim(),
    );
    expect(absolute.status).toBe(status);
  });

  it('a page that the client has is a 304, also to HEAD, with the length of the 200 or none (RFC 9110, 8.6)', async () => {
    const whole = await call(api.origin, 'HEAD', '/');
    const { etag = '', 'content-length': length } = whole.headers;
    const same = await call(api.origin, 'HEAD', '/', { headers: { 'if-none-match': etag } });
    expect(same).toMatchObject({ status: 304, headers: { etag } });
    expect([length, undefined]).toContain(same.headers['content-length']);
  });
});

describe('pages of other origins', () => {
  const ask = (origin: string, path = '/assets') =>
    api.api('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });

  it('of a configured origin may call, with a key and without credentials', async () => {
    const { status, headers } = await ask(ORIGIN);
    expect({ status, headers }).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': ORIGIN, vary: 'Origin' },
    });
    expect(headers['access-control-allow-headers']).toMatch(/X-API-Key.*/);
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, DELETE');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
    const site = { origin: ORIGIN, 'sec-fetch-site': 'cross-site', 'x-api-key': keyOf('writer') };
    const created = await api.api('POST', '/assets', { body: FIELDS, headers: site });
    expect(created).toMatchObject({ status: 201, headers: { 'access-control-allow-origin': ORIGIN } });
    expect(created.headers['access-control-expose-headers']).toMatch(/X-Transaction-Id/);
    // Whatever else an answer depends on, caches must keep those to different origins apart.
    const block = await api.api('GET', '/blocks/0', { headers: site });
    expect(block).toMatchObject({ status: 200, headers: { vary: 'Origin, Accept' } });
    const page = await fetch(`${api.origin}/`, { headers: site });
    expect([page.status, page.headers.get('vary')?.toLowerCase()]).toEqual([200, 'origin, accept-encoding']);
    const refused = await api.api('GET', '/assets', { headers: { origin: ORIGIN } });
    expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': ORIGIN } });
  });

  it.each(['https://evil.example', 'null', `${ORIGIN}.evil.example`, 'http://app.example', `${ORIGIN}:8443`])(
    'of %s may not',
    async (origin) => {
      const { status, headers } = await ask(origin);
      expect([status, headers['access-control-allow-origin']]).toEqual([405, undefined]);
      const site = { origin, 'sec-fetch-site': 'cross-site', 'x-api-key': keyOf('writer') };
      expect((await api.api('POST', '/assets', { body: FIELDS, headers: site })).status).toBe(403);
      // The page sees a network error only: its developer reads the reason in the log, once.
      const lines = () => logged().filter((line) => line['origin'] === origin);
      await until(() => lines().length > 0);
      expect(lines()).toEqual([expect.objectContaining({ level: 40, msg: expect.stringContaining('CORS_ORIGINS') })]);
    },
  );
});

describe('the audit', () => {
  it('has a line for each write: caller, address, operation, transaction and outcome', async () => {
    const write = (role: string, method: string, path: string, body: object) =>
      api.api(method, path, { body, headers: { 'x-api-key': keyOf(role), 'x-forwarded-for': '10.5.0.1:4711' } });
    const created = await write('writer', 'POST', '/assets', { id: 'audited', ...FIELDS });
    await write('admin', 'POST', '/assets', { id: 'audited', ...FIELDS });
    await write('reader', 'PUT', '/assets/audited', FIELDS);
    const lines = () => logged().filter(({ msg, address }) => msg === 'write' && address === '10.5.0.1');
    await until(() => lines().length === 3);
    expect(lines()).toMatchObject([
      {
        caller: 'writer-1',
        operation: 'POST /api/v1/assets',
        transactionId: created.headers['x-transaction-id'],
        outcome: 'done',
      },
      { caller: 'admin-1', operation: 'POST /api/v1/assets', outcome: 'refused', status: 400 },
      { caller: 'reader-1', operation: 'PUT /api/v1/assets/:id', outcome: 'refused', status: 403 },
    ]);
  });

  it('has a line of its own kind for an evaluation, which writes nothing', async () => {
    const headers = { 'x-api-key': keyOf('admin'), 'x-forwarded-for': '10.5.0.2' };
    const body = { function: 'GetAllAssets', arguments: [] };
    await api.api('POST', '/contracts/basic/evaluate', { body, headers });
    const lines = () => logged().filter(({ address }) => address === '10.5.0.2');
    await until(() => lines().length === 1);
    expect(lines()).toMatchObject([{ msg: 'evaluation', caller: 'admin-1', outcome: 'done' }]);
  });

  it('has the line of a write whose client did not wait for the answer', async () => {
    const body = JSON.stringify({ id: 'gone', ...FIELDS });
    const connection = await RawConnection.open(api.origin);
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${keyOf('writer')}\r\nX-Request-Id: gone-1\r\n`;
    connection.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    connection.socket.end(() => connection.socket.destroy());
    await until(() => logged().some(({ msg, requestId }) => msg === 'write' && requestId === 'gone-1'));
    await until(async () => (await as('reader', 'GET', '/assets/gone')).status === 200);
  });

  it('shows on the ledger who wrote', async () => {
    const { headers } = await as('writer', 'POST', '/assets', FIELDS);
    const { json } = await as('reader', 'GET', `/transactions/${String(headers['x-transaction-id'])}`);
    expect(json).toMatchObject({ data: { creatorId: 'writer-1@org1.example.com' } });
  });
});

it('defect: the list of all assets continued as JSON after its caller was revoked', async () => {
  const own = await LedgerApi.start({ LEDGER_AUTH: 'on' });
  try {
    const [writer, reader] = [await addCaller(own.dataDir, 'w', '--role', 'writer'), await addCaller(own.dataDir, 'r')];
    await until(
      async () => (await own.api('GET', '/assets/none', { headers: { 'x-api-key': reader } })).status === 404,
    );
    // More than the buffers of a connection contain.
    const line = (n: number) => JSON.stringify({ id: `long-${n}`, ...FIELDS, owner: 'o'.repeat(4000) });
    const body = Array.from({ length: 6000 }, (_, n) => line(n)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': writer };
    expect((await own.api('POST', '/assets', { body, headers })).json).toMatchObject({ data: { created: 6000 } });
    const lists = await Promise.all(
      ['application/json', 'text/csv'].map(async (type) => {
        const connection = await RawConnection.open(own.origin);
        const request = `GET /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nAccept: ${type}\r\nX-API-Key: ${reader}\r\n\r\n`;
        await connection.write(request).until('long-0');
        connection.socket.pause();
        return connection;
      }),
    );
    await changeCallers(own, () => ledgerTool(own.dataDir, 'callers', 'revoke', 'r'));
    for (const list of lists) {
      list.socket.resume();
      const text = await list.closed;
      expect(text).toMatch(/^HTTP\/1\.1 200/);
      expect(text.match(/long-\d/g)!.length).toBeLessThan(6000);
    }
  } finally {
    await own.stop();
  }
});

describe('callers add, list, rotate and revoke', () => {
  const status = async (key: string) => (await from('10.6.0.1', { 'x-api-key': key })).status;

  it('take effect within a second of a running program, also for a write whose body is incomplete', async () => {
    const add = () => addCaller(api.dataDir, 'carol', '--role', 'writer', '--expires', '90d');
    const key = await changeCallers(api, add);
    expect(await status(key)).toBe(200);
    const rotate = () => ledgerTool(api.dataDir, 'callers', 'rotate', 'carol', '--overlap', '1h');
    const rotated = (await changeCallers(api, rotate)).stdout.trim();
    expect([await status(key), await status(rotated)]).toEqual([200, 200]);

    const body = JSON.stringify({ id: 'carols', ...FIELDS });
    const running = await RawConnection.open(api.origin);
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: a\r\nX-API-Key: ${rotated}\r\nContent-Type: application/json\r\n`;
    await running.write(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`).until('100 Continue');
    const revoke = () => ledgerTool(api.dataDir, 'callers', 'revoke', 'carol');
    expect(await changeCallers(api, revoke)).toMatchObject({ code: 0 });
    expect([await status(key), await status(rotated)]).toEqual([401, 401]);
    await running.write(body).until('API.LOGIN_REFUSED');
    running.socket.destroy();

    await addCaller(api.dataDir, 'dora', '--attr', 'role=auditor', '--attr', 'site=a=b c');
    const { stdout } = await ledgerTool(api.dataDir, 'callers', 'list');
    expect(stdout).toMatch(/^dora +reader +key [0-9a-z]{8}, role="auditor", site="a=b c"$/m);
    expect(stdout).toMatch(/^carol +writer +revoked 20/m);
    expect(stdout).toMatch(/^reader-1 +reader +key [0-9a-z]{8}$/m);
    expect(stdout).not.toContain(key.slice(12, 40));
  });

  it('add writes attributes into the certificate, where the ClientIdentity of a chaincode reads them', async () => {
    const attributes = ['--attr', 'role=auditor', '--attr', 'site=São = Paulo'];
    const key = await changeCallers(api, () => addCaller(api.dataDir, 'eva', '--role', 'admin', ...attributes));
    const attribute = async (way: string, name: string, caller: string) => {
      const body = { function: 'Attribute', arguments: [name] };
      const headers = { 'x-api-key': caller };
      const { json } = await api.api('POST', `/contracts/cars/${way}`, { body, headers });
      return (json as { data?: { payload: string } }).data?.payload;
    };
    // The chaincode starts after the API.
    await until(async () => (await attribute('evaluate', 'role', key)) === 'auditor');
    expect(await attribute('submit', 'site', key)).toBe('São = Paulo');
    expect(await attribute('submit', 'abac', key)).toBe('none');
    expect(await attribute('submit', 'role', keyOf('admin'))).toBe('none');
  });

  it('renew creates another certificate; a write under the previous one is found and not repeated', async () => {
    const write = (key: string) =>
      api.api('POST', '/assets', { body: FIELDS, headers: { 'x-api-key': keyOf('writer'), 'idempotency-key': key } });
    const creatorOf = async ({ headers }: Answer) => {
      const { json } = await as('reader', 'GET', `/transactions/${String(headers['x-transaction-id'])}`);
      const { rawTransaction } = (json as { data: { rawTransaction: RawTransaction } }).data;
      return rawTransaction.payload.header.signature_header.creator;
    };
    const first = await write('before-renewal');
    const previous = await creatorOf(first);
    const { code, stdout } = await ledgerTool(api.dataDir, 'callers', 'renew', 'writer-1');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^writer-1@org1\.example\.com signs with a new/)]);
    let writes = 0;
    await until(async () => {
      const creator = await creatorOf(await write(`after-renewal-${writes++}`));
      return JSON.stringify(creator) !== JSON.stringify(previous);
    });
    const again = await write('before-renewal');
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
  });

  it('are refused in a directory without a ledger, where a key would be useless', async () => {
    const dataDir = join(await mkdtemp(join(tmpdir(), 'no-ledger-')), 'elsewhere');
    for (const args of [['add', 'ana'], ['rotate', 'ana'], ['revoke', 'ana'], ['list']]) {
      expect(await ledgerTool(dataDir, 'callers', ...args)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(dataDir) as unknown,
      });
      expect(existsSync(dataDir)).toBe(false);
    }
    const file = join(dataDir, 'callers.json');
    const added = await ledgerTool(dataDir, 'callers', 'add', 'ana', '--new');
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining(`Written to ${file}.`) as unknown });
    // There is a file now, and a file that is named may be anywhere.
    expect(await ledgerTool(dataDir, 'callers', 'add', 'ben')).toMatchObject({ code: 0 });
    const named = join(dirname(dataDir), 'named.json');
    expect(await ledgerTool('none', 'callers', 'add', 'ben', '--callers-file', named)).toMatchObject({ code: 0 });
    await rm(dirname(dataDir), { recursive: true });
  });

  it.each([
    ['a certificate that is not there', ['renew', 'reader-1'], 1, /has no identity in .* yet/],
    ['a path for a name', ['renew', '../client'], 1, /A name has/],
    ['a name that is taken', ['add', 'reader-1'], 1, /is already a caller/],
    ['an attribute without a value', ['add', 'x', '--attr', 'role'], 2, /Use NAME=VALUE/],
    ['an attribute twice', ['add', 'x', '--attr', 'a=1', '--attr', 'a=2'], 2, /given twice/],
    ['an empty subject', ['add', 'x', '--subject', ''], 2, /subject.*must have 1 to 256 characters/],
    ['a time that is none', ['add', 'x', '--expires', '90'], 2, /such as 90d/],
  ])('refuse %s in one line', async (_, args, code, message) => {
    const result = await ledgerTool(api.dataDir, 'callers', ...args);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) as unknown });
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('keys', () => {
  it('appear in no answer, no metric, no page and no line of the log', async () => {
    const key = keyOf('reader');
    const secret = key.slice(12, 40);
    const wrong = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
    const places: [string, string, Record<string, string>][] = [
      ['GET', '/api/v1/assets', { authorization: `Bearer ${wrong}` }],
      ['GET', '/api/v1/assets', { authorization: `Basic ${key}` }],
      ['GET', `/api/v1/assets/${key}`, {}],
      ['GET', `/nothing?x=${key}`, {}],
      ['GET', `/%zz${key}`, {}],
      ['POST', '/api/v1/assets', { 'content-type': key }],
      ['PUT', '/api/v1/assets/a', { expect: key }],
      ['GET', '/api/v1/assets', { 'x-request-id': key }],
      ['GET', '/api/v1/assets?limit=0', { cookie: key, referer: `http://x/?k=${key}`, 'user-agent': key }],
      ['POST', '/api/v1/assets', { 'idempotency-key': key, 'content-type': 'application/json' }],
      ['GET', '/metrics', {}],
      ['GET', '/docs', {}],
      ['GET', '/docs-json', {}],
    ];
    for (const [method, path, headers] of places) {
      for (const login of [{}, { 'x-api-key': key }]) {
        const answer = await call(api.origin, method, path, { headers: { ...login, ...headers } });
        const revealed = {
          path,
          status: answer.status,
          isRevealed: `${JSON.stringify(answer.headers)}${answer.text}`.includes(secret),
        };
        expect(revealed).toEqual({ ...revealed, isRevealed: false });
      }
    }
    expect(api.program.stdout).not.toContain(secret);
    expect(readFileSync(join(api.dataDir, 'callers.json'), 'utf8')).not.toContain(secret);
  });
});

describe('beyond loopback', () => {
  it('accepts keys over https only, and shows open pages on both', async () => {
    const env = { LEDGER_AUTH: 'on', LEDGER_API_HOST: '0.0.0.0', LEDGER_METRICS: 'open' };
    const files = { LEDGER_CALLERS_FILE: join(api.dataDir, 'callers.json') };
    const open = await LedgerApi.start({ ...env, ...files, LEDGER_API_HTTPS_PORT: String(await freePort()) });
    try {
      const key = keyOf('reader');
      const [plain, secure] = [open.origin, open.secureOrigin!].map((origin) =>
        origin.replace('0.0.0.0', '127.0.0.1'),
      ) as [string, string];
      const get = async (origin: string, path: string, headers = {}) =>
        (await call(origin, 'GET', path, { headers })).status;
      expect(await get(secure, '/api/v1/assets', { 'x-api-key': key })).toBe(200);
      expect(await get(plain, '/api/v1/assets', { 'x-api-key': key })).toBe(403);
      expect(await get(plain, '/api/v1/assets')).toBe(403);
      expect(await get(plain, '/api/v1/assets', { 'x-forwarded-proto': 'https', 'x-api-key': key })).toBe(403);
      expect(await get(secure, '/api/v1/assets')).toBe(401);
      for (const origin of [plain, secure]) {
        for (const path of ['/api/v1/health', '/readyz', '/docs', '/metrics'])
          expect(await get(origin, path)).toBe(200);
      }
    } finally {
      await open.stop();
    }
  });
});
