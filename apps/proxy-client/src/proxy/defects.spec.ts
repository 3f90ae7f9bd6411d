import { once } from 'node:events';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { jest } from '@jest/globals';
import { Socks5Session } from '#socks5-protocol';
import { LocalSocks5Server, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { exchange, RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { until } from '../../../../test/support/until.js';
import { Connections } from '../activity/connections.js';
import { Exchange } from '../forward/exchange.js';
import { Forwarder } from '../forward/forwarder.js';
import { OriginConnection } from '../forward/origin-connection.js';
import { OriginPool } from '../forward/origin-pool.js';
import { ResponseReader } from '../http/response-reader.js';
import { ClientConnection } from '../listener/client-connection.js';
import { HttpConnection } from '../listener/http-connection.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { PlainSource } from '../relay/byte-source.js';
import { PooledSource } from '../relay/pooled-source.js';
import { Relay } from '../relay/relay.js';
import { Router } from '../routing/router.js';
import { HandshakeMemory } from '../upstream/handshake-memory.js';
import { PathError, ServerPath } from '../upstream/server-path.js';
import { UpstreamHealth } from '../upstream/upstream-health.js';
import { hashPassword } from '../users/password-hash.js';
import { Users } from '../users/users.js';
import { RunningProxy, type ProxySettings } from './testing/running-proxy.js';

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi';
const DEFECT = new TypeError('a defect');
const fails = (): never => {
  throw DEFECT;
};

let origin: RawOrigin;
let socks: LocalSocks5Server;
let stalling: ScriptedSocks5Server;
let proxy: RunningProxy;

beforeAll(async () => {
  origin = await RawOrigin.answering(ANSWER);
  socks = new LocalSocks5Server();
  await socks.listen();
  stalling = await new ScriptedSocks5Server(() => [{ then: 'stall' }]).listen();
});

afterAll(async () => {
  await Promise.all([origin[Symbol.asyncDispose](), socks.close(), stalling.close()]);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await proxy[Symbol.asyncDispose]();
});

const start = async (settings: ProxySettings = {}) => (proxy = await RunningProxy.start(settings));
const through = (port: number): ProxySettings => ({
  upstream: { kind: 'socks5', host: '127.0.0.1', port, handshake: 'stepwise', warm: 0 },
});
const viaHttp = (port: number): ProxySettings => ({
  upstream: { kind: 'http', host: '127.0.0.1', port, plain: 'connect' },
});
const get = (fields = '') =>
  `GET http://127.0.0.1:${origin.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}\r\n`;
const connectTo = () => `CONNECT 127.0.0.1:${origin.port} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** The errors in the log, each with what was thrown. */
const errors = () => proxy.log.filter(({ level }) => level === 'error').map(({ category, err }) => [category, err]);

describe('an exception in the work for a request', () => {
  /** Where it is thrown, on the way of a GET: the method is replaced once. */
  const callbacks: readonly (readonly [string, () => ProxySettings, () => unknown])[] = [
    ['a read of the client', () => ({}), () => jest.spyOn(Forwarder.prototype, 'open')],
    ['the start of a request', () => ({}), () => jest.spyOn(OriginPool.prototype, 'takeFor')],
    ['the start of an attempt', () => through(socks.address.port), () => jest.spyOn(HandshakeMemory.prototype, 'plan')],
    ['the start of a connection', () => through(socks.address.port), () => jest.spyOn(PooledSource, 'connect')],
    [
      'the connection to a server',
      () => through(socks.address.port),
      () => jest.spyOn(ServerPath.prototype, 'connected'),
    ],
    ['a failed connection', () => viaHttp(CLOSED_PORT), () => jest.spyOn(PathError.prototype, 'toFailure')],
    ['a failed hop', () => through(CLOSED_PORT), () => jest.spyOn(UpstreamHealth.prototype, 'requestFailed')],
    ['the handshake', () => through(socks.address.port), () => jest.spyOn(Socks5Session.prototype, 'read')],
    ['the reply', () => through(socks.address.port), () => jest.spyOn(HandshakeMemory.prototype, 'succeeded')],
    ['the answer of a proxy', () => viaHttp(origin.port), () => jest.spyOn(ResponseReader.prototype, 'push')],
    ['a new connection to an origin', () => ({}), () => jest.spyOn(OriginConnection.prototype, 'serve')],
    ['a read of the origin', () => ({}), () => jest.spyOn(Exchange.prototype, 'received')],
    ['the break of an origin', () => ({}), () => jest.spyOn(OriginConnection.prototype, 'read')],
    [
      'the timeout of a handshake',
      () => ({ ...through(stalling.port), timeouts: { handshake: 20 } }),
      () => jest.spyOn(Socks5Session.prototype, 'expire'),
    ],
  ];

  it.each(callbacks)('(%s) fails that request only, and is logged once with its cause', async (_, settings, spy) => {
    await start(settings());
    (spy() as jest.SpiedFunction<() => never>).mockImplementationOnce(fails);
    expect(await exchange(proxy.url, get())).toMatch(/^HTTP\/1\.1 500 [^]*error=proxy_internal_error/);
    expect(errors()).toEqual([['internal', DEFECT]]);
    expect(proxy.counted).toEqual([0, 1]);
    expect(await (await fetch(`${proxy.url}/stats`)).json()).toMatchObject({ failed_requests: 1 });
  });

  it('is the reply 1 to a client of SOCKS5', async () => {
    await start({ listener: { mode: 'socks5' } });
    jest.spyOn(Router.prototype, 'route').mockImplementationOnce(fails);
    const answer = await exchange(proxy.url, '\x05\x01\0\x05\x01\0\x01\x7f\0\0\x01\0\x50');
    expect(answer.slice(0, 4)).toBe('\x05\0\x05\x01');
    expect(errors()).toEqual([['internal', DEFECT]]);
  });

  it.each([
    ['its attempt', () => jest.spyOn(HandshakeMemory.prototype, 'plan')],
    ['its answer', () => jest.spyOn(HttpConnection.prototype, 'acceptTunnel')],
  ])('fails a CONNECT at %s', async (_, spy) => {
    await start(through(socks.address.port));
    (spy() as unknown as jest.SpiedFunction<() => never>).mockImplementationOnce(fails);
    expect(await exchange(proxy.url, connectTo())).toMatch(/^HTTP\/1\.1 500 /);
    expect(errors()).toEqual([['internal', DEFECT]]);
  });

  it('when the origin ends or breaks fails the request', async () => {
    const cases = [
      [(socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n'), jest.spyOn(ResponseReader.prototype, 'finish')],
      [(socket: Socket) => socket.resetAndDestroy(), jest.spyOn(Exchange.prototype, 'responseFailed')],
    ] as const;
    await start();
    for (const [end, spy] of cases) {
      await using ending = await RawOrigin.start(({ socket }) => end(socket));
      (spy as jest.SpiedFunction<() => never>).mockImplementationOnce(fails);
      const text = `GET http://127.0.0.1:${ending.port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(await exchange(proxy.url, text)).toMatch(/^HTTP\/1\.1 500 /);
    }
    expect(errors()).toEqual([
      ['internal', DEFECT],
      ['internal', DEFECT],
    ]);
  });

  it('at the end or close of a client ends its connection', async () => {
    await start();
    for (const isHalf of [true, false]) {
      const spy = isHalf ? jest.spyOn(HttpConnection.prototype, 'onEnd') : jest.spyOn(Exchange.prototype, 'abort');
      await using silent = await RawOrigin.start(() => undefined);
      (spy as jest.SpiedFunction<() => never>).mockImplementationOnce(fails);
      const client = await RawConnection.open(proxy.url);
      client.write(`GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => silent.heads.length === 1);
      if (isHalf) client.half();
      else client.socket.resetAndDestroy();
      await client.closed;
      await until(() => errors().length > 0 && proxy.open === 0);
      expect(errors()).toEqual([['internal', DEFECT]]);
      proxy.log.length = 0;
    }
  });

  it('in a password check fails the request, and its connection with SOCKS5', async () => {
    const users = [{ name: 'ann', password: await hashPassword('one', { logN: 4, blockSize: 1, parallel: 1 }) }];
    await start({ listener: { mode: 'mixed', users } });
    const check = jest.spyOn(Users.prototype, 'check');
    check.mockRejectedValueOnce(DEFECT);
    const authorization = `Proxy-Authorization: Basic ${Buffer.from('ann:one').toString('base64')}\r\n`;
    expect(await exchange(proxy.url, get(authorization))).toMatch(/^HTTP\/1\.1 500 /);
    check.mockRejectedValueOnce(DEFECT);
    expect(await exchange(proxy.url, '\x05\x01\x02\x01\x03ann\x03one')).toBe('\x05\x02\x01\x01');
    expect(errors()).toEqual([
      ['internal', DEFECT],
      ['internal', DEFECT],
    ]);
    expect(await exchange(proxy.url, get(authorization))).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('in a sweep ends the connection that it is about', async () => {
    await start({ holdsTime: true });
    await using silent = await RawOrigin.start(() => undefined);
    const answer = exchange(proxy.url, `GET http://127.0.0.1:${silent.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => silent.heads.length === 1);
    jest.spyOn(ClientConnection.prototype, 'sweep').mockImplementationOnce(fails);
    await proxy.pass(20);
    expect(await answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(errors()).toEqual([['internal', DEFECT]]);
  });

  it('after an answer was sent resets the connection instead of sending another one', async () => {
    await start();
    jest.spyOn(Connections.prototype, 'ended').mockImplementationOnce(fails);
    const answer = await exchange(proxy.url, get());
    expect(answer.match(/HTTP\/1\.1 /g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(errors()).toEqual([['internal', DEFECT]]);
  });

  it('in a tunnel resets both sides, and the proxy can be closed', async () => {
    await start({ holdsTime: true });
    for (const isSwept of [true, false]) {
      const spy = isSwept ? jest.spyOn(Relay.prototype, 'sweep') : jest.spyOn(Connections.prototype, 'ended');
      const client = await RawConnection.open(proxy.url);
      await client.write(connectTo()).until('200');
      (spy as jest.SpiedFunction<() => never>).mockImplementationOnce(fails);
      if (isSwept) await proxy.pass(20);
      else client.socket.resetAndDestroy();
      await client.closed;
      await until(() => errors().length > 0 && proxy.open === 0);
      expect(errors()).toEqual([['internal', DEFECT]]);
      proxy.log.length = 0;
    }
    await proxy.close();
  });

  it('of a listener with TLS is answered as well', async () => {
    const authority = await ThrowawayAuthority.create('ca');
    const { certificate, privateKey: key } = await authority.issue('localhost');
    await start({ listener: { tls: { certificate, key, spki: '', validUntil: '' } } });
    jest.spyOn(Forwarder.prototype, 'open').mockImplementationOnce(fails);
    expect(await exchange(proxy.url.replace('http:', 'https:'), get())).toMatch(/^HTTP\/1\.1 500 /);
    expect(errors()).toEqual([['internal', DEFECT]]);
  });
});

describe('a source whose reader throws', () => {
  it.each(['read', 'onEnd', 'onClose'] as const)('in %s passes the exception to it, or closes', async (method) => {
    const server = createServer({ allowHalfOpen: true }, (socket) => socket.end('bytes')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const to = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    for (const make of [() => new PlainSource(dial(to)), () => PooledSource.connect(new BufferPool(), to)]) {
      const silent = { read: () => true, [method]: fails };
      const alone = make();
      alone.start(silent);
      alone.socket.end();
      await once(alone.socket, 'close');
      const source = make();
      const thrown = new Promise((resolve) => {
        source.start({ ...silent, onDefect: resolve });
      });
      source.socket.end();
      expect(await thrown).toBe(DEFECT);
      source.socket.destroy();
    }
    server.close();
  });
});
