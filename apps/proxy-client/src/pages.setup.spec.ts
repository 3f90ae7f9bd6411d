import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ProxyStats } from '#metrics';
import { generateDocument } from './openapi/generate-document.js';
import { createPages, type Pages } from './pages.setup.js';

let pages: Pages;
let server: Server;

async function serve() {
  pages = await createPages(new ProxyStats());
  server = createServer(pages.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  await pages.close();
  server.close();
  server.closeAllConnections();
});

describe('createPages', () => {
  it.each(['/stats', '/health'])('serves %s as JSON that nobody stores, without CORS', async (path) => {
    const url = await serve();
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

  it('serves metrics and documentation for the admin listener', async () => {
    const url = await serve();
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await metrics.text()).toContain('proxy_client_requests_total{outcome="success"} 0');
    const page = await fetch(`${url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    const document = await fetch(`${url}/docs-json`);
    expect(await document.json()).toEqual(JSON.parse(JSON.stringify(await generateDocument())));
  });
});
