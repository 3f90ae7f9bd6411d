import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { granting, LocalSocks5Server, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { ESTABLISHED, openTunnel, readAll, readUntil } from './testing/open-tunnel.js';
import { RunningProxy, type ProxySettings } from '../proxy/testing/running-proxy.js';
import { until } from '../../../../test/support/until.js';

const MIB = 1_048_576;
/** The default of `timeouts.write`. */
const WRITE_MS = 30_000;

let socks: LocalSocks5Server;
let origin: Server;
let proxy: RunningProxy;
let accepted: Socket[];
let onConnection: (socket: Socket) => void;

async function start(options: Partial<ProxySettings> = {}): Promise<void> {
  proxy = await RunningProxy.start({
    upstream: { kind: 'socks5', ...socks.address, handshake: 'oneflight', warm: 0 },
    ...options,
  });
}

beforeEach(async () => {
  accepted = [];
  onConnection = () => undefined;
  socks = new LocalSocks5Server();
  await socks.listen();
  origin = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket.on('error', () => undefined));
    onConnection(socket);
  });
  origin.listen({ port: 0, host: '127.0.0.1', backlog: 1024 });
  await once(origin, 'listening');
});

afterEach(async () => {
  await proxy[Symbol.asyncDispose]();
  await socks.close();
  for (const socket of accepted) socket.destroy();
  await new Promise((resolve) => origin.close(resolve));
});

/** An open tunnel to the origin, and the origin's end of it. */
async function tunnel(): Promise<{ readonly client: Socket; readonly target: Socket }> {
  const count = accepted.length;
  const { socket, answer } = await openTunnel(proxy, `127.0.0.1:${(origin.address() as AddressInfo).port}`);
  expect(answer).toBe(ESTABLISHED);
  await until(() => accepted.length > count);
  return { client: socket, target: accepted[count]! };
}

/** Lets time pass until no connection is open: bytes that the kernel moves between its buffers count as progress. */
async function passUntilCut(): Promise<void> {
  await until(async () => {
    await proxy.pass(WRITE_MS);
    return proxy.open === 0;
  });
}

async function errorOf(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let code: string | undefined;
    socket.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
    socket.once('close', () => {
      resolve(code);
    });
    socket.resume();
  });
}

