import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Dialler, Resolver, type SystemLookup } from '#socks5-protocol';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange, lastAnswer, RawConnection } from '../../support/raw-http.js';

const MIB = 1_048_576;

let proxy: RunningProxy | undefined;
let origin: Server | undefined;
afterEach(async () => {
  await proxy?.[Symbol.asyncDispose]();
  origin?.closeAllConnections();
  origin?.close();
  proxy = origin = undefined;
});

/** An origin that returns the size of a field. */
async function startOrigin(): Promise<string> {
  const server = createServer({ maxHeaderSize: 2 * MIB }, (request, response) => {
    response.end(`got ${String(request.headers['x-large']?.length ?? 0)}`);
  }).listen(0, '127.0.0.1');
  origin = server;
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stats(): Promise<Record<string, unknown>> {
  const page = await exchange(proxy!.url, 'GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  return lastAnswer(page).body as Record<string, unknown>;
}

describe('the header limit', () => {
  /** A request whose target, names and values have that number of bytes in total. */
  function request(host: string, counted: number): { text: string; padding: number } {
    const target = `http://${host}/`;
    const used = [target, 'Host', host, 'Connection', 'close', 'X-Large'].join('').length;
    const padding = counted - used;
    const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nX-Large: ${'x'.repeat(padding)}\r\n\r\n`;
    return { text, padding };
  }

  it('is 1 MiB: exactly that much passes, one byte more is 431', async () => {
    const host = await startOrigin();
    proxy = await ProxyProgram.start();
    const fits = request(host, MIB);
    expect(await exchange(proxy.url, fits.text)).toMatch(new RegExp(`^HTTP/1\\.1 200 [^]*got ${fits.padding}$`));
    const answer = await exchange(proxy.url, request(host, MIB + 1).text);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('Proxy-Status: proxy-client; error=http_request_error');
    expect(answer).toContain('Connection: close');
    expect(await stats()).toMatchObject({ successful_requests: 1, failed_requests: 0 });
  });

  it('holds for CONNECT too', async () => {
    proxy = await ProxyProgram.start({ limits: { headerBytes: '16KiB' } });
    const answer = await exchange(proxy.url, `CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\nX: ${'x'.repeat(16_384)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('the time limits', () => {
  it('answer a slow header with 408, also when it keeps dribbling, and count no failure', async () => {
    // Enough for the question after the counters on a busy machine.
    proxy = await ProxyProgram.start({ timeouts: { read: '2s' } });
    const silent = await RawConnection.open(proxy.url);
    const slow = await RawConnection.open(proxy.url);
    slow.write('GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n');
    const dribble = setInterval(() => slow.write('X: y\r\n'), 50);
    const answers = await Promise.all([silent.closed, slow.closed]);
    clearInterval(dribble);
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(await stats()).toMatchObject({ total_connections: 0, failed_requests: 0 });
  });

  it('end an idle connection', async () => {
    const host = await startOrigin();
    // Enough for the answer of the origin on a busy machine.
    proxy = await ProxyProgram.start({ timeouts: { idle: '2s' } });
    const answer = await exchange(proxy.url, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*got 0$/);
    expect(await stats()).toMatchObject({ total_connections: 1, active_connections: 0 });
  });
});

describe('the limit of connections', () => {
  it('answers 503, still serves /stats and /health, and counts what it refuses', async () => {
    const host = await startOrigin();
    proxy = await ProxyProgram.start({ limits: { connections: 2 } });
    const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const inside = [await RawConnection.open(proxy.url), await RawConnection.open(proxy.url)];
    for (const connection of inside) await connection.write(get).until('got 0');
    const refused = await exchange(proxy.url, get);
    expect(refused).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(refused).toContain('Proxy-Status: proxy-client; error=connection_limit_reached');
    expect(await exchange(proxy.url, `CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 503 /);
    expect(await stats()).toMatchObject({ active_connections: 2, successful_requests: 2, failed_requests: 2 });
    const health = 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    expect(await exchange(proxy.url, health)).toMatch(/^HTTP\/1\.1 200 /);
    for (const connection of inside) await connection.half().closed;
    const again = await RawConnection.open(proxy.url);
    await again.write(get).until('got 0');
    again.socket.destroy();
  });
});

describe('memory', () => {
  it('retains nothing of large requests in caches and lists (each new host retained its whole URL)', async () => {
    const settings = { upstream: { host: '127.0.0.1', port: CLOSED_PORT }, logLevel: 'error' };
    // 135 MB if all of them were retained.
    proxy = await ProxyProgram.start(settings, { NODE_OPTIONS: '--max-old-space-size=64' });
    const path = 'x'.repeat(900_000);
    for (let index = 0; index < 150; index += 1) {
      const host = `host-with-a-long-name-${index}.example`;
      const text = `GET http://${host}/${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await exchange(proxy.url, text)).toMatch(/^HTTP\/1\.1 502 /);
    }
  });
});

describe('loops', () => {
  const toLoopback: SystemLookup = (_host, _options, answer) => {
    setImmediate(answer, null, [{ address: '127.0.0.1', family: 4 }]);
  };
  const get = (host: string) => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

  it('are found by Via when the upstream leads back here under another name', async () => {
    const upstream = new LocalSocks5Server({ dialler: new Dialler(new Resolver(toLoopback)) });
    await upstream.listen();
    proxy = await ProxyProgram.start({ upstream: { ...upstream.address } });
    const answer = await exchange(proxy.url, get(`elsewhere.example:${new URL(proxy.url).port}`));
    expect(answer).toMatch(/^HTTP\/1\.1 502 Bad Gateway\r\n/);
    expect(answer).toContain('error=proxy_loop_detected');
    expect(await stats()).toMatchObject({ failed_requests: 1 });
    await upstream.close();
  });

  it('are not even dialled where an own port is named in another spelling', async () => {
    proxy = await ProxyProgram.start();
    const answer = await exchange(proxy.url, get(`127.1:${new URL(proxy.url).port}`));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(answer).toContain('The destination is a port that this proxy itself listens on.');
  });
});
