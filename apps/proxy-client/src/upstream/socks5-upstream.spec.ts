import { SectionMemory } from '../http/section-memory.js';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ProxyStats } from '../stats/proxy-stats.js';
import { Dialler, Method } from '#socks5-protocol';
import {
  granting,
  greeted,
  losingFlights,
  replying,
  ScriptedSocks5Server,
  type ScriptStep,
} from '#socks5-protocol/testing';
import type { Socks5UpstreamConfig, Timeouts } from '../config/proxy-client-config.js';
import { BufferPool } from '../relay/buffer-pool.js';
import type { ByteSource } from '../relay/byte-source.js';
import { Socks5Upstream } from './socks5-upstream.js';
import { attemptThrough, connectThrough } from './testing/connect-through.js';
import { UpstreamHealth } from './upstream-health.js';
import { until } from '../../../../test/support/until.js';

/** Longer than any operation takes on a busy machine. */
const TIMEOUTS: Timeouts = {
  read: 0,
  write: 0,
  idle: 0,
  connect: 30_000,
  handshake: 30_000,
  response: 0,
  tunnelIdle: 0,
  drain: 0,
};
const target = { host: 'example.com', port: 443 };
const credentials = { username: 'me', password: 'secret' };
const GREETING_AND_REQUEST = '050100' + '050100030b6578616d706c652e636f6d01bb';

let server: ScriptedSocks5Server;
let upstream: Socks5Upstream;
let stats: ProxyStats;
let timeouts: { -readonly [limit in keyof Timeouts]: Timeouts[limit] };
const open: Socket[] = [];

async function start(
  script: (index: number) => readonly ScriptStep[],
  config: Partial<Socks5UpstreamConfig> = {},
): Promise<void> {
  server = await new ScriptedSocks5Server(script).listen();
  stats = new ProxyStats();
  timeouts = { ...TIMEOUTS };
  upstream = new Socks5Upstream({
    config: { kind: 'socks5', host: '127.0.0.1', port: server.port, handshake: 'auto', warm: 0, ...config },
    health: new UpstreamHealth('upstream'),
    timeouts,
    stats,
    pool: new BufferPool(),
    sections: new SectionMemory(65_536),
    dialler: new Dialler(),
    reportDefect: (error) => {
      throw error;
    },
  });
}

afterEach(async () => {
  upstream.close();
  for (const socket of open.splice(0)) socket.destroy();
  await server.close();
});

/** Starts a server, and lets the upstream learn that it supports one flight. */
async function learn(): Promise<void> {
  await start(() => granting('stall'));
  await connect();
  await connect();
  expect(upstream.oneFlight).toBe(true);
}

async function connect(): Promise<void> {
  open.push((await connectThrough(upstream, target)).socket as Socket);
}

/** Returns whether the socket is reading. */
const isReading = (socket: Socket) => (socket as unknown as { _handle: { reading: boolean } })._handle.reading;

const received = (index: number): string => server.connections[index]!.received.toString('hex');

