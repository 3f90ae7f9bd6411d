import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';

const KEYS = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
  'auth_failed',
  'connection_failed',
  'timeout',
  'protocol_error',
];

let proxy: RunningProxy;
let origin: Server;
let originUrl: string;

beforeAll(async () => {
  origin = createServer((request, response) => response.end(`origin ${request.url ?? ''}`)).listen(0, '127.0.0.1');
  await once(origin, 'listening');
  originUrl = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`;
  proxy = await ProxyProgram.start({ listen: { port: 0, allowedHosts: ['proxy.lan'] } });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  origin.close();
  origin.closeAllConnections();
});

const own = () => new URL(proxy.url).host;
const ask = (line: string, ...fields: string[]) =>
  exchange(proxy.url, [line, ...fields, 'Connection: close', '', ''].join('\r\n'));

async function stats() {
  return (await (await fetch(`${proxy.url}/stats`)).json()) as Record<string, unknown>;
}

describe('GET /stats and GET /health', () => {
  it('have exactly the fields of the contract', async () => {
    const taken = await stats();
    expect(taken).toEqual({
      start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      uptime: expect.stringMatching(/^(\d+m)?\d+s$/),
      total_connections: 0,
      active_connections: 0,
      successful_requests: 0,
      failed_requests: 0,
      bytes_sent: 0,
      bytes_received: 0,
      socks5_errors: Object.fromEntries(KEYS.map((key) => [key, 0])),
    });
    expect(Date.now() - Date.parse(taken['start_time'] as string)).toBeGreaterThanOrEqual(0);
    const health = await fetch(`${proxy.url}/health`);
    expect(health.status).toBe(200);
    expect(health.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await health.json()).toEqual({
      status: 'healthy',
      uptime: expect.stringMatching(/^(\d+m)?\d+s$/),
      active_connections: 0,
      success_rate: 100,
    });
  });

  it('answer HEAD without a body, and are never stored nor open to web pages', async () => {
    const answer = await ask('HEAD /stats HTTP/1.1', `Host: ${own()}`, 'Origin: https://evil.example');
    const [head = '', body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(head).toMatch(/^cache-control: no-store$/im);
    expect(head).toMatch(/^content-length: [1-9]\d*$/im);
    expect(head).not.toMatch(/access-control/i);
    expect(body).toBe('');
  });

  it.each(['POST', 'OPTIONS'])('answer %s with 405 and Allow', async (method) => {
    const answer = await ask(`${method} /health HTTP/1.1`, `Host: ${own()}`, 'Content-Length: 0');
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toMatch(/^Allow: GET, HEAD\r$/m);
  });

  it.each(['localhost', 'PROXY.LAN:80'])('answer under Host %s', async (host) => {
    expect(await ask('GET /stats HTTP/1.1', `Host: ${host}`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['evil.example', ''])('refuse Host %j, a page that DNS rebinding led here', async (host) => {
    const answer = await ask('GET /stats HTTP/1.1', `Host: ${host}`);
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).not.toContain('socks5_errors');
  });

  it('want one Host (RFC 9112, section 3.2)', async () => {
    expect(await ask('GET /stats HTTP/1.1')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await ask('GET /stats HTTP/1.1', 'Host: localhost', 'Host: localhost')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are also meant by an absolute-form target that is this listener', async () => {
    expect(await ask(`GET http://${own()}/health HTTP/1.1`, 'Host: evil.example')).toMatch(
      /^HTTP\/1\.1 200 [^]*healthy/,
    );
    expect(await ask(`GET http://localhost:${new URL(proxy.url).port}/stats HTTP/1.1`, 'Host: x')).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it.each(['/', '/docs', '/docs-json', '/metrics', '/stats/', '/STATS', '/health/x', '/%73tats', '//stats'])(
    'are all that there is: %s is 404',
    async (path) => {
      expect(await ask(`GET ${path} HTTP/1.1`, `Host: ${own()}`)).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    },
  );

  it('count themselves in nothing, and see what is forwarded', async () => {
    const before = await stats();
    expect(before).toMatchObject({ total_connections: 0, successful_requests: 0, failed_requests: 0 });
    expect(await getThroughProxy(proxy.url, `${originUrl}/stats`)).toEqual({ status: 200, body: 'origin /stats' });
    const after = await stats();
    expect(after).toMatchObject({ total_connections: 1, successful_requests: 1, failed_requests: 0 });
    expect(after['bytes_sent']).toBeGreaterThan(0);
    expect(after['bytes_received']).toBeGreaterThan('origin /stats'.length);
  });
});
