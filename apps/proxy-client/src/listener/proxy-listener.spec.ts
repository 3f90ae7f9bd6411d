import { once } from 'node:events';
import { createConnection } from 'node:net';
import { ProxyStats } from '#metrics';
import { loadConfig } from '../config/load-config.js';
import { FailureReporter } from '../failure/failure-reporter.js';
import { adoptSocket } from '../relay/adopt-socket.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { ClientConnections } from './client-connections.js';
import { ProxyListener } from './proxy-listener.js';
import { exchange, received, setUp, silent, talk, type Fixture } from './testing/start-listener.js';

let fixture: Fixture;
afterEach(async () => {
  fixture.connections.destroyAll();
  await fixture.listener.drain();
});

describe('ProxyListener: the ways out', () => {
  it.each([
    ['GET http://example.com/a HTTP/1.1\r\nHost: example.com', 'forward GET http://example.com/a'],
    ['GET http://example.com/stats HTTP/1.1\r\nHost: example.com', 'forward GET http://example.com/stats'],
    ['GET /a HTTP/1.1\r\nHost: example.com', 'forward GET /a'],
    ['GET /stats HTTP/1.1\r\nHost: localhost', 'page /stats localhost'],
    ['GET / HTTP/1.1\r\nHost: OWN', 'nothing'],
    ['GET http://OWN/health?x HTTP/1.1\r\nHost: other', 'page /health?x OWN'],
    ['GET http://OWN/x HTTP/1.1\r\nHost: other', 'nothing'],
    ['POST http://h/ HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 1', 'forward POST http://h/'],
    ['POST http://h/ HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nContent-Length: 1', 'forward POST http://h/'],
    ['CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443', 'tunnel example.com:443 '],
    ['GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket', 'upgrade http://h/'],
    ['GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c', 'forward GET http://h/'],
    ['POST http://h/ HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket', 'forward POST http://h/'],
    ['GET /stats HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket', 'page /stats localhost'],
  ])('%j', async (head, expected) => {
    fixture = await setUp();
    const own = `127.0.0.1:${fixture.port}`;
    const last = head.includes('Connection') || head.startsWith('CONNECT') ? '' : '\r\nConnection: close';
    const { socket, ask } = talk(fixture);
    expect(await ask(`${head.replace('OWN', own)}${last}\r\n\r\n`)).toContain(expected.replace('OWN', own));
    socket.destroy();
  });

  it('gives the tunnel what came right behind CONNECT', async () => {
    fixture = await setUp();
    expect(await exchange(fixture, 'CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\nearly')).toBe('tunnel h:1 early');
  });
});

