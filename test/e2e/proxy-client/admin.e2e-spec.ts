import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';

let proxy: RunningProxy;
let admin: string;

beforeAll(async () => {
  proxy = await ProxyProgram.start({ admin: { port: 0 } });
  admin = proxy.admin!;
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

describe('the admin listener', () => {
  it('is on a port of its own, on loopback', () => {
    expect(new URL(admin).hostname).toBe('127.0.0.1');
    expect(admin).not.toBe(proxy.url);
  });

  it('is there by itself, on a port from 9090 to 9099 that is free, or not: two proxies start all the same', async () => {
    const config = { listen: { port: 0 }, upstream: 'embedded' };
    await using first = new ProxyProgram({ config });
    await using second = new ProxyProgram({ config });
    const found = await Promise.all([first, second].map(async ({ program }) => (await program.ready())['admin']));
    const ports = found.flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port)]));
    expect(new Set(ports).size).toBe(ports.length);
    for (const port of ports) expect(port >= 9090 && port <= 9099).toBe(true);
    for (const url of found) if (url !== undefined) expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('is not there when it is off', async () => {
    await using other = await ProxyProgram.start({ admin: 'off' });
    expect(other.admin).toBeUndefined();
  });

  it('serves the committed document, which has exactly the two operations', async () => {
    const document = (await (await fetch(`${admin}/docs-json`)).json()) as {
      paths: Record<string, object>;
      components: { schemas: Record<string, object> };
    };
    expect(document).toEqual(JSON.parse(readFileSync('docs/openapi/proxy-client.json', 'utf8')));
    expect(Object.entries(document.paths).map(([path, operations]) => [path, Object.keys(operations)])).toEqual([
      ['/stats', ['get']],
      ['/health', ['get']],
    ]);
    expect(Object.keys(document.components.schemas)).toEqual(['Stats', 'Health']);
  });

  it('serves Swagger UI', async () => {
    const page = await fetch(`${admin}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it('serves metrics for Prometheus, and the two pages', async () => {
    const metrics = await fetch(`${admin}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    const text = await metrics.text();
    expect(text).toMatch(/^proxy_client_connections_active 0$/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    const fields = async (url: string) => Object.keys((await (await fetch(url)).json()) as object);
    expect(await fields(`${admin}/stats`)).toEqual(await fields(`${proxy.url}/stats`));
    expect(await fields(`${admin}/health`)).toEqual(await fields(`${proxy.url}/health`));
  });

  it('is no proxy, and is not open to web pages', async () => {
    const ask = (line: string, host: string) =>
      exchange(admin, `${line} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await ask('GET http://example.com/', 'example.com')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('GET /metrics', 'evil.example')).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask('POST /metrics', 'localhost')).toMatch(/^HTTP\/1\.1 405 /);
    for (const path of ['/nothing', '/', '/docs/nothing.js', '/stats/']) {
      expect(await ask(`GET ${path}`, 'localhost')).toMatch(/^HTTP\/1\.1 404 [^]*There is no such page\./);
    }
    expect(await ask('CONNECT example.com:443', 'example.com:443')).toBe('');
    const { headers } = await fetch(`${admin}/metrics`, { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
