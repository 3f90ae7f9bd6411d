import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '../stats/proxy-stats.js';
import { exchange, RawConnection } from '../../../../test/support/raw-http.js';
import { until } from '../../../../test/support/until.js';
import { createPages, generateDocument } from './admin-application.js';
import type { ConnectionFilter, ConnectionQuery } from '../activity/connections.js';
import type { FailureList, LiveConnection } from './api/activity.responses.js';
import type { Grant } from './api/gate.responses.js';
import type { History, ListenerList } from './api/monitoring.responses.js';
import type { RouteExplanation, RuleStatusList } from './api/routes.responses.js';
import type { UpstreamList } from './api/upstreams.responses.js';
import type { CheckEvent, CheckQuery } from './running-checks.js';
import { EventStreams } from './event-streams.js';
import { presentHealth, presentStats } from '../listener/own-pages.js';
import type { RemoteView } from './remote-view.js';

const AT = '2026-01-31T08:30:00.000Z';
const UPSTREAMS: UpstreamList = {
  upstreams: [
    {
      name: 'here',
      address: null,
      protocol: null,
      via: null,
      state: 'down',
      suspect: false,
      since: AT,
      down_since: AT,
      latency_ms: null,
      checked_at: null,
      last_failure: { category: 'upstream_unreachable', at: AT },
      connections_opened: 0,
      connections_failed: 0,
    },
  ],
  scripts: [],
  groups: [{ name: 'any', pick: 'failover', members: ['here'], failovers: 3, selected: null, current: 'here' }],
};
const CONNECTION: LiveConnection = {
  id: '17',
  state: 'open',
  method: 'CONNECT',
  target: 'example.com:443',
  upstream: 'work',
  rule: 2,
  client: '127.0.0.1',
  user: null,
  started_at: AT,
  ended_at: null,
  ended_by: null,
  age_ms: 1250,
  bytes_sent: 1894,
  bytes_received: 52_110,
  status: null,
  error: null,
};
const FAILURES: FailureList = {
  failures: [
    {
      number: 1,
      at: AT,
      category: 'upstream_unreachable',
      status: 502,
      hint: 'Check it.',
      detail: null,
      method: null,
      target: null,
      upstream: 'here',
      rule: 2,
      client: null,
      user: 'ci',
    },
  ],
  rejections: [],
  last_minute: { failures: 1, rejections: 0, categories: [{ category: 'upstream_unreachable', count: 1 }] },
  latest: 1,
};
const RULES: RuleStatusList = {
  rules: [{ number: 1, text: 'users ci to here', to: 'here', hits: 3 }],
  lists: [],
  default: { to: 'any', hits: 0 },
};
const HISTORY: History = { interval_ms: 10_000, samples: [] };
const EXPLANATION = {
  target: 'a.example:80',
  decision: 'forwarded',
  lines: ['a.example:80'],
} as unknown as RouteExplanation;
const CHECK_EVENTS: readonly CheckEvent[] = [
  { event: 'step', data: { step: 'route', upstream: null, result: 'ok', detail: 'the request goes to here', ms: 0 } },
  { event: 'end', data: { result: 'ok', ms: 3 } },
];
const TCP = { socket: null, tls: 'off', spki: null, valid_until: null } as const;
const LISTENERS: ListenerList = {
  listeners: [
    { mode: 'http', host: '127.0.0.1', port: 8080, to: null, asks_for_password: false, ...TCP },
    { mode: 'tunnel', host: '::', port: 5433, to: 'db.internal:5432', asks_for_password: true, ...TCP },
  ],
};

