import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
const STATS = 'GET /stats HTTP/1.1\r\nHost: localhost\r\n\r\n';

let origin: RawOrigin;
let proxy: RunningProxy;
/** Answers the requests for /hold. */
let release: () => void;

beforeAll(async () => {
  origin = await RawOrigin.start((side, head) => {
    if (head.includes(' /hold ')) release = () => side.write(OK);
    else side.write(OK);
  });
});

afterAll(async () => {
  await origin[Symbol.asyncDispose]();
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
});

const start = async (settings: ProxySettings = {}) => (proxy = await RunningProxy.start(settings));
const get = (path = '/', fields = '') =>
  `GET ${origin.url}${path} HTTP/1.1\r\nHost: ${origin.authority}\r\n${fields}\r\n`;
const own = () => new URL(proxy.url).host;

/** Sends text and returns everything that is received until the connection closes. */
async function exchange(text: string): Promise<string> {
  return (await RawConnection.open(proxy.url)).write(text).closed;
}

/** What comes on a connection until it is closed, also when it is reset. */
async function received(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(9)));

describe('ProxyListener: own pages and forwarding', () => {
  it('answers one of many pipelined requests at a time, so that others get a turn', async () => {
    const { stats } = await start();
    const answers: number[] = [0];
    const snapshot = stats.snapshot.bind(stats);
    stats.snapshot = () => {
      answers[answers.length - 1]! += 1;
      return snapshot();
    };
    let turn = setImmediate(function next() {
      answers.push(0);
      turn = setImmediate(next);
    });
    const text = await exchange(
      `${STATS.repeat(500)}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    clearImmediate(turn);
    expect(statuses(text)).toEqual(new Array<number>(501).fill(200));
    expect(Math.max(...answers)).toBeLessThanOrEqual(2);
  });

  it('answers all pipelined requests of a client that has finished sending', async () => {
    await start();
    const client = (await RawConnection.open(proxy.url)).write(STATS.repeat(50));
    client.socket.end();
    expect(statuses(await client.closed)).toEqual(new Array<number>(50).fill(200));
  });

  it.each([
    ['GET http://ORIGIN/stats HTTP/1.1\r\nHost: ORIGIN', 200, '/stats'],
    ['GET /a HTTP/1.1\r\nHost: ORIGIN', 200, '/a'],
    ['GET /stats HTTP/1.1\r\nHost: localhost', 200, undefined],
    ['GET /stats?x HTTP/1.0\r\nHost: localhost', 200, undefined],
    ['GET / HTTP/1.1\r\nHost: OWN', 404, undefined],
    ['GET http://OWN/health?x HTTP/1.1\r\nHost: other', 200, undefined],
    ['GET http://OWN/x HTTP/1.1\r\nHost: other', 404, undefined],
    ['GET /stats HTTP/1.1\r\nHost: evil.example', 403, undefined],
    ['DELETE /stats HTTP/1.1\r\nHost: localhost', 405, undefined],
    ['POST http://ORIGIN/b HTTP/1.1\r\nHost: h\r\nExpect: tea\r\nContent-Length: 0', 200, '/b'],
    ['GET http://ORIGIN/c HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\nConnection: Upgrade, close', 200, '/c'],
    ['POST http://ORIGIN/d HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade, close', 200, '/d'],
    ['GET /stats HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close', 200, undefined],
  ])('%j', async (head, status, requestedTarget) => {
    await start();
    const text = head.replaceAll('ORIGIN', origin.authority).replaceAll('OWN', own());
    const before = origin.heads.length;
    const answer = await exchange(`${text}\r\nConnection: close\r\n\r\n`);
    expect([statuses(answer), origin.heads.slice(before).map((each) => each.split(' ')[1])]).toEqual([
      [status],
      requestedTarget === undefined ? [] : [requestedTarget],
    ]);
  });

  it('answers HEAD of a page like GET without the body, and keeps the connection after a request with a body', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    await client.write(STATS.replace('GET', 'HEAD')).until('\r\n\r\n');
    await client.write(STATS.replace('\r\n\r\n', '\r\nContent-Length: 5\r\n\r\nhello')).until('socks5_errors');
    await client.write(get()).until('\r\n\r\nhi');
    client.socket.destroy();
    const lengths = client.received.match(/content-length: \d+/gi);
    expect([statuses(client.received), lengths?.[0] === lengths?.[1]]).toEqual([[200, 200, 200], true]);
  });
});

describe('ProxyListener: counting', () => {
  it('does not count connections that only request own pages or send nothing', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    await client.write(STATS).until('socks5_errors');
    expect(proxy.stats.snapshot().totalConnections).toBe(0);
    await client.write(get()).until('\r\n\r\nhi');
    await client.write(get()).until('hiHTTP/1.1 200 OK');
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 1, activeConnections: 1 });
    client.socket.destroy();
    await until(() => proxy.open === 0);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 1, activeConnections: 0 });
  });
});

describe('ProxyListener: malformed requests (RFC 9112)', () => {
  it.each([
    ['a wrong method', 'G@T http://h/ HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['the beginning of a wrong method', 'GEX'],
    ['a whole line that is wrong', 'GET http://h/\r\n'],
    ['bare LF (2.2)', 'GET http://h/ HTTP/1.1\nHost: h\n\n'],
    ['a space before the colon (5.1)', 'GET http://h/ HTTP/1.1\r\nHost : h\r\n\r\n'],
    ['a folded line (5.2)', 'GET http://h/ HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n'],
    ['NUL in a value', 'GET http://h/ HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n'],
    ['two lengths (6.3)', 'POST http://h/ HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['length and chunks (6.1)', 'POST http://h/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['SOCKS5', '\x05\x01\x00'],
  ])('refuses %s at once with 400 and closes', async (_, text) => {
    await start();
    const answer = await exchange(text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toMatch(/\r\nProxy-Status: proxy-client; error=http_request_error; details="[^"]+"\r\n/);
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 0, failedRequests: 0 });
  });

  it('sends the pending response before it rejects a malformed next request', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    client.write(get('/hold'));
    await until(() => origin.heads.at(-1)?.includes('/hold') === true);
    client.write('G@T\r\n\r\n');
    await proxy.idle();
    release();
    expect(statuses(await client.closed)).toEqual([200, 400]);
  });

  it.each([
    ['inside its head', (url: string) => `GET ${url}/ HTTP/1.1\r\nHos`],
    ['inside its body', (url: string) => `POST ${url}/hold HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel`],
  ])('answers 400 to a client that finishes sending %s', async (_, text) => {
    await start();
    const client = await RawConnection.open(proxy.url);
    expect(statuses(await client.write(text(origin.url)).half().closed)).toEqual([400]);
    expect(proxy.counted).toEqual([0, 0]);
  });
});

describe('ProxyListener: clients that finish sending', () => {
  it('have disconnected after a GET: no response, no count, and the origin connection ends (docs/adr/0042)', async () => {
    await start();
    const client = await RawConnection.open(proxy.url);
    client.write(get('/hold'));
    await until(() => origin.heads.at(-1)?.includes('/hold') === true);
    const side = origin.sides.at(-1)!;
    expect(await client.half().closed).toBe('');
    await side.closed;
    expect(proxy.counted).toEqual([0, 0]);
  });
});

describe('ProxyListener: limits', () => {
  it('accepts a header of exactly the limit and returns 431 for one byte more, whole or in pieces', async () => {
    await start({ limits: { headerBytes: 4096 } });
    const fields = { Host: 'h', Connection: 'close', X: '' };
    const names = Object.entries(fields).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    const room = 4096 - origin.url.length - 1 - names;
    const request = (padding: number) => get('/', `Connection: close\r\nX: ${'x'.repeat(padding)}\r\n`)
      .replace(`Host: ${origin.authority}`, 'Host: h'); // prettier-ignore
    expect(statuses(await exchange(request(room)))).toEqual([200]);
    const refused = await exchange(request(room + 1));
    expect(refused).toMatch(/^HTTP\/1\.1 431 [^]*Proxy-Status: proxy-client; error=http_request_error/);
    const client = await RawConnection.open(proxy.url);
    for (const piece of request(room).match(/[^]{1,700}/g)!) {
      client.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(statuses(await client.closed)).toEqual([200]);
  });

  it('accepts any number of header fields, and counts empty lines as a part of the header', async () => {
    await start({ limits: { headerBytes: 20_000 } });
    expect(statuses(await exchange(get('/', `Connection: close\r\n${'A: b\r\n'.repeat(5000)}`)))).toEqual([200]);
    expect(statuses(await exchange(`${'\r\n'.repeat(9000)}${get('/', 'Connection: close\r\n')}`))).toEqual([200]);
    expect(statuses(await exchange('\r\n'.repeat(10_001)))).toEqual([431]);
  });

  it.each(['', 'GET http://h/ HTTP/1.1\r\nHos', '\r\n'])(
    'answers 408 when a header does not arrive in time, and counts no failure: %j',
    async (text) => {
      await start({ timeouts: { read: 100 } });
      expect(await exchange(text)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(proxy.stats.snapshot().failedRequests).toBe(0);
    },
  );

  it('returns 408 for a header that arrives too slowly, on a reused connection', async () => {
    const read = 30_000;
    await start({ timeouts: { read }, holdsTime: true });
    const client = await RawConnection.open(proxy.url);
    await client.write(get()).until('\r\n\r\nhi');
    for (const piece of ['GET http://', 'x', 'x', 'x', 'x']) {
      client.write(piece);
      await proxy.idle();
      await proxy.pass(read / 4);
    }
    expect(statuses(await client.closed)).toEqual([200, 408]);
  });

  it('closes an idle connection after the idle time', async () => {
    await start({ timeouts: { idle: 50 } });
    expect(statuses(await exchange(get()))).toEqual([200]);
  });

  it('refuses requests over the limit of connections but serves /stats, until connections close', async () => {
    await start({ limits: { connections: 1 } });
    const first = await RawConnection.open(proxy.url);
    await first.write(get()).until('\r\n\r\nhi');
    const second = await RawConnection.open(proxy.url);
    await second.write(STATS).until('socks5_errors');
    const answer = await second.write(get()).closed;
    expect([statuses(answer), answer.includes('error=connection_limit_reached')]).toEqual([[200, 503], true]);
    expect(statuses(await exchange('CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n'))).toEqual([503]);
    expect(proxy.stats.snapshot()).toMatchObject({ totalConnections: 1, failedRequests: 2 });
    first.socket.destroy();
    await until(() => proxy.open === 0);
    expect(statuses(await exchange(get('/', 'Connection: close\r\n')))).toEqual([200]);
  });

  it('refuses without reading when the spare connections are used up', async () => {
    await start({ limits: { connections: 1 } });
    const sockets = Array.from({ length: 65 }, () => createConnection(proxy.port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(statuses(await received(createConnection(proxy.port, '127.0.0.1')))).toEqual([503]);
    for (const socket of sockets) socket.destroy();
  });
});

describe('ProxyListener: ending', () => {
  it('finishes requests, closes idle and silent connections, and accepts no new ones', async () => {
    await start({ timeouts: { drain: 0 } });
    const silent = createConnection(proxy.port, '127.0.0.1').resume();
    const idle = await RawConnection.open(proxy.url);
    await idle.write(get()).until('\r\n\r\nhi');
    const busy = await RawConnection.open(proxy.url);
    busy.write(get('/hold'));
    await until(() => origin.heads.at(-1)?.includes('/hold') === true);
    const ended = Promise.all([once(silent, 'close'), idle.closed]);
    const drained = proxy.close();
    await ended;
    const [refused] = (await once(createConnection(proxy.port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(refused.code).toBe('ECONNREFUSED');
    release();
    expect(await busy.closed).toMatch(/Connection: close\r\n\r\nhi$/);
    await drained;
  });

  it('cuts open connections at the timeout', async () => {
    await start({ timeouts: { drain: 50 } });
    const busy = await RawConnection.open(proxy.url);
    busy.write(get('/hold'));
    await until(() => origin.heads.at(-1)?.includes('/hold') === true);
    await proxy.close();
    expect(await busy.closed).toBe('');
    expect(proxy.stats.snapshot().activeConnections).toBe(0);
  });
});
