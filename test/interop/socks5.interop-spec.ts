import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Method, Reply } from '#socks5-protocol';
import { connectSocks5, type ConnectSocks5Options } from '#socks5-protocol/testing';
import { openTunnel } from '../../apps/proxy-client/src/tunnel/testing/open-tunnel.js';
import { RunningProxy } from '../../apps/proxy-client/src/proxy/testing/running-proxy.js';
import { CREDENTIALS, type ProxyPeer, type ProxyPeerKind } from '../support/peers/running-peer.js';
import { dante, microsocks, sample, sshDynamic } from '../support/peers/socks-peers.js';
import { until } from '../support/until.js';

interface Expected {
  readonly kind: ProxyPeerKind;
  readonly method: number;
  readonly credentials?: typeof CREDENTIALS;
  /** Whether it takes greeting and request in one write. */
  readonly oneFlight: boolean;
  /** Whether it keeps one direction open when the other has ended. */
  readonly halfClose: boolean;
  /** What it does when the target refuses. */
  readonly refusal: object;
  /** What the proxy answers then. */
  readonly status: number;
  /** What it does when the password is wrong. */
  readonly wrongPassword?: object;
}

const REFUSED = { refusal: { code: 'SOCKS5.REPLY', replyCode: Reply.connectionRefused }, status: 502 };
const password = {
  method: Method.password,
  credentials: CREDENTIALS,
  wrongPassword: { code: 'SOCKS5.CREDENTIALS_REFUSED' },
};

const peers: readonly Expected[] = [
  { kind: microsocks(false), method: Method.none, oneFlight: false, halfClose: false, ...REFUSED },
  { kind: microsocks(true), ...password, oneFlight: false, halfClose: false, ...REFUSED },
  { kind: dante(false), method: Method.none, oneFlight: true, halfClose: true, ...REFUSED },
  { kind: dante(true), ...password, oneFlight: true, halfClose: true, ...REFUSED },
  {
    kind: sshDynamic(),
    method: Method.none,
    oneFlight: true,
    halfClose: true,
    refusal: { code: 'SOCKS5.CLOSED', phase: 'request' },
    // It has served others: the target is to blame, not the server.
    status: 503,
  },
];

/** Sends bytes, ends its own direction if the peer keeps the other one, and digests the same number of bytes. */
async function echoed(socket: Socket, rest: Buffer, bytes: Buffer, halfClose: boolean): Promise<string> {
  const hash = createHash('sha256').update(rest);
  let missing = bytes.length - rest.length;
  socket
    .on('error', () => undefined)
    .on('data', (chunk: Buffer) => {
      hash.update(chunk);
      missing -= chunk.length;
    });
  if (halfClose) socket.end(bytes);
  else socket.write(bytes);
  socket.resume();
  await until(() => (halfClose ? socket.readableEnded : missing <= 0) || socket.destroyed);
  socket.destroy();
  return hash.digest('hex');
}

let origin: Server;
let closedPort: number;

beforeAll(async () => {
  origin = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined).pipe(socket);
  }).listen(0, '127.0.0.1');
  const closed = createServer().listen(0, '127.0.0.1');
  await Promise.all([once(origin, 'listening'), once(closed, 'listening')]);
  closedPort = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
});

afterAll(async () => {
  await new Promise((resolve) => origin.close(resolve));
});

const originPort = (): number => (origin.address() as AddressInfo).port;

for (const { kind, ...expected } of peers) {
  if (kind.missing !== undefined) {
    describe(`${kind.name} (skipped: ${kind.missing})`, () => {
      it.skip('is not on this machine', () => undefined);
    });
    continue;
  }
  describe(kind.name, () => {
    let peer: ProxyPeer;

    beforeAll(async () => {
      peer = await kind.start();
    });

    afterAll(async () => {
      await peer[Symbol.asyncDispose]();
    });

    function dial(options: Partial<ConnectSocks5Options> = {}): ReturnType<typeof connectSocks5> {
      return connectSocks5({
        server: { host: '127.0.0.1', port: peer.port },
        target: { host: '127.0.0.1', port: originPort() },
        credentials: expected.credentials,
        ...options,
      });
    }

    it.each([['127.0.0.1'], ['localhost']])('opens a tunnel to %s that carries a MiB each way', async (host) => {
      const { socket, rest, method } = await dial({ target: { host, port: originPort() } });
      const { bytes, digest } = sample(1_048_576);
      expect(await echoed(socket, rest, bytes, expected.halfClose)).toBe(digest);
      expect(method).toBe(expected.method);
    });

    it('reports that the target refuses', async () => {
      await expect(dial({ target: { host: '127.0.0.1', port: closedPort } })).rejects.toMatchObject(expected.refusal);
    });

    const flights = expected.oneFlight ? 'takes everything in one flight' : 'hangs when everything comes in one flight';
    it(flights, async () => {
      const attempt = dial({
        oneFlight: true,
        offer: [expected.method as typeof Method.none],
        timeout: expected.oneFlight ? 10_000 : 500,
      });
      if (expected.oneFlight) (await attempt).socket.destroy();
      else await expect(attempt).rejects.toMatchObject({ code: 'SOCKS5.TIMEOUT' });
    });

    if (expected.wrongPassword !== undefined) {
      it('refuses a wrong password, and a client without one', async () => {
        const wrong = { ...CREDENTIALS, password: 'wrong' };
        await expect(dial({ credentials: wrong })).rejects.toMatchObject(expected.wrongPassword ?? {});
        await expect(dial({ credentials: undefined })).rejects.toMatchObject({ code: 'SOCKS5.METHOD_REFUSED' });
      });
    }

    it('serves the proxy, which learns how to speak to it', async () => {
      await using proxy = await RunningProxy.start({
        upstream: {
          kind: 'socks5',
          host: '127.0.0.1',
          port: peer.port,
          handshake: 'auto',
          warm: 0,
          ...(expected.credentials && { credentials: expected.credentials }),
        },
      });
      for (let round = 0; round < 5; round += 1) {
        const { socket, answer } = await openTunnel(proxy, `localhost:${String(originPort())}`);
        expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        const { bytes, digest } = sample(100_000);
        expect(await echoed(socket, Buffer.alloc(0), bytes, expected.halfClose)).toBe(digest);
      }
      const { socket: refused, answer } = await openTunnel(proxy, `127.0.0.1:${String(closedPort)}`);
      expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${expected.status} `);
      refused.destroy();
      await until(() => proxy.stats.snapshot().activeConnections === 0);
      expect(proxy.stats.snapshot()).toMatchObject({ successfulRequests: 5, failedRequests: 1, bytesSent: 500_000 });
    });
  });
}
