import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { EventReader, type Message } from '../../support/event-reader.js';
import { freePort } from '../../support/free-port.js';
import { call, LedgerApi } from '../../support/ledger-api.js';
import { metricProblems } from '../../support/metric-names.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

let api: LedgerApi;
beforeAll(async () => {
  const settings = { LEDGER_API_ALLOWED_HOSTS: 'ledger.example,Other.example', LOG_LEVEL: 'debug' };
  api = await LedgerApi.start({ LEDGER_API_HTTPS_PORT: String(await freePort()), ...settings });
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

const failure = { success: false, message: expect.stringMatching(/\S/) as unknown };

/** Lines of the log, parsed. */
const logged = () =>
  api.program.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('https', () => {
  it('serves the same ledger with a self-signed certificate whose fingerprint is printed', async () => {
    const secure = api.secureOrigin!;
    await api.create('https-1');
    expect(await call(secure, 'GET', '/api/v1/assets/https-1')).toMatchObject({ status: 200 });
    const body = { appraisedValue: '1', color: 'c', owner: 'o', size: 's' };
    expect(await call(secure, 'POST', '/api/v1/assets', { body })).toMatchObject({ status: 201 });
    expect(await call(secure, 'GET', '/api/v1/nothing')).toMatchObject({ status: 404, json: failure });
    expect(await call(secure, 'GET', '/api/v1/assets/%zz')).toMatchObject({ status: 400, json: failure });
    const certificate = readFileSync(join(api.dataDir, 'tls', 'cert.pem'), 'utf8');
    const { X509Certificate } = await import('node:crypto');
    expect(api.program.stdout).toContain(new X509Certificate(certificate).fingerprint256);
    expect((await stat(join(api.dataDir, 'tls', 'key.pem'))).mode & 0o777).toBe(0o600);
  });

  it('streams the same events as without', async () => {
    const readers = await Promise.all(
      [api.secureOrigin!, api.origin].map((origin) => EventReader.open(`${origin}/api/v1/events?from=0`)),
    );
    await api.create('https-2');
    const [secure, plain] = readers.map(({ messages }) => messages);
    const isThere = ({ data }: Message): boolean => data['assetId'] === 'https-2';
    await until(() => secure!.some(isThere) && plain!.some(isThere) && secure!.length === plain!.length);
    expect(secure).toEqual(plain);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  it('sends no HSTS, and no answer to plain text', async () => {
    expect(
      (await call(api.secureOrigin!, 'GET', '/api/v1/health')).headers['strict-transport-security'],
    ).toBeUndefined();
    const plain = await RawConnection.open(api.secureOrigin!.replace('https', 'http'));
    expect(await plain.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n').closed).not.toContain('HTTP/1.1 200');
  });
});

describe('headers', () => {
  it.each(['/docs', '/docs/', '/docs/index.html', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js'])(
    "are helmet's on the page %s",
    async (path) => {
      const { headers } = await call(api.origin, 'GET', path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['content-security-policy']).toContain("default-src 'self'");
      expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
      expect(headers['strict-transport-security']).toBeUndefined();
    },
  );

  it.each(['/api/v1/health', '/api/v1/assets', '/nothing', '/api/v1/assets/%zz', '/docs-json', '/readyz'])(
    'are those that mean something for JSON on %s',
    async (path) => {
      const { headers, status } = await call(api.origin, 'GET', path);
      expect(Object.keys(headers).sort()).toEqual(
        [
          ...(status >= 400 ? ['x-error-code'] : []),
          // A list is also available as CSV.
          ...(path === '/api/v1/assets' ? ['vary'] : []),
          'connection',
          headers['content-length'] === undefined ? 'transfer-encoding' : 'content-length',
          'content-type',
          'cross-origin-resource-policy',
          'date',
          'x-content-type-options',
          'x-request-id',
        ].sort(),
      );
      expect(headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
    },
  );

  it("repeat the caller's request id, make one where there is none, and log it", async () => {
    const given = await api.api('GET', '/health', { headers: { 'x-request-id': 'caller-7' } });
    expect(given.headers['x-request-id']).toBe('caller-7');
    const made = (await api.api('GET', '/nothing')).headers['x-request-id'];
    expect(made).toMatch(/^[\x21-\x7e]+$/);
    expect((await api.api('GET', '/health')).headers['x-request-id']).not.toBe(made);
    // A line may come behind the answer that it is about.
    for (const requestId of ['caller-7', made]) await api.program.printed(`"${String(requestId)}"`);
    const lines = logged();
    for (const requestId of ['caller-7', made]) expect(lines).toContainEqual(expect.objectContaining({ requestId }));
  });
});

describe('a request by the name of a host', () => {
  it.each(['ledger.example', 'LEDGER.example.:80', 'other.example:1', 'localhost', '[::1]:1'])(
    'is served to %s, which is configured or loopback',
    async (host) => {
      expect((await api.api('GET', '/health', { headers: { host } })).status).toBe(200);
    },
  );

  it('is refused with 403 for another', async () => {
    expect((await api.api('GET', '/health', { headers: { host: 'evil.example' } })).status).toBe(403);
  });
});

describe('GET /readyz', () => {
  it('reports that the ledger is available', async () => {
    expect(await call(api.origin, 'GET', '/readyz')).toMatchObject({ status: 200, json: { status: 'ready' } });
  });
});

describe('GET /metrics', () => {
  it('counts requests by route and status, shows the ledger, and makes no series for unknown paths', async () => {
    await api.create('metrics-1');
    await api.api('GET', '/assets/metrics-1');
    await api.api('GET', '/assets/nobody');
    await call(api.origin, 'GET', '/wp-login.php');
    await api.api('DELETE', '/assets/metrics-1');
    const { status, headers, text } = await call(api.origin, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    // Gauges had the names of counters, which promtool refuses.
    expect(metricProblems(text)).toEqual([]);
    const count = (labels: string) =>
      Number(new RegExp(`^http_request_duration_seconds_count\\{${labels}\\} (\\d+)$`, 'm').exec(text)?.[1]);
    expect(count('method="POST",route="/api/v1/assets",status="201"')).toBeGreaterThanOrEqual(1);
    expect(count('method="GET",route="/api/v1/assets/:id",status="200"')).toBeGreaterThanOrEqual(1);
    expect(count('method="GET",route="/api/v1/assets/:id",status="404"')).toBe(1);
    expect(count('method="any",route="unknown",status="404"')).toBeGreaterThanOrEqual(1);
    expect(count('method="other",route="/api/v1/assets/:id",status="405"')).toBe(1);
    expect(text).not.toContain('wp-login');
    expect(text).not.toContain('metrics-1');
    const { data } = (await api.api('GET', '/blockchain/height')).json as { data: { height: number } };
    expect(text).toContain(`\nledger_height ${data.height}\n`);
    expect(text).toMatch(/^ledger_queue_length 0$/m);
    expect(text).toMatch(/^ledger_commit_duration_seconds_count [1-9]/m);
    expect(text).toMatch(/^ledger_transactions_total [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });
});

describe('the API document', () => {
  it('is served as it is committed, with the servers as they were asked for', async () => {
    const documentAt = async (origin: string, host?: string) => {
      const answer = await call(origin, 'GET', '/docs-json', host === undefined ? {} : { headers: { host } });
      return answer.json as { servers: { url: string }[] };
    };
    const urls = async (origin: string, host?: string) =>
      (await documentAt(origin, host)).servers.map(({ url }) => url);
    const secure = new URL(api.secureOrigin!);
    // The port for http was chosen by the system, so only its user knows it.
    expect(await urls(api.origin)).toEqual([`${api.origin}/api/v1`, `${secure.origin}/api/v1`]);
    expect(await urls(secure.origin)).toEqual([`${secure.origin}/api/v1`]);
    expect(await urls(api.origin, 'localhost:80')).toEqual([
      'http://localhost:80/api/v1',
      `https://localhost:${secure.port}/api/v1`,
    ]);
    expect(await urls(api.origin, '[::1]')).toEqual(['http://[::1]/api/v1', `https://[::1]:${secure.port}/api/v1`]);
    const served = await documentAt(api.origin);
    const committed = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as typeof served;
    expect({ ...served, servers: [] }).toEqual({ ...committed, servers: [] });
  });

  it('has a page whose only server is the one that it came from', async () => {
    for (const path of ['/docs/swagger-ui-init.js', '/docs/docs/swagger-ui-init.js']) {
      const { text } = await call(api.origin, 'GET', path);
      const [, servers = ''] = /"servers": (\[[^\]]*\])/.exec(text) ?? [];
      expect((JSON.parse(servers) as { url: string }[]).map(({ url }) => url)).toEqual(['/api/v1']);
    }
  });

  it('has a page that loads without anything from elsewhere', async () => {
    const page = await call(api.origin, 'GET', '/docs');
    expect(page).toMatchObject({ status: 200 });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, source]) => source!);
    expect(sources.length).toBeGreaterThan(3);
    for (const source of sources) {
      expect(source).toMatch(/^\.\//);
      expect((await call(api.origin, 'GET', source.slice(1))).status).toBe(200);
    }
  });
});

describe('the log', () => {
  it('is JSON lines, one per request at debug, with no secret in it', async () => {
    await api.api('GET', '/health', { headers: { authorization: 'Bearer top-secret', cookie: 'session=top-secret' } });
    const lines = logged();
    expect(lines).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        url: '/api/v1/health',
        status: 200,
        milliseconds: expect.any(Number) as unknown,
      }),
    );
    expect(api.program.stdout).not.toContain('top-secret');
    expect(api.program.stdout).not.toContain('PRIVATE KEY');
  });
});
