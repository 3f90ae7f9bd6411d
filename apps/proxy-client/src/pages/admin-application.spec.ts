import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { createPages, generateDocument } from './admin-application.js';
import type { UpstreamsSnapshot } from '../upstream/upstreams.js';
import type { ConnectionQuery, ConnectionSnapshot } from '../activity/live-connections.js';
import type { RecentFailure } from '../failure/failure-reporter.js';
import { EventStreams } from './event-streams.js';
import type { ProxyView } from './proxy-view.js';

const AT = new Date('2026-01-31T08:30:00Z');
const SERVERS: UpstreamsSnapshot['servers'] = [
  {
    name: 'work',
    address: '10.0.0.1:1080',
    state: 'up',
    since: AT,
    latency: 12.345,
    checkedAt: AT,
    opened: 2,
    failed: 1,
  },
  {
    name: 'here',
    state: 'down',
    since: AT,
    opened: 0,
    failed: 0,
    lastFailure: { category: 'upstream_unreachable', at: AT },
  },
];
const GROUPS: UpstreamsSnapshot['groups'] = [
  { name: 'any', pick: 'failover', members: ['work', 'here'], failovers: 3 },
];

const CONNECTION: ConnectionSnapshot = {
  id: '17',
  method: 'CONNECT',
  target: 'example.com:443',
  upstream: 'work',
  rule: 2,
  client: '127.0.0.1',
  user: undefined,
  startedAt: AT.getTime(),
  age: 1250,
  sent: 1894,
  received: 52_110,
};
const FAILURE: RecentFailure = { at: AT, category: 'upstream_unreachable', status: 502, hint: 'Check it.', user: 'ci' };

const queries: ConnectionQuery[] = [];
const faults: string[] = [];
let url: string;
const stats = new ProxyStats();
const view: ProxyView = {
  snapshot: async () => Promise.resolve(stats.snapshot()),
  metrics: async () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
  upstreams: async () => Promise.resolve({ servers: SERVERS, groups: GROUPS }),
  ready: async () => Promise.resolve(true),
  connections: async (query) => {
    queries.push(query);
    return Promise.resolve({ total: 3, found: 2, connections: [CONNECTION] });
  },
  endConnection: async (id) => Promise.resolve(id === '17'),
  failures: async () => Promise.resolve([FAILURE]),
  pac: async (authority) => Promise.resolve({ status: 500, type: 'text/plain', text: `for ${authority}` }),
  listeners: async () =>
    Promise.resolve([
      { mode: 'http', host: '127.0.0.1', port: 8080, to: undefined, asksForPassword: false },
      { mode: 'tunnel', host: '::', port: 5433, to: 'db.internal:5432', asksForPassword: true },
    ]),
  reloadedAt: async () => Promise.resolve(undefined),
};
const asked = { ...view };

const server = createServer();
beforeAll(async () => {
  const forwarded: ProxyView = {
    ...view,
    snapshot: async () => asked.snapshot(),
    metrics: async () => asked.metrics(),
    ready: async () => asked.ready(),
  };
  server
    .on(
      'request',
      await createPages(
        {
          view: forwarded,
          events: new EventStreams(forwarded),
          access: () => ({ allowedHosts: new Set(), token: undefined, isPacOpen: false, hasMonitoring: true }),
        },
        (message) => faults.push(message),
      ),
    )
    .listen(0, '127.0.0.1');
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

  it('show the state of the upstreams', async () => {
    const answer = await fetch(`${url}/upstreams`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const at = AT.toISOString();
    const work = {
      name: 'work',
      address: '10.0.0.1:1080',
      state: 'up',
      latency_ms: 12.3,
      checked_at: at,
      last_failure: null,
    };
    const here = { name: 'here', address: null, state: 'down', latency_ms: null, checked_at: null };
    const failure = { last_failure: { category: 'upstream_unreachable', at } };
    expect(await answer.json()).toEqual({
      upstreams: [
        { ...work, suspect: false, since: at, connections_opened: 2, connections_failed: 1 },
        { ...here, suspect: false, ...failure, since: at, connections_opened: 0, connections_failed: 0 },
      ],
      groups: [{ name: 'any', pick: 'failover', members: ['work', 'here'], failovers: 3 }],
    });
  });

  it('show the listeners for clients', async () => {
    const answer = await fetch(`${url}/listeners`);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await answer.json()).toEqual({
      listeners: [
        { mode: 'http', host: '127.0.0.1', port: 8080, to: null, asks_for_password: false },
        { mode: 'tunnel', host: '::', port: 5433, to: 'db.internal:5432', asks_for_password: true },
      ],
    });
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
    const { startedAt, age, sent, received, ...shown } = CONNECTION;
    const times = { started_at: new Date(startedAt).toISOString(), age_ms: age };
    const connection = { ...shown, user: null, ...times, bytes_sent: sent, bytes_received: received };
    expect(await answer.json()).toEqual({ total: 3, found: 2, connections: [connection] });
    await fetch(`${url}/connections`);
    expect(queries).toEqual([
      { sort: 'received', order: 'asc', limit: 1, find: 'Ex a' },
      { sort: 'age', order: 'desc', limit: 100 },
    ]);
  });

  it.each([
    'sort=speed',
    'order=up',
    'limit=0',
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

  it('show the last failures with what to check', async () => {
    const nothing = { detail: null, method: null, target: null, client: null };
    expect(await (await fetch(`${url}/failures`)).json()).toEqual({
      failures: [{ ...FAILURE, ...nothing, at: AT.toISOString() }],
    });
  });

  it('start a stream of events', async () => {
    const answer = await fetch(`${url}/events`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const reader = answer.body!.getReader();
    const { value } = (await reader.read()) as { readonly value: Uint8Array };
    await reader.cancel();
    expect(Buffer.from(value).toString()).toMatch(/^id: 1\nevent: stats\ndata: \{"start_time":.+\}\n\n$/);
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
    asked.snapshot = async () => Promise.reject(new Error('s3cret'));
    const answer = await fetch(`${url}/stats`);
    asked.snapshot = async () => Promise.resolve(stats.snapshot());
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
});