describe('a tunnel', () => {
  it('passes a half-close of the client on: the target still answers', async () => {
    await start();
    const { client, target } = await tunnel();
    client.end('question');
    expect((await readAll(target)).toString()).toBe('question');
    expect(client.readableEnded).toBe(false);
    target.end('answer');
    expect((await readAll(client)).toString()).toBe('answer');
    await until(() => proxy.open === 0);
  });

  it('passes a half-close of the target on: the client still sends', async () => {
    await start();
    const { client, target } = await tunnel();
    target.end('all I have');
    expect((await readAll(client)).toString()).toBe('all I have');
    client.end('and me');
    expect((await readAll(target)).toString()).toBe('and me');
    await until(() => proxy.open === 0);
  });

  it.each([
    ['client', 'target'],
    ['target', 'client'],
  ] as const)('passes a reset by the %s on to the %s', async (by, to) => {
    await start();
    const ends = await tunnel();
    const seen = errorOf(ends[to]);
    ends[by].write('some of it');
    await once(ends[to], 'data');
    ends[by].resetAndDestroy();
    expect(await seen).toBe('ECONNRESET');
    await until(() => proxy.open === 0);
  });

  it('is cut when the client resets after it had finished sending, although nothing is written to it', async () => {
    await start({ timeouts: { write: 100 } });
    const { client, target } = await tunnel();
    client.end('question');
    expect((await readAll(target)).toString()).toBe('question');
    client.resetAndDestroy();
    await until(() => proxy.open === 0);
    expect(proxy.stats.snapshot().activeConnections).toBe(0);
  });

  it('delivers all bytes of a target that no longer accepts bytes of the client', async () => {
    const down = randomBytes(3 * MIB);
    await using direct = await new ScriptedSocks5Server(() => granting('stall')).listen();
    await start({
      upstream: { kind: 'socks5', host: '127.0.0.1', port: direct.port, handshake: 'oneflight', warm: 0 },
    });
    const { socket: client } = await openTunnel(proxy, 'example.com:80');
    const target = direct.connections[0]!.socket;
    target.end(down, () => target.destroy());
    await until(() => proxy.stats.snapshot().bytesReceived === down.length && target.destroyed);
    // It meets a reset, while most of the answer is still on its way to a client that does not read yet.
    for (let round = 0; round < 100; round += 1) {
      client.write('more');
      await new Promise(setImmediate);
    }
    expect((await readAll(client)).equals(down)).toBe(true);
    client.end();
    await until(() => proxy.open === 0);
  });

  it('relays 32 MiB each way to readers that stall, complete and in order', async () => {
    await start();
    const { client, target } = await tunnel();
    const up = randomBytes(32 * MIB);
    const down = randomBytes(32 * MIB);
    client.end(up);
    target.end(down);
    // Reading begins after the bytes have filled every buffer on the way.
    await until(() => proxy.stats.snapshot().bytesSent > 0 && client.writableLength > 0 && target.writableLength > 0);
    const [got, gotBack] = await Promise.all([readAll(target), readAll(client)]);
    expect([got.equals(up), gotBack.equals(down)]).toEqual([true, true]);
    await until(() => proxy.open === 0);
    expect(proxy.stats.snapshot()).toMatchObject({ bytesSent: up.length, bytesReceived: down.length });
  });

  it('is cut when the client reads nothing for timeouts.write', async () => {
    await start({ holdsTime: true });
    const { client, target } = await tunnel();
    const seen = errorOf(target);
    client.pause();
    target.write(Buffer.alloc(64 * MIB));
    await passUntilCut();
    expect(await seen).toBe('ECONNRESET');
    expect(proxy.stats.snapshot()).toMatchObject({ successfulRequests: 1, failedRequests: 0, activeConnections: 0 });
    client.destroy();
  });

  it('is cut when the target reads nothing for timeouts.write', async () => {
    await start({ holdsTime: true });
    const { client, target } = await tunnel();
    const seen = errorOf(client);
    target.pause();
    client.write(Buffer.alloc(64 * MIB));
    await passUntilCut();
    expect(await seen).toMatch(/ECONNRESET|EPIPE/);
  });

  it('that moves slowly is not cut, however long it takes', async () => {
    await start({ holdsTime: true });
    const { client, target } = await tunnel();
    const total = 24 * MIB;
    target.end(Buffer.alloc(total));
    let count = 0;
    let sincePause = 0;
    client.on('data', (chunk: Buffer) => {
      count += chunk.length;
      sincePause += chunk.length;
      if (sincePause < 2 * MIB) return;
      // Twelve pauses, together longer than the limit, none of them alone.
      sincePause = 0;
      client.pause();
      void proxy.pass(WRITE_MS / 2).then(() => client.resume());
    });
    client.resume();
    await until(() => client.readableEnded || client.destroyed);
    expect(count).toBe(total);
    client.end();
  });

  it('stays open while it is idle, unless timeouts.tunnelIdle is set', async () => {
    await start({ holdsTime: true });
    const idle = await tunnel();
    await proxy.pass(10 * WRITE_MS);
    idle.client.write('still there');
    expect(await readUntil(idle.target, (text) => text.length === 11)).toBe('still there');
    idle.client.destroy();
    await proxy[Symbol.asyncDispose]();
    await start({ timeouts: { tunnelIdle: 30_000 }, holdsTime: true });
    const ended = await tunnel();
    const seen = errorOf(ended.client);
    await proxy.pass(30_000);
    expect(await seen).toBe('ECONNRESET');
    await until(() => proxy.open === 0);
  });

  it('may finish while the proxy drains', async () => {
    await start({ timeouts: { drain: 0 } });
    const { client, target } = await tunnel();
    const drained = proxy.close();
    client.end('last words');
    expect((await readAll(target)).toString()).toBe('last words');
    target.end();
    await readAll(client);
    await drained;
    expect(proxy.open).toBe(0);
  });

  it('is cut at timeouts.drain', async () => {
    await start({ timeouts: { drain: 50 } });
    const { target } = await tunnel();
    const seen = errorOf(target);
    await proxy.close();
    expect(await seen).toBe('ECONNRESET');
    expect(proxy.open).toBe(0);
  });

  it('does not mix its bytes with those of others: 40 at once, with readers that stall at random', async () => {
    onConnection = (socket) => socket.pipe(socket);
    await start();
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { socket: client } = await openTunnel(proxy, `127.0.0.1:${(origin.address() as AddressInfo).port}`);
        const sent = randomBytes(200_000 + index * 40_000);
        client.end(sent);
        const hash = createHash('sha256');
        for await (const chunk of client) {
          hash.update(chunk as Buffer);
          if ((chunk as Buffer).length % 3 === 0) await new Promise(setImmediate);
        }
        expect(hash.digest('hex')).toBe(createHash('sha256').update(sent).digest('hex'));
      }),
    );
  });

  it('is counted exactly: 500 at once', async () => {
    await start();
    const port = (origin.address() as AddressInfo).port;
    const tunnels = await Promise.all(Array.from({ length: 500 }, () => openTunnel(proxy, `127.0.0.1:${port}`)));
    expect(tunnels.every(({ answer }) => answer === ESTABLISHED)).toBe(true);
    expect(proxy.stats.snapshot()).toMatchObject({
      totalConnections: 500,
      activeConnections: 500,
      successfulRequests: 500,
    });
    await until(() => accepted.length === 500);
    for (const socket of accepted) socket.resume().write('to the client');
    for (const { socket } of tunnels) socket.write('to the target');
    await until(() => proxy.stats.snapshot().bytesSent === 6500 && proxy.stats.snapshot().bytesReceived === 6500);
    // Not `destroy`: that resets only a client with unread bytes. Otherwise it sends the end, which does not close a tunnel.
    for (const { socket } of tunnels.slice(0, 250)) socket.resetAndDestroy();
    await until(() => proxy.stats.snapshot().activeConnections === 250);
    for (const socket of accepted) socket.resetAndDestroy();
    await until(() => proxy.stats.snapshot().activeConnections === 0);
    expect(proxy.stats.snapshot()).toMatchObject({
      totalConnections: 500,
      failedRequests: 0,
      bytesSent: 6500,
      bytesReceived: 6500,
    });
    for (const { socket } of tunnels) socket.destroy();
  });
});