const GRANT: Grant = { id: '1', target: 'a.example:443', since: AT, until: AT, requests: 0 };
const grants: unknown[] = [];
const queries: ConnectionQuery[] = [];
const filters: ConnectionFilter[] = [];
const checks: (CheckQuery | number)[] = [];
let checkEvents: CheckEvent[] = [];
const faults: string[] = [];
let url: string;
const stats = new ProxyStats();
const view: RemoteView = {
  stats: async () => Promise.resolve(presentStats(stats.snapshot())),
  health: async () => Promise.resolve(presentHealth(stats.snapshot())),
  metrics: async () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
  upstreams: async () => Promise.resolve(UPSTREAMS),
  ready: async () => Promise.resolve(true),
  selectMember: async (group, member) => Promise.resolve(group === 'any' && (member === null || member === 'here')),
  testUpstream: async (name) => Promise.resolve(name === 'any' ? { tests: [] } : undefined),
  rules: async () => Promise.resolve(RULES),
  explain: async () => Promise.resolve(EXPLANATION),
  beginCheck: async (query) => {
    checks.push(query);
    return Promise.resolve(query.user === 'busy' ? undefined : 7);
  },
  nextCheckEvent: async () => Promise.resolve(checkEvents.shift()),
  abortCheck: async (id) => {
    checks.push(id);
    return Promise.resolve();
  },
  history: async () => Promise.resolve(HISTORY),
  endConnections: async (filter) => {
    filters.push(filter);
    return Promise.resolve(2);
  },
  connections: async (query) => {
    queries.push(query);
    return Promise.resolve({ total: 3, found: 2, connections: [CONNECTION] });
  },
  endConnection: async (id) => Promise.resolve(id === '17'),
  failures: async () => Promise.resolve(FAILURES),
  denials: async () => Promise.resolve({ denials: [] }),
  grants: async () => Promise.resolve({ grants: [GRANT] }),
  grant: async (grantTarget, milliseconds, by) => {
    grants.push([grantTarget, milliseconds, by]);
    return Promise.resolve(grantTarget.host === 'full' ? 'too many' : grantTarget.host === 'none' ? 'no gate' : GRANT);
  },
  asks: async () => Promise.resolve({ asks: [] }),
  answerAsk: async () => Promise.resolve('unknown' as const),
  watched: async () => Promise.resolve(),
  endGrant: async (id) => Promise.resolve(id === '1'),
  pac: async (authority) => Promise.resolve({ status: 500, type: 'text/plain', text: `for ${authority}` }),
  listeners: async () => Promise.resolve(LISTENERS),
  reloadedAt: async () => Promise.resolve(undefined),
  report: async (message) => {
    faults.push(message);
    return Promise.resolve();
  },
};
const asked = { stats: view.stats, ready: view.ready };

