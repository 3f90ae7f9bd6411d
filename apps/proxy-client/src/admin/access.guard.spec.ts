import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '../stats/proxy-stats.js';
import { createPages } from './admin-application.js';
import { EventStreams } from './event-streams.js';
import { presentHealth, presentStats } from '../listener/own-pages.js';
import type { RemoteView } from './remote-view.js';

let server: Server;
let token: string | undefined;
let isPacOpen = false;
let hasMonitoring = true;
const stats = new ProxyStats();
/** A proxy without upstreams, listeners and connections, which ends any connection. */
const view: RemoteView = {
  stats: async () => Promise.resolve(presentStats(stats.snapshot())),
  health: async () => Promise.resolve(presentHealth(stats.snapshot())),
  metrics: async () => Promise.resolve({ contentType: 'text/plain', text: '' }),
  upstreams: async () => Promise.resolve({ upstreams: [], groups: [], scripts: [] }),
  ready: async () => Promise.resolve(true),
  connections: async () => Promise.resolve({ total: 0, found: 0, connections: [] }),
  endConnection: async () => Promise.resolve(true),
  selectMember: async () => Promise.resolve(true),
  testUpstream: async () => Promise.resolve({ tests: [] }),
  rules: async () => Promise.resolve({ rules: [], lists: [], default: { to: 'upstream', hits: 0 } }),
  explain: async () => Promise.reject(new Error('not used')),
  beginCheck: async () => Promise.resolve(1),
  nextCheckEvent: async () => Promise.resolve(undefined),
  abortCheck: async () => Promise.resolve(),
  history: async () => Promise.resolve({ interval_ms: 10_000, samples: [] }),
  endConnections: async () => Promise.resolve(0),
  failures: async () =>
    Promise.resolve({
      failures: [],
      rejections: [],
      last_minute: { failures: 0, rejections: 0, categories: [] },
      latest: 0,
    }),
  denials: async () => Promise.resolve({ denials: [] }),
  grants: async () => Promise.resolve({ grants: [] }),
  grant: async () => Promise.resolve('no gate'),
  asks: async () => Promise.resolve({ asks: [] }),
  answerAsk: async () => Promise.resolve('unknown' as const),
  watched: async () => Promise.resolve(),
  endGrant: async () => Promise.resolve(false),
  pac: async () => Promise.resolve({ status: 200, type: 'text/plain', text: '' }),
  listeners: async () => Promise.resolve({ listeners: [] }),
  reloadedAt: async () => Promise.resolve(undefined),
  report: async () => Promise.resolve(),
};
beforeAll(async () => {
  const access = () => ({ allowedHosts: new Set(['proxy.lan']), token, isPacOpen, hasMonitoring });
  const handler = await createPages({ view, events: new EventStreams(view), access });
  server = createServer({ requireHostHeader: false }, handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function ask(method: string, ...headers: string[]) {
  return askFor('/health', method, ...headers);
}

async function askFor(path: string, method: string, ...headers: string[]) {
  const { port } = server.address() as AddressInfo;
  const sent = request({ port, host: '127.0.0.1', path, method, headers, setHost: false, agent: false });
  sent.end(method === 'POST' ? 'x' : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

describe('the checks of requests', () => {
  it.each(['127.0.0.1', 'localhost:1', '[::1]:2', 'proxy.lan:8080'])('accept Host %s', async (host) => {
    expect(await ask('GET', 'Host', host)).toMatchObject({
      status: 200,
      body: expect.stringContaining('healthy') as string,
    });
  });

  it('accept HEAD', async () => {
    expect(await ask('HEAD', 'Host', 'localhost')).toMatchObject({ status: 200, body: '' });
  });

  it.each(['evil.example', 'evil.example:8080', '127.0.0.1.nip.example', ''])(
    'refuse Host %j (DNS rebinding) with 403',
    async (host) => {
      const answer = await ask('GET', 'Host', host);
      expect(answer).toMatchObject({ status: 403, headers: { 'cache-control': 'no-store' } });
      expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      expect(answer.body).toContain('listen.allowedHosts');
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])('refuse %s with 405 and Allow', async (method) => {
    for (const path of ['/', '/health', '/docs', '/nothing']) {
      const refused = { status: 405, headers: { allow: 'GET, HEAD' } };
      expect(await askFor(path, method, 'Host', 'localhost')).toMatchObject(refused);
    }
  });

  it('refuse a request without Host or with two (RFC 9112, section 3.2) with 400', async () => {
    expect(await ask('GET')).toMatchObject({ status: 400, headers: { connection: 'close' } });
    expect(await ask('GET', 'Host', 'localhost', 'Host', 'localhost')).toMatchObject({ status: 400 });
  });

  describe('of a connection that is ended', () => {
    const end = async (...headers: string[]) =>
      askFor('/connections/17', 'DELETE', 'Host', '127.0.0.1:9090', ...headers);

    it.each([
      [],
      ['Sec-Fetch-Site', 'same-origin', 'Origin', 'http://127.0.0.1:9090'],
      ['Sec-Fetch-Site', 'none'],
      ['Origin', 'http://127.0.0.1:9090'],
    ])('accept %s %s %s %s', async (...headers) => {
      expect(await end(...headers)).toMatchObject({ status: 204 });
    });

    it.each([
      ['Sec-Fetch-Site', 'cross-site'],
      ['Sec-Fetch-Site', 'same-site', 'Origin', 'http://127.0.0.1:9090'],
      ['Origin', 'http://127.0.0.1:8080'],
      ['Origin', 'https://127.0.0.1:9090'],
      ['Origin', 'null'],
      ['Sec-Fetch-Site', 'same-origin', 'Origin', 'http://evil.example'],
    ])('refuse a page of another origin: %s %s %s %s', async (...headers) => {
      expect(await end(...headers)).toMatchObject({ status: 403 });
    });

    it('accept only DELETE there, and DELETE only there', async () => {
      expect(await askFor('/connections/17', 'GET', 'Host', 'localhost')).toMatchObject({
        status: 405,
        headers: { allow: 'DELETE' },
      });
      expect(await askFor('/connections', 'PUT', 'Host', 'localhost')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, DELETE' },
      });
    });
  });

  describe.each([
    ['DELETE', '/connections?user=ci', 200],
    ['POST', '/check?target=a.example:80', 200],
    ['POST', '/upstreams/work/test', 200],
    ['PUT', '/upstreams/any/member', 400],
  ])('of %s %s', (method, path, status) => {
    it('accept the page itself, and refuse pages of other origins', async () => {
      const ask = async (...headers: string[]) => (await askFor(path, method, 'Host', 'localhost', ...headers)).status;
      expect(await ask()).toBe(status);
      expect(await ask('Sec-Fetch-Site', 'same-origin', 'Origin', 'http://localhost')).toBe(status);
      expect(await ask('Sec-Fetch-Site', 'cross-site')).toBe(403);
      expect(await ask('Origin', 'http://evil.example')).toBe(403);
    });

    it('require the token', async () => {
      token = 'right-token';
      try {
        expect((await askFor(path, method, 'Host', 'localhost')).status).toBe(401);
        const right = await askFor(path, method, 'Host', 'localhost', 'Authorization', 'Bearer right-token');
        expect(right.status).toBe(status);
      } finally {
        token = undefined;
      }
    });
  });

  describe('where a token is required', () => {
    beforeAll(() => {
      token = 'right-token';
    });
    afterAll(() => {
      token = undefined;
    });
    const statusOf = async (path: string, ...headers: string[]) => {
      const { status } = await askFor(path, 'GET', 'Host', 'localhost', ...headers);
      return status;
    };

    it.each([
      '/stats',
      '/health',
      '/listeners',
      '/upstreams',
      '/connections',
      '/failures',
      '/rules',
      '/history',
      '/proxy.pac',
      '/docsx',
      '/pagesx',
      '//',
    ])('refuse %s without it', async (path) => {
      expect(await statusOf(path)).toBe(401);
      expect(await statusOf(`${path}?token=right-token`)).toBe(401);
      for (const wrong of ['Bearer right-toke', 'Bearer right-token2', 'Bearer RIGHT-TOKEN', 'Basic right-token', '']) {
        expect(await statusOf(path, 'Authorization', wrong)).toBe(401);
      }
      const isPage = !['/docsx', '/pagesx', '//'].includes(path);
      for (const right of ['Bearer right-token', 'bearer right-token']) {
        expect(await statusOf(path, 'Authorization', right)).toBe(isPage ? 200 : 404);
      }
    });

    it.each([
      '/',
      '/pages/page-1a2b.js',
      '/readyz',
      '/metrics',
      '/metrics?x=1',
      '/docs',
      '/docs/swagger-ui.css',
      '/docs-json',
    ])('serve %s without it', async (path) => {
      // Neither the page for people nor its files are built in this test.
      expect(await statusOf(path)).toBe(/^\/(?:pages\/.*)?$/.test(path) ? 404 : 200);
    });

    it('serve /proxy.pac without it if a proxy listener serves it to everyone', async () => {
      isPacOpen = true;
      expect([await statusOf('/proxy.pac'), await statusOf('/proxy.pacx'), await statusOf('/connections')]).toEqual([
        200, 401, 401,
      ]);
      isPacOpen = false;
      expect(await statusOf('/proxy.pac')).toBe(401);
    });

    it('state what is required', async () => {
      const { headers, body } = await askFor('/stats', 'GET', 'Host', 'localhost');
      expect(headers['www-authenticate']).toBe('Bearer realm="proxy-client admin"');
      expect(body).toContain('Authorization: Bearer TOKEN');
      expect(await askFor('/connections/1', 'DELETE', 'Host', 'localhost')).toMatchObject({ status: 401 });
    });
  });

  describe('of a changed token', () => {
    const ask = async (...headers: string[]) => {
      const answer = await askFor('/listeners', 'GET', 'Host', 'localhost', ...headers);
      return [answer.status, answer.headers['x-error-code'], answer.headers['x-admin-token-id']];
    };
    const bearer = (secret: string) => ['Authorization', `Bearer ${secret}`];
    afterAll(() => {
      token = undefined;
    });

    it('notify a client that has used the previous one, and no other client', async () => {
      token = 'first-token';
      const [status, , id] = await ask(...bearer('first-token'));
      expect([status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{8}$/)]);
      const known = ['X-Admin-Token-Id', String(id)];
      expect(await ask()).toEqual([401, 'ADMIN.TOKEN_REQUIRED', undefined]);
      expect(await ask(...bearer('guessed'))).toEqual([401, 'ADMIN.TOKEN_WRONG', undefined]);
      expect(await ask(...bearer('guessed'), ...known)).toEqual([401, 'ADMIN.TOKEN_WRONG', undefined]);
      token = 'second-token';
      expect(await ask(...bearer('first-token'), ...known)).toEqual([401, 'ADMIN.TOKEN_CHANGED', undefined]);
      expect(await ask(...bearer('first-token'))).toEqual([401, 'ADMIN.TOKEN_WRONG', undefined]);
      const [, , next] = await ask(...bearer('second-token'), ...known);
      expect(next).not.toBe(id);
    });
  });

  it('serve /stats and /health only while a listener accepts HTTP', async () => {
    const statuses = async () => {
      const answers = await Promise.all(
        ['/stats', '/health'].map(async (path) => askFor(path, 'GET', 'Host', '[::1]')),
      );
      return answers.map(({ status }) => status);
    };
    hasMonitoring = false;
    expect([await statuses(), (await askFor('/stats', 'POST', 'Host', '[::1]')).status]).toEqual([[404, 404], 405]);
    hasMonitoring = true;
    expect(await statuses()).toEqual([200, 200]);
  });

  it('apply to /docs, which had no protection against frames and type sniffing', async () => {
    const { headers } = await askFor('/docs', 'GET', 'Host', 'localhost');
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("script-src 'self'") as string,
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(await askFor('/docs', 'GET', 'Host', 'evil.example')).toMatchObject({ status: 403 });
  });

  it.each(['/stats', '/connections', '/failures', '/docs-json', '/nothing', '/connections?nope=1'])(
    'set the security headers of %s',
    async (path) => {
      expect((await askFor(path, 'GET', 'Host', 'localhost')).headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
        'x-content-type-options': 'nosniff',
      });
    },
  );
});
