import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin, type OriginScript } from '../../../../test/support/raw-origin.js';
import { fieldLines, requestTo, sent, statusOf } from './testing/proxied.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const head = (fields: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${fields}\r\n`;
const OK = head('Content-Length: 2\r\n') + 'hi';
const CLOSE = 'Connection: close\r\n';

/** Sends requests one after the other, each on a new client connection, and returns the statuses. */
async function inTurn(proxy: RunningProxy, requests: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const request of requests) statuses.push(statusOf(await sent(proxy, request)));
  return statuses;
}

/** The number of connections that two requests in turn needed. */
async function connectionsFor(script: OriginScript, method = 'GET'): Promise<number> {
  await using origin = await RawOrigin.start(script);
  await using proxy = await RunningProxy.start();
  const request = requestTo(origin, { method, fields: CLOSE });
  expect(await inTurn(proxy, [request, request])).toEqual([200, 200]);
  return origin.used;
}

describe('Forwarder: connections to origins are reused (RFC 9112, section 9.3)', () => {
  it.each<[string, OriginScript, string?]>([
    ['a length', (side) => side.write(OK)],
    [
      'chunks and trailers',
      (side) => side.write(head('Transfer-Encoding: chunked\r\n') + '2\r\nhi\r\n0\r\nX: y\r\n\r\n'),
    ],
    [
      'HTTP/1.0 with keep-alive',
      (side) => side.write(OK.replace('1.1', '1.0').replace('\r\n', '\r\nConnection: keep-alive\r\n')),
    ],
    ['no body, to a HEAD', (side) => side.write(head('')), 'HEAD'],
    ['interim answers before it', (side) => side.write(`HTTP/1.1 103 X\r\n\r\n${OK}`)],
  ])('after a response with %s', async (...[, script, method]) => {
    expect(await connectionsFor(script, method)).toBe(1);
  });

  it.each<[string, OriginScript, string?]>([
    ['that asks to close', (side) => side.write(OK.replace('\r\n', '\r\nConnection: x, CLOSE\r\n'))],
    ['in HTTP/1.0', (side) => side.write(OK.replace('1.1', '1.0'))],
    ['with bytes behind it', (side) => side.write(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`)],
    ['to a HEAD that declares a body', (side) => side.write(head('Content-Length: 2\r\n')), 'HEAD'],
    ['to a HEAD that declares chunks', (side) => side.write(head('Transfer-Encoding: chunked\r\n')), 'HEAD'],
    ['that ends with the connection', (side) => side.write(`${head('')}hi`).socket.end()],
    ['whose Keep-Alive is over', (side) => side.write(OK.replace('\r\n', '\r\nKeep-Alive: timeout=1\r\n'))],
  ])('but not after one %s', async (...[, script, method]) => {
    expect(await connectionsFor(script, method)).toBe(2);
  });

  it('never across targets, whatever the names resolve to (benoitc/hackney#797)', async () => {
    await using one = await RawOrigin.start((side) => side.write(OK));
    await using two = await RawOrigin.start((side) => side.write(OK));
    await using proxy = await RunningProxy.start();
    const to = (authority: string) => `GET http://${authority}/${authority} HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n`;
    const authorities = [one.authority, two.authority, `localhost:${one.port}`, `LOCALHOST:${one.port}`];
    await inTurn(proxy, [...authorities, ...authorities].map(to));
    const hosts = [...one.sides, ...two.sides].map(
      ({ received }) => new Set(received.match(/^Host: .*$/gim)!.map((line) => line.toLowerCase())),
    );
    expect(hosts.map((names) => [...names])).toEqual([
      [`host: ${one.authority}`],
      [`host: localhost:${one.port}`],
      [`host: ${two.authority}`],
    ]);
  });

  it('never sends one client the response that another one did not wait for', async () => {
    await using origin = await RawOrigin.start((side, request) => {
      if (request.startsWith('GET /quick')) side.write(OK);
    });
    await using proxy = await RunningProxy.start();
    const early = await RawConnection.open(proxy.url);
    early.write(requestTo(origin, { path: '/slow' }));
    const side = await origin.side(0);
    early.socket.destroy();
    await side.closed;
    const text = await sent(proxy, requestTo(origin, { path: '/quick', fields: CLOSE }));
    expect([statusOf(text), origin.used, proxy.counted]).toEqual([200, 2, [1, 0]]);
  });

  it('closes an idle one on which unexpected bytes arrive', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const request = requestTo(origin, { fields: CLOSE });
    await inTurn(proxy, [request]);
    origin.sides[0]!.write(head('Content-Length: 4\r\n') + 'evil');
    await origin.sides[0]!.closed;
    expect(await sent(proxy, request)).toMatch(/\r\n\r\nhi$/);
    expect(origin.used).toBe(2);
  });

  it('keeps up to pool.perTarget and pool.total of them, for pool.idle', async () => {
    const answer: OriginScript = (side) => void until(() => origin.heads.length >= 3).then(() => side.write(OK));
    await using origin = await RawOrigin.start(answer);
    await using proxy = await RunningProxy.start({ pool: { perTarget: 2, idle: 300 } });
    const requests = [1, 2, 3].map((n) => sent(proxy, requestTo(origin, { path: `/${n}`, fields: CLOSE })));
    await Promise.all(requests);
    await Promise.race(origin.sides.map(({ closed }) => closed));
    expect(origin.sides.filter(({ socket }) => socket.closed)).toHaveLength(1);
    await Promise.all(origin.sides.map(({ closed }) => closed));
    expect(proxy.counted).toEqual([3, 0]);
  });

  it('closes the oldest idle one over the limit', async () => {
    await using one = await RawOrigin.answering(OK);
    await using two = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start({ pool: { total: 1 } });
    await inTurn(proxy, [requestTo(one, { fields: CLOSE }), requestTo(two, { fields: CLOSE })]);
    await one.sides[0]!.closed;
    await inTurn(proxy, [requestTo(two, { fields: CLOSE })]);
    expect(two.used).toBe(1);
  });
});

describe('Forwarder: requests are repeated (RFC 9112, section 9.3.1)', () => {
  /** An origin that answers once on each connection; the second request on one ends it, after `answer` if there is one. */
  const onceEach =
    (answer = ''): OriginScript =>
    (side) => {
      if (side.requests === 1) side.write(OK);
      else side.write(answer).socket.destroy();
    };

  it.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'])(
    '%s, when a used connection ends without a byte',
    async (method) => {
      await using origin = await RawOrigin.start((side, request) => {
        if (side.requests > 1) side.socket.destroy();
        else side.write(request.startsWith('HEAD') ? head('') : OK);
      });
      await using proxy = await RunningProxy.start();
      const request = requestTo(origin, { method, path: '/', fields: CLOSE });
      expect(await inTurn(proxy, [request, request])).toEqual([200, 200]);
      expect([origin.used, origin.heads.length, proxy.counted]).toEqual([2, 3, [2, 0]]);
    },
  );

  it.each(['POST', 'PATCH'])('but never %s, which is not idempotent', async (method) => {
    await using origin = await RawOrigin.start(onceEach());
    await using proxy = await RunningProxy.start();
    const request = requestTo(origin, { method, fields: `${CLOSE}Content-Length: 0\r\n` });
    expect(await inTurn(proxy, [request, request])).toEqual([200, 502]);
    expect([origin.heads.length, proxy.counted]).toEqual([2, [1, 1]]);
  });

  it('but never one of whose body a byte was sent', async () => {
    await using origin = await RawOrigin.start((side) => {
      if (side.requests === 1) side.write(OK);
      else side.onceItHas('hello', () => side.socket.destroy());
    });
    await using proxy = await RunningProxy.start();
    const put = requestTo(origin, { method: 'PUT', fields: `${CLOSE}Content-Length: 10\r\n`, body: 'hello' });
    expect(await inTurn(proxy, [requestTo(origin, { fields: CLOSE }), put])).toEqual([200, 502]);
    expect([origin.heads.length, proxy.counted]).toEqual([2, [1, 1]]);
  });

  it('but never after a byte of the response', async () => {
    await using origin = await RawOrigin.start(onceEach('H'));
    await using proxy = await RunningProxy.start();
    const request = requestTo(origin, { fields: CLOSE });
    expect(await inTurn(proxy, [request, request])).toEqual([200, 502]);
    expect(origin.heads.length).toBe(2);
  });

  it('but not on a new connection, and only once', async () => {
    await using origin = await RawOrigin.start((side) => side.socket.destroy());
    await using proxy = await RunningProxy.start();
    const text = await sent(proxy, requestTo(origin, { fields: CLOSE }));
    expect(text).toMatch(/^HTTP\/1\.1 502 [^]*error=http_response_incomplete/);
    expect([origin.heads.length, proxy.counted]).toEqual([1, [0, 1]]);
  });
});