describe('Socks5Upstream', () => {
  it('learns: the first handshake is stepwise, the second one probes one flight, then all use it', async () => {
    await start(() => granting('stall'));
    await connect();
    expect(upstream.oneFlight).toBe(false);
    await connect();
    expect(upstream.oneFlight).toBe(true);
    await connect();
    expect([1, 2].map(received)).toEqual([GREETING_AND_REQUEST, GREETING_AND_REQUEST]);
  });

  it('opens no connection to a target beyond those of its clients (a probe did)', async () => {
    await start(() => granting('stall'));
    for (let count = 0; count < 4; count += 1) await connect();
    expect(server.connections.map(({ target: requestedTarget }) => requestedTarget?.host)).toEqual(
      Array(4).fill('example.com'),
    );
  });

  it('stays with steps when the server loses bytes sent in one flight, and repeats the request that was the probe', async () => {
    await start(() => losingFlights('stall'));
    timeouts.handshake = 500;
    await connect();
    await connect();
    expect(server.connections).toHaveLength(3);
    // The lost probe never reached the target.
    expect(server.connections[1]!.target).toBeUndefined();
    await connect();
    expect(server.connections).toHaveLength(4);
    expect(upstream.oneFlight).toBe(false);
  });

  it('does not repeat a request whose own timeout has expired during the probe', async () => {
    await start(() => losingFlights('stall'));
    await connect();
    const { attempt, outcome } = attemptThrough(upstream, target);
    await until(() => server.connections.length === 2);
    attempt.expire();
    await expect(outcome).rejects.toMatchObject({ category: 'timeout' });
    expect(server.connections).toHaveLength(2);
  });

  it('offers only the chosen method once it is known', async () => {
    const password = [...greeted(Method.password), { write: Buffer.from('05000001000000000000', 'hex') }];
    await start(() => password, { credentials, handshake: 'stepwise' });
    await connect();
    await connect();
    expect(server.connections.map(({ methods }) => methods)).toEqual([[0, 2], [2]]);
  });

  it('falls back to steps, within the same attempt, when a server closes on one flight', async () => {
    await learn();
    server.script = (index) => (index === 2 ? [{ read: 'greeting' }, { then: 'close' }] : granting('stall'));
    await connect();
    expect(server.connections).toHaveLength(4);
    expect(received(3)).toBe(GREETING_AND_REQUEST);
    expect(upstream.oneFlight).toBe(false);
  });

  it('does not blame the flight for a server that closes instead of replying (ssh -D on a refused target)', async () => {
    await learn();
    server.script = () => [...greeted(), { then: 'close' }];
    await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'closed_at_request' });
    expect(server.connections).toHaveLength(4);
    expect(upstream.oneFlight).toBe(true);
  });

  it('probes again after a timeout in one flight', async () => {
    await learn();
    server.script = () => losingFlights('stall');
    timeouts.handshake = 100;
    await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'timeout' });
    timeouts.handshake = 500;
    await connect();
    expect(upstream.oneFlight).toBe(false);
    expect(server.connections).toHaveLength(5);
  });

  it('offers everything again when a server no longer accepts the method that it chose', async () => {
    const refusing: readonly ScriptStep[] = [
      { read: 'greeting' },
      { write: Uint8Array.of(5, 0xff) },
      { then: 'close' },
    ];
    const password = [...greeted(Method.password), { write: Buffer.from('05000001000000000000', 'hex') }];
    await start((index) => [granting('stall'), refusing, password][index]!, { credentials, handshake: 'auto' });
    await connect();
    await connect();
    expect(server.connections.slice(1, 3).map(({ methods }) => methods)).toEqual([[0], [0, 2]]);
  });

  it('sends everything in one flight from the start if configured, with the password', async () => {
    await start(
      () => [
        { read: 'greeting' },
        { read: 'credentials' },
        { read: 'request' },
        { write: Buffer.from('0502010005000001000000000000', 'hex') },
      ],
      { credentials, handshake: 'oneflight' },
    );
    await connect();
    expect(server.connections[0]).toMatchObject({ methods: [2], credentials, target });
  });

  it('fails with the category of the reply', async () => {
    await start((index) => replying(index + 1), { handshake: 'stepwise' });
    await expect(connectThrough(upstream, target)).rejects.toMatchObject({
      category: 'general_failure',
      facts: { replyCode: 1 },
    });
    await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'not_allowed' });
    await expect(connectThrough(upstream, { host: 'a\0b', port: 80 })).rejects.toMatchObject({
      category: 'bad_request',
    });
    expect(server.connections).toHaveLength(2);
  });

  it.each(['stepwise', 'oneflight', 'auto'] as const)(
    'attributes a close at the request to the target once the server has worked (%s)',
    async (handshake) => {
      await start(() => [...greeted(), { then: 'close' }], { handshake });
      await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'upstream_closed' });
      server.script = () => granting('stall');
      await connect();
      server.script = () => [...greeted(), { then: 'close' }];
      await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'closed_at_request' });
      await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'closed_at_request' });
      server.script = () => [{ read: 'greeting' }, { then: 'close' }];
      await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'upstream_closed' });
    },
  );

  it('passes on the bytes after the reply and meters them, without those of the handshake', async () => {
    await start(() => [...greeted(), { write: Buffer.from('05000001000000000000' + '6161', 'hex') }, { then: 'echo' }]);
    const connection = await connectThrough(upstream, target);
    expect(connection.early).toBe(2);
    const chunks: Buffer[] = [];
    connection.start({ read: (chunk) => chunks.push(Buffer.from(chunk)) > 0 });
    connection.socket.write('hello');
    await until(() => Buffer.concat(chunks).length === 7);
    expect(Buffer.concat(chunks).toString()).toBe('aahello');
    expect(stats.snapshot()).toMatchObject({ bytesSent: 5, bytesReceived: 7 });
    const closed = once(connection.socket as Socket, 'close');
    connection.socket.destroy();
    await closed;
    expect(stats.snapshot()).toMatchObject({ bytesSent: 5, bytesReceived: 7 });
  });

  it('continues reading if the connection is started in the callback, and otherwise stops', async () => {
    await start(() => [...greeted(), { write: Buffer.from('05000001000000000000', 'hex') }, { then: 'stall' }]);
    const chunks: string[] = [];
    const began = Promise.withResolvers<ByteSource>();
    const connected = (connection: ByteSource) => {
      connection.start({ read: (chunk) => chunks.push(chunk.toString()) > 0 });
      began.resolve(connection);
    };
    upstream.begin({ target, client: {} }, { connected, failed: began.reject });
    const [hurried, patient] = [await began.promise, await connectThrough(upstream, target)];
    const sockets = [hurried.socket as Socket, patient.socket as Socket];
    open.push(...sockets);
    expect(sockets.map(isReading)).toEqual([true, false]);
    server.connections[0]!.socket.write('hello');
    await until(() => chunks.length > 0);
    expect(chunks).toEqual(['hello']);
  });
});

