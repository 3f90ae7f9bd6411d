import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { createPages, generateDocument } from './admin-application.js';
import type { UpstreamsSnapshot } from '../upstream/upstreams.js';
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

const faults: string[] = [];
let url: string;
const stats = new ProxyStats();
const view: ProxyView = {
  snapshot: async () => Promise.resolve(stats.snapshot()),
  metrics: async () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
  upstreams: async () => Promise.resolve({ servers: SERVERS, groups: GROUPS }),
  ready: async () => Promise.resolve(true),
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
  server.on('request', await createPages(forwarded, (message) => faults.push(message))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('the admin pages', () => {
  it.each(['/stats', '/health'])('serve %s as JSON that nobody stores, without CORS', async (path) => {
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

  it('show how the upstreams do', async () => {
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
        { ...work, since: at, connections_opened: 2, connections_failed: 1 },
        { ...here, ...failure, since: at, connections_opened: 0, connections_failed: 0 },
      ],
      groups: [{ name: 'any', pick: 'failover', members: ['work', 'here'], failovers: 3 }],
    });
  });

  it('say whether an upstream works, by the status too', async () => {
    const ready = async () => {
      const answer = await fetch(`${url}/readyz`);
      return [answer.status, answer.headers.get('cache-control'), await answer.json()];
    };
    expect(await ready()).toEqual([200, 'no-store', { status: 'ready' }]);
    asked.ready = async () => Promise.resolve(false);
    expect(await ready()).toEqual([503, 'no-store', { status: 'no upstream works' }]);
  });

  it('tell a fault, and not the client what it was', async () => {
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