describe('Forwarder: connections that a client has authenticated (RFC 4559, section 6)', () => {
  const NTLM = { fields: 'Authorization: NTLM TlRMTVNTUAAB\r\n' };

  it('serve that client only, and close with it', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const client = await RawConnection.open(proxy.url);
    client.write(requestTo(origin, NTLM));
    await client.until('\r\n\r\nhi');
    await inTurn(proxy, [requestTo(origin, { path: '/other', fields: CLOSE })]);
    client.received = '';
    client.write(requestTo(origin, { path: '/2' }));
    await client.until('\r\n\r\nhi');
    expect(origin.sides.map(({ received }) => received.match(/^GET \S+/gm))).toEqual([
      ['GET /', 'GET /2'],
      ['GET /other'],
    ]);
    client.socket.destroy();
    await origin.sides[0]!.closed;
    expect(origin.sides[1]!.socket.closed).toBe(false);
  });

  it.each(['Negotiate', 'NTLM', 'Basic realm="x", negotiate'])(
    'also when the answer challenges with %s',
    async (scheme) => {
      await using origin = await RawOrigin.answering(
        head(`WWW-Authenticate: ${scheme}\r\nContent-Length: 0\r\n`, '401 X'),
      );
      await using proxy = await RunningProxy.start();
      const client = await RawConnection.open(proxy.url);
      client.write(requestTo(origin));
      const text = await client.until('\r\n\r\n');
      expect(fieldLines(text)).toContain('Proxy-Support: Session-Based-Authentication');
      await inTurn(proxy, [requestTo(origin, { fields: CLOSE })]);
      expect(origin.used).toBe(2);
      client.socket.destroy();
    },
  );

  it('are shared if only the request is authenticated', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningProxy.start();
    const request = requestTo(origin, { fields: `${CLOSE}Authorization: Basic eDp5\r\n` });
    await inTurn(proxy, [request, request]);
    expect(origin.used).toBe(1);
  });
});
