import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { createPages, generateDocument } from './admin-application.js';
import type { ProxyView } from './proxy-view.js';

const faults: string[] = [];
let url: string;
const stats = new ProxyStats();
const view: ProxyView = {
  snapshot: async () => Promise.resolve(stats.snapshot()),
  metrics: async () => Promise.resolve({ contentType: 'text/plain; version=0.0.4', text: 'up 1\n' }),
};
const asked = { ...view };

const server = createServer();
beforeAll(async () => {
  const forwarded: ProxyView = { snapshot: async () => asked.snapshot(), metrics: async () => asked.metrics() };
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