describe('Socks5Upstream with warm connections', () => {
  it('authenticates connections ahead, uses one for a request and opens another', async () => {
    await start(() => granting('stall'), { warm: 2, handshake: 'stepwise' });
    await until(() => upstream.warm === 2);
    expect(server.connections.map(({ target: requestedTarget }) => requestedTarget)).toEqual([undefined, undefined]);
    await connect();
    expect(server.connections.filter(({ target: requestedTarget }) => requestedTarget !== undefined)).toHaveLength(1);
    await until(() => upstream.warm === 2);
    expect(server.connections).toHaveLength(3);
  });

  it('falls back to a new connection when a warm one was closed', async () => {
    const closing: readonly ScriptStep[] = [
      { read: 'greeting' },
      { write: Uint8Array.of(5, 0) },
      { read: 'request' },
      { then: 'close' },
    ];
    await start((index) => (index === 0 ? closing : granting('stall')), { warm: 1, handshake: 'stepwise' });
    await until(() => upstream.warm === 1);
    await connect();
    expect(server.connections[0]!.target).toMatchObject(target);
  });

  it('replaces a warm connection that the server closed', async () => {
    await start(() => granting('stall'), { warm: 1, handshake: 'stepwise' });
    await until(() => upstream.warm === 1);
    server.connections[0]!.socket.end();
    await until(() => server.connections.length === 2 && upstream.warm === 1);
  });

  it('fails with the category of a failing reply', async () => {
    await start(() => replying(5), { warm: 1, handshake: 'stepwise' });
    await until(() => upstream.warm === 1);
    await expect(connectThrough(upstream, target)).rejects.toMatchObject({ category: 'connection_refused' });
  });

  it('closes them when it is closed', async () => {
    await start(() => granting('stall'), { warm: 2, handshake: 'stepwise' });
    await until(() => upstream.warm === 2);
    upstream.close();
    await until(() => server.connections.every(({ socket }) => socket.readableEnded));
    expect(upstream.warm).toBe(0);
  });
});