describe('ProxyListener: counting', () => {
  it('counts no connection that only asks for pages or says nothing', async () => {
    fixture = await setUp();
    const { socket, ask } = talk(fixture);
    await ask('GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(fixture.stats.snapshot().totalConnections).toBe(0);
    await ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n');
    await ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(fixture.stats.snapshot()).toMatchObject({ totalConnections: 1, activeConnections: 1 });
    socket.destroy();
    await fixture.connections.closed();
    expect(fixture.stats.snapshot()).toMatchObject({ totalConnections: 1, activeConnections: 0 });
  });
});

describe('ProxyListener: what is no request (RFC 9112)', () => {
  it.each([
    ['a wrong method', 'G@T http://h/ HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['bare LF (2.2)', 'GET http://h/ HTTP/1.1\nHost: h\n\n'],
    ['a space before the colon (5.1)', 'GET http://h/ HTTP/1.1\r\nHost : h\r\n\r\n'],
    ['a folded line (5.2)', 'GET http://h/ HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n'],
    ['NUL in a value', 'GET http://h/ HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n'],
    ['two lengths (6.3)', 'POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['length and chunks (6.1)', 'POST http://h/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['SOCKS5', '\x05\x01\x00'],
  ])('refuses %s with 400 and closes', async (_, text) => {
    fixture = await setUp();
    const answer = await exchange(fixture, text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nProxy-Status: proxy-client; error=http_request_error; details="[^"]+"\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(fixture.stats.snapshot()).toMatchObject({ totalConnections: 0, failedRequests: 0 });
  });

  it('answers a malformed body in place of the handler', async () => {
    fixture = await setUp();
    const head = 'POST http://h/hold HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await exchange(fixture, `${head}xyz\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('lets the answer that is owed go first when the next request is malformed', async () => {
    fixture = await setUp();
    const socket = createConnection(fixture.port, '127.0.0.1');
    socket.write('GET http://h/hold HTTP/1.1\r\nHost: h\r\n\r\n');
    const text = received(socket);
    const answer = await fixture.held;
    // The page of another connection is answered after those bytes were read: the server takes them in their order.
    socket.write('G@T\r\n\r\n');
    const other = talk(fixture);
    await other.ask('GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n');
    other.socket.destroy();
    answer();
    const answers = await text;
    expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]+forward GET http:\/\/h\/holdHTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe('ProxyListener: limits', () => {
  it('takes a header of exactly the limit and answers 431 for one byte more', async () => {
    fixture = await setUp({ limits: { headerBytes: 4096 } });
    const url = 'http://h/';
    const fields = { Host: 'h', Connection: 'close', X: '' };
    const counted =
      url.length + Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    const request = (padding: number) =>
      `GET ${url} HTTP/1.1\r\nHost: h\r\nConnection: close\r\nX: ${'x'.repeat(padding)}\r\n\r\n`;
    expect(await exchange(fixture, request(4096 - counted))).toMatch(/^HTTP\/1\.1 200 /);
    const answer = await exchange(fixture, request(4097 - counted));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('Proxy-Status: proxy-client; error=http_request_error');
  });

  it('takes any number of header fields', async () => {
    fixture = await setUp();
    const many = 'A: b\r\n'.repeat(5000);
    expect(await exchange(fixture, `GET http://h/ HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${many}\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
  });

  it.each(['', 'GET http://h/ HTTP/1.1\r\nHos'])(
    'answers 408 when a header does not come in time: %j',
    async (text) => {
      fixture = await setUp({ timeouts: { read: 100 } });
      const answer = await exchange(fixture, text);
      expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(fixture.stats.snapshot().failedRequests).toBe(0);
    },
  );

  it('closes an idle connection after the idle time', async () => {
    fixture = await setUp({ timeouts: { idle: 50 } });
    expect(await exchange(fixture, 'GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('refuses to proxy over the limit of connections, serves /stats, and serves again when there is room', async () => {
    fixture = await setUp({ limits: { connections: 1 } });
    const first = talk(fixture);
    await first.ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n');
    const second = talk(fixture);
    expect(await second.ask('GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('page /stats');
    const closed = once(second.socket, 'close');
    const answer = await second.ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toContain('Proxy-Status: proxy-client; error=connection_limit_reached');
    await closed;
    expect(await exchange(fixture, 'CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n')).toMatch(/^HTTP\/1\.1 503 /);
    expect(fixture.stats.snapshot()).toMatchObject({ totalConnections: 1, failedRequests: 2 });
    first.socket.destroy();
    await fixture.connections.closed();
    const third = talk(fixture);
    expect(await third.ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    third.socket.destroy();
  });

  it('refuses without reading when even the spare connections are taken', async () => {
    fixture = await setUp({ limits: { connections: 1 } });
    const sockets = Array.from({ length: 65 }, () => createConnection(fixture.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const refused = createConnection(fixture.port, '127.0.0.1');
    expect(await received(refused)).toMatch(/^HTTP\/1\.1 503 /);
    for (const socket of sockets) socket.destroy();
  });
});

describe('ProxyListener: ending', () => {
  it('lets a request finish, ends idle and silent connections, takes no new ones', async () => {
    fixture = await setUp();
    const silentOne = createConnection(fixture.port, '127.0.0.1').resume();
    const idle = talk(fixture);
    await idle.ask('GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n');
    const busy = createConnection(fixture.port, '127.0.0.1');
    busy.write('GET http://h/hold HTTP/1.1\r\nHost: h\r\n\r\n');
    const answer = received(busy);
    const finish = await fixture.held;
    const ended = Promise.all([once(silentOne, 'close'), once(idle.socket, 'close')]);
    const drained = fixture.listener.drain();
    await ended;
    const [refused] = (await once(createConnection(fixture.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
    finish();
    expect(await answer).toMatch(/Connection: close\r\n[^]+forward GET/);
    await drained;
  });

  it('cuts what is left when the time is over', async () => {
    fixture = await setUp({ timeouts: { drain: 50 } });
    const busy = createConnection(fixture.port, '127.0.0.1');
    busy.write('GET http://h/hold HTTP/1.1\r\nHost: h\r\n\r\n');
    const answer = received(busy);
    await fixture.held;
    await fixture.listener.drain();
    expect(await answer).toBe('');
    expect(fixture.stats.snapshot().activeConnections).toBe(0);
  });

  it('names the address when it cannot listen', async () => {
    fixture = await setUp();
    const { config } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
    const stats = new ProxyStats();
    const other = new ProxyListener({
      config,
      listener: { mode: 'http', host: '127.0.0.1', port: fixture.port, allowedHosts: [] },
      adopt: (socket) => adoptSocket(new BufferPool(), socket),
      connections: new ClientConnections(stats, 1),
      reporter: new FailureReporter(stats, silent),
      pages: { handleMonitoring: () => undefined, handleNotFound: () => undefined },
      forward: {
        handleRequest: () => undefined,
        handleOrdinary: () => false,
        handleUpgrade: () => undefined,
        handleMalformedBody: () => undefined,
      },
      connect: { handleConnect: () => undefined, handleOrdinary: () => false },
    });
    await expect(other.listen()).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${fixture.port}: the port is in use (EADDRINUSE). See listen.host and listen.port.`,
    );
  });
});