const server = createServer();
beforeAll(async () => {
  const forwarded = { ...view, stats: async () => asked.stats(), ready: async () => asked.ready() };
  const access = () => ({ allowedHosts: new Set<string>(), token: undefined, isPacOpen: false, hasMonitoring: true });
  server.on('request', await createPages({ view: forwarded, events: new EventStreams(forwarded), access }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('the admin pages', () => {
  it.each(['/stats', '/health'])('serve %s as JSON that is not cached, without CORS', async (path) => {
    const answer = await fetch(url + path, { headers: { Origin: 'https://evil.example' } });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(await answer.json()).toMatchObject({
      uptime: expect.stringMatching(/^\d+s$/) as string,
      active_connections: 0,
    });
    const head = await fetch(url + path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
  });

  it.each([
    ['/upstreams', UPSTREAMS],
    ['/listeners', LISTENERS],
    ['/failures', FAILURES],
    ['/rules', RULES],
    ['/history', HISTORY],
    ['/denials', { denials: [] }],
    ['/grants', { grants: [GRANT] }],
    ['/explain?target=a.example:80', EXPLANATION],
  ])('show %s as the proxy returns it', async (path, shown) => {
    const answer = await fetch(url + path);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await answer.json()).toEqual(shown);
  });

  it('check the Host of a path that cannot be decoded too', async () => {
    const malformed = await exchange(url, 'GET /% HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n');
    expect(malformed).toMatch(/^HTTP\/1.1 400 [^]*x-frame-options: DENY[^]*The path is malformed\.\n$/i);
    const foreign = await exchange(url, 'GET /% HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    expect(foreign).toMatch(/^HTTP\/1.1 403 /);
  });

  it('report nothing when a client leaves before its body is complete', async () => {
    const before = faults.length;
    const connection = await RawConnection.open(url);
    const head = 'PUT /upstreams/any/member HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
    connection.write(`${head}Content-Length: 100\r\n\r\n{`).half();
    await connection.closed;
    await fetch(`${url}/stats`);
    expect(faults.slice(before)).toEqual([]);
  });

  it('name the command that builds the dashboard, if it is not built', async () => {
    const answer = await fetch(`${url}/`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    expect(await answer.text()).toContain('npm run build');
    expect((await fetch(`${url}/pages/page.js`)).status).toBe(404);
  });

  it('show the connections in use', async () => {
    const answer = await fetch(`${url}/connections?sort=received&order=asc&limit=1&find=Ex%20a`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await answer.json()).toEqual({ total: 3, found: 2, connections: [CONNECTION] });
    await fetch(`${url}/connections`);
    await fetch(`${url}/connections?state=finished&sort=ended&rule=none&user=&upstream=work`);
    expect(queries).toEqual([
      { sort: 'received', order: 'asc', limit: 1, find: 'Ex a', state: 'active' },
      { sort: 'age', order: 'desc', limit: 100, state: 'active' },
      { sort: 'ended', order: 'desc', limit: 100, state: 'finished', rule: 'none', user: '', upstream: 'work' },
    ]);
  });

  it.each([
    'sort=speed',
    'order=up',
    'limit=0',
    'state=idle',
    'limit=1001',
    'limit=many',
    'find=a&find=b',
    'sort=age&sort=age',
    // An unknown parameter was ignored.
    'nope=1',
    `find=${'a'.repeat(257)}`,
  ])('refuse /connections?%s with 400', async (query) => {
    expect((await fetch(`${url}/connections?${query}`)).status).toBe(400);
  });

  it('end a connection, if it exists', async () => {
    const end = async (id: string) => {
      const answer = await fetch(`${url}/connections/${id}`, { method: 'DELETE' });
      return [answer.status, answer.headers.get('cache-control'), await answer.text()];
    };
    expect(await end('17')).toEqual([204, 'no-store', '']);
    expect(await end('18')).toEqual([404, 'no-store', 'There is no such connection; it may have ended.\n']);
  });

  it('end all connections that match filters, but no finished ones', async () => {
    const end = async (query: string) => fetch(`${url}/connections${query}`, { method: 'DELETE' });
    const answer = await end('?user=ci&state=open');
    expect([answer.status, await answer.json()]).toEqual([200, { ended: 2 }]);
    for (const query of ['?state=finished', '?limit=1', '?user=a&user=b']) expect((await end(query)).status).toBe(400);
    expect(filters).toEqual([{ user: 'ci', state: 'open' }]);
  });

  it.each([
    ['any', '{"member":"here"}', 200],
    ['any', '{"member":null}', 200],
    ['any', '{"member":"other"}', 404],
    ['other', '{"member":null}', 404],
    ['any', '{"member":""}', 400],
    ['any', '{"member":null,"more":1}', 400],
    ['any', '{}', 400],
    ['any', 'null', 400],
    ['any', '{', 400],
    ['any', `{"member":"${'x'.repeat(2000)}"}`, 413],
  ])('select the member of %s by %s with %d', async (group, body, status) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/upstreams/${group}/member`, { method: 'PUT', headers, body });
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([status, 'no-store']);
    if (status === 200) expect(await answer.json()).toEqual(UPSTREAMS);
  });

  it('refuse a selection that is not JSON', async () => {
    const answer = await fetch(`${url}/upstreams/any/member`, { method: 'PUT', body: 'member=here' });
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('application/json')]);
  });

  it.each([
    ['{"target":"A.example.:443","for":"1h"}', 201],
    ['{"target":"*.a.example:443","for":"24h"}', 201],
    ['{"target":"[::ffff:10.0.0.1]:443","for":"1s"}', 201],
    ['{"target":"full:443","for":"1h"}', 409],
    ['{"target":"none:443","for":"1h"}', 409],
    ['{"target":"*:443","for":"1h"}', 400],
    ['{"target":"a.example","for":"1h"}', 400],
    ['{"target":"a.example:0","for":"1h"}', 400],
    ['{"target":"a.example:65536","for":"1h"}', 400],
    ['{"target":"10.0.0.0/8:443","for":"1h"}', 400],
    ['{"target":"::1:443","for":"1h"}', 400],
    ['{"target":"a.example:443","for":"25h"}', 400],
    ['{"target":"a.example:443","for":"999ms"}', 400],
    ['{"target":"a.example:443","for":3600}', 400],
    ['{"target":"a.example:443"}', 400],
    ['{"target":"a.example:443","for":"1h","user":"ci"}', 400],
    ['[]', 400],
    ['null', 400],
    ['{', 400],
  ])('answer the request %s for a grant with %d', async (body, status) => {
    grants.length = 0;
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/grants`, { method: 'POST', headers, body });
    expect(answer.status).toBe(status);
    expect(grants).toHaveLength(status === 400 ? 0 : 1);
    if (status === 201) expect(await answer.json()).toEqual(GRANT);
  });

  it('pass a grant on with its canonical host and its caller', async () => {
    grants.length = 0;
    const headers = { 'Content-Type': 'application/json' };
    const body = '{"target":"BÜCHER.example.:443","for":"1m30s"}';
    await fetch(`${url}/grants`, { method: 'POST', headers, body });
    expect(grants).toEqual([[{ host: 'xn--bcher-kva.example', port: 443 }, 90_000, '127.0.0.1']]);
  });

  it('end a grant, if it exists', async () => {
    const end = async (id: string) => (await fetch(`${url}/grants/${id}`, { method: 'DELETE' })).status;
    expect([await end('1'), await end('2')]).toEqual([204, 404]);
    expect((await fetch(`${url}/grants`, { method: 'PUT' })).status).toBe(405);
  });

  it('test an upstream, if it exists', async () => {
    const test = async (name: string) => (await fetch(`${url}/upstreams/${name}/test`, { method: 'POST' })).status;
    expect([await test('any'), await test('other')]).toEqual([200, 404]);
  });

  it('stream the steps of a check to its caller', async () => {
    checkEvents = [...CHECK_EVENTS];
    const check = async (query: string) => fetch(`${url}/check?${query}`, { method: 'POST' });
    const answer = await check('target=a.example:80&user=ci');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(await answer.text()).toBe(
      CHECK_EVENTS.map(({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
    );
    expect(checks[0]).toEqual({ target: { host: 'a.example', port: 80 }, user: 'ci', caller: '127.0.0.1' });
    await until(() => checks.includes(7));
    const busy = await check('target=a.example:80&user=busy');
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '1']);
  });

  it.each(['', 'target=a.example', 'target=a:1&target=a:2', 'target=a:1&nope=1', 'target=a:1&user=b&user=c'])(
    'refuse /explain and /check of %j with 400',
    async (query) => {
      expect((await fetch(`${url}/explain?${query}`)).status).toBe(400);
      expect((await fetch(`${url}/check?${query}`, { method: 'POST' })).status).toBe(400);
    },
  );

  it('start a stream of events', async () => {
    const answer = await fetch(`${url}/events`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const reader = answer.body!.getReader();
    const { value } = (await reader.read()) as { readonly value: Uint8Array };
    await reader.cancel();
    expect(Buffer.from(value).toString()).toMatch(/^id: 1\nevent: stats\ndata: \{"start_time":.+\}\n\n/);
    expect((await fetch(`${url}/events`, { method: 'HEAD' })).status).toBe(200);
  });

  it('report whether an upstream works, also by the status', async () => {
    const ready = async () => {
      const answer = await fetch(`${url}/readyz`);
      return [answer.status, answer.headers.get('cache-control'), await answer.json()];
    };
    expect(await ready()).toEqual([200, 'no-store', { status: 'ready' }]);
    asked.ready = async () => Promise.resolve(false);
    expect(await ready()).toEqual([503, 'no-store', { status: 'no upstream works' }]);
  });

  it('serve the PAC file of the proxy, which cannot be run as a script', async () => {
    const answer = await fetch(`${url}/proxy.pac`);
    expect([answer.status, await answer.text()]).toEqual([500, `for ${new URL(url).host}`]);
    const fields = ['cache-control', 'x-content-type-options'].map((name) => answer.headers.get(name));
    expect(fields).toEqual(['no-store', 'nosniff']);
  });

  it('report an error to the log and not to the client', async () => {
    asked.stats = async () => Promise.reject(new Error('s3cret'));
    const answer = await fetch(`${url}/stats`);
    asked.stats = view.stats;
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('s3cret')]);
    expect(faults.join()).toContain('s3cret');
  });

  it('serve metrics and documentation', async () => {
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect([metrics.headers.get('cache-control'), await metrics.text()]).toEqual(['no-store', 'up 1\n']);
    const page = await fetch(`${url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const document = await fetch(`${url}/docs-json`);
    expect(await document.json()).toEqual(JSON.parse(JSON.stringify(await generateDocument())));
  });

  it('accept the methods of the document, and refuse PATCH with 405 and those in Allow', async () => {
    const { paths } = await generateDocument();
    const documented = Object.entries(paths).filter(([path]) => path !== '/stats' && path !== '/health');
    for (const [path, operations] of documented) {
      const { status, headers } = await fetch(url + path.replace(/\{\w+\}/g, 'any'), { method: 'PATCH' });
      const methods = Object.keys(operations).map((method) => method.toUpperCase());
      const allowed = headers
        .get('allow')
        ?.split(', ')
        .filter((method) => method !== 'HEAD');
      expect([path, status, allowed?.sort()]).toEqual([path, 405, methods.sort()]);
    }
  });
});
