import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { ProxyProgram, type ProxySettings } from '../../support/proxy/proxy-program.js';
import { RawConnection } from '../../support/raw-http.js';

/** An origin that keeps its answers back, and echoes on connections that are no HTTP. */
async function holdingOrigin() {
  const held = Promise.withResolvers<ServerResponse>();
  const server = createHttpServer((_request, response) => {
    held.resolve(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: held.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function echoServer() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.pipe(socket).on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Resolves when no server listens any more; a connection that comes just before that is ended or reset unserved. */
async function refused(url: string): Promise<void> {
  for (;;) {
    const connection = await RawConnection.open(url).catch((error: unknown) => error as NodeJS.ErrnoException);
    if (connection instanceof RawConnection) expect(await connection.closed).toBe('');
    else if (connection.code !== 'ECONNRESET') {
      expect(connection.code).toBe('ECONNREFUSED');
      return;
    }
  }
}

it('opened the debugger of Node on SIGUSR1', async () => {
  await using proxy = await ProxyProgram.start();
  proxy.program.process.kill('SIGUSR1');
  const connection = await RawConnection.open(proxy.url);
  expect(await connection.write('GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n').closed).toContain('healthy');
  expect(await proxy.program.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(proxy.program.stderr).not.toContain('Debugger');
});

/** Node has no names for them, and sends them by their numbers. */
const REAL_TIME_SIGNALS = Array.from({ length: 31 }, (_, index) => 34 + index);

it('defect: signals that mean nothing exited the program without a log line', async () => {
  await using proxy = await ProxyProgram.start();
  for (const signal of [
    'SIGUSR2',
    'SIGALRM',
    'SIGVTALRM',
    'SIGIO',
    'SIGPIPE',
    'SIGPWR',
    'SIGSTKFLT',
    'SIGXFSZ',
    'SIGPROF',
    ...REAL_TIME_SIGNALS,
  ] as const) {
    process.kill(proxy.program.process.pid!, signal);
    const connection = await RawConnection.open(proxy.url);
    expect(await connection.write('GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n').closed).toContain('healthy');
  }
});

it.each(['SIGQUIT', 'SIGXCPU'] as const)('defect: %s exited the program without a log line', async (signal) => {
  await using proxy = await ProxyProgram.start();
  expect(await proxy.program.end(signal)).toEqual({ code: 0, signal: null });
  expect(proxy.program.stdout).toContain(`"reason":"${signal}","msg":"shutting down`);
});

describe('the start', () => {
  it('logs the proxy’s address once, as JSON, at any log level, without the password', async () => {
    await using proxy = new ProxyProgram({
      config: { logLevel: 'error', listen: { port: 0 }, upstream: 'socks5://me:s3cret@127.0.0.1:1', admin: 'off' },
    });
    const { proxy: url } = await proxy.program.ready();
    await proxy.program.printed('is ready');
    await proxy.program.end();
    const lines = proxy.program.stdout.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      name: 'proxy-client',
      proxy: url,
      upstream: 'socks5://127.0.0.1:1',
      config: 'config.yaml',
      msg: `proxy-client is ready on ${url!}`,
    });
    expect(proxy.program.stdout + proxy.program.stderr).not.toContain('s3cret');
  });

  it('warns when others can reach it', async () => {
    await using proxy = new ProxyProgram({
      config: { listen: { host: '0.0.0.0', port: 0 }, upstream: 'embedded', admin: 'off' },
    });
    await proxy.program.printed('not a loopback address: everyone who can reach this listener can use it');
    const { proxy: url = '', network } = await proxy.program.ready();
    expect(new URL(url).hostname).toBe('127.0.0.1');
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    const reachable = own.filter(({ family, internal }) => family === 'IPv4' && !internal);
    if (reachable.length === 0) expect(network).toBeUndefined();
    else {
      expect(reachable.map(({ address }) => address)).toContain(new URL(network!).hostname);
      expect((await fetch(`${network!}/health`)).status).toBe(200);
      await proxy.program.printed(`is ready on ${url} and, for other machines, ${network!}`);
    }
  });

  it('prefers port, upstream and log level of the environment to those of the file', async () => {
    const config = { listen: { port: 1 }, upstream: { host: '127.0.0.1', port: 1 }, logLevel: 'error' };
    const env = { PROXY_LISTEN_PORT: '0', PROXY_UPSTREAM: 'embedded', PROXY_LOG_LEVEL: 'debug', PROXY_ADMIN_PORT: '0' };
    await using proxy = new ProxyProgram({ config, env, args: ['--mode', 'http'] });
    const urls = await proxy.program.ready();
    expect(Object.keys(urls)).toEqual(['proxy', 'admin']);
    await proxy.program.printed('"upstream":"embedded"');
  });

  it.each<[string, (port: number) => ProxySettings]>([
    ['listen.port in config.yaml', (port) => ({ config: { upstream: 'embedded', listen: { port }, admin: 'off' } })],
    ['PROXY_LISTEN_PORT', (port) => ({ env: { PROXY_LISTEN_PORT: String(port), PROXY_UPSTREAM: 'embedded' } })],
    [
      'admin.port in config.yaml',
      (port) => ({ config: { upstream: 'embedded', listen: { port: 0 }, admin: { port } } }),
    ],
    ['PROXY_ADMIN_PORT', (port) => ({ env: { PROXY_LISTEN_PORT: '0', PROXY_ADMIN_PORT: String(port) } })],
  ])('fails with one line if the port in %s is in use', async (setting, settings) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await using proxy = new ProxyProgram(settings(port));
    const { code, stderr } = await proxy.outcome();
    taken.close();
    expect([code, stderr]).toEqual([
      1,
      `Cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE). See ${setting}.\n`,
    ]);
  });

  it('fails with one line when the machine does not have the address', async () => {
    await using proxy = new ProxyProgram({ config: { upstream: 'embedded', listen: { host: '192.0.2.1', port: 0 } } });
    const { code, stderr } = await proxy.outcome();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot listen on 192\.0\.2\.1:0: [^\n]+\n$/);
  });

  it('works without a channel to the program that started it', async () => {
    const child = spawn(process.execPath, ['dist/apps/proxy-client/bundle/lib/proxy-client.js'], {
      env: { PROXY_LISTEN_PORT: '0', PROXY_UPSTREAM: 'embedded' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    await once(child.stdout, 'readable');
    child.kill('SIGTERM');
    expect((await once(child, 'close')) as unknown[]).toEqual([0, null]);
    expect(await output).toContain('proxy-client is ready on http://127.0.0.1:');
  });
});

describe('the end', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('is immediate at %s if nothing is in flight', async (signal) => {
    await using proxy = await ProxyProgram.start();
    const idle = await RawConnection.open(proxy.url);
    expect(await proxy.program.end(signal)).toEqual({ code: 0, signal: null });
    await idle.closed;
  });

  it('waits for a request and a tunnel, refuses new connections, and ignores a second signal', async () => {
    await using origin = await holdingOrigin();
    await using echo = await echoServer();
    await using proxy = await ProxyProgram.start();
    const request = await RawConnection.open(proxy.url);
    request.write(`GET http://${origin.host}/ HTTP/1.1\r\nHost: ${origin.host}\r\n\r\n`);
    const answer = await origin.held;
    const tunnel = await RawConnection.open(proxy.url);
    tunnel.write(`CONNECT ${echo.host} HTTP/1.1\r\nHost: ${echo.host}\r\n\r\n`);
    await tunnel.until('\r\n\r\n');
    const idle = await RawConnection.open(proxy.url);
    idle.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await idle.until('healthy');
    proxy.program.process.kill('SIGTERM');
    await idle.closed;
    await refused(proxy.url);
    proxy.program.process.kill('SIGTERM');
    proxy.program.process.kill('SIGINT');
    tunnel.write('still here');
    await tunnel.until('still here');
    answer.end('whole');
    expect(await request.closed).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*whole/i);
    tunnel.half();
    await tunnel.closed;
    expect(await proxy.program.ended).toEqual({ code: 0, signal: null });
  });

  it('cuts what is left after timeouts.drain', async () => {
    await using origin = await holdingOrigin();
    await using echo = await echoServer();
    await using proxy = await ProxyProgram.start({ timeouts: { drain: '200ms' } });
    const request = await RawConnection.open(proxy.url);
    request.write(`GET http://${origin.host}/ HTTP/1.1\r\nHost: ${origin.host}\r\n\r\n`);
    await origin.held;
    const tunnel = await RawConnection.open(proxy.url);
    tunnel.write(`CONNECT ${echo.host} HTTP/1.1\r\nHost: ${echo.host}\r\n\r\n`);
    await tunnel.until('\r\n\r\n');
    const halfSent = await RawConnection.open(proxy.url);
    halfSent.write('GET http://example.com/ HTT');
    expect(await proxy.program.end()).toEqual({ code: 0, signal: null });
    await Promise.all([request.closed, tunnel.closed, halfSent.closed]);
  });

  it('follows when the program that started it is gone', async () => {
    await using proxy = await ProxyProgram.start();
    const exited = once(proxy.program.process, 'exit');
    proxy.program.process.disconnect();
    expect((await exited) as unknown[]).toEqual([0, null]);
  });
});
