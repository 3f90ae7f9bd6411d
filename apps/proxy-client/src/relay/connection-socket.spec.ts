import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { connect as connectTls, TLSSocket } from 'node:tls';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { until } from '../../../../test/support/until.js';
import { BufferPool } from './buffer-pool.js';
import type { ByteSource } from './byte-source.js';
import { adoptSocket } from './pooled-source.js';
import { type RelayEnd, Relays } from './relay.js';
import { TlsSource } from './tls-source.js';
import { abort } from './connection-socket.js';

const KINDS = ['tcp', 'unix', 'tls', 'tls over unix'] as const;
type Kind = (typeof KINDS)[number];

/** The two ends of a connection: the peer's socket, the one that it runs over, and the source that the proxy has. */
interface Connection {
  readonly peer: Socket;
  readonly base: Socket;
  readonly source: ByteSource;
}

const pool = new BufferPool();
let identity: { readonly cert: string; readonly key: string };
let directory: string;
let tcp: Server;
let unix: Server;

beforeAll(async () => {
  const authority = await ThrowawayAuthority.create('Test');
  const { certificate, privateKey } = await authority.issue('localhost');
  identity = { cert: certificate, key: privateKey };
  directory = await mkdtemp(join(tmpdir(), 'wire-'));
  const options = { allowHalfOpen: true, pauseOnConnect: true };
  tcp = createServer(options).listen(0, '127.0.0.1');
  unix = createServer(options).listen(join(directory, 'socket'));
  await Promise.all([tcp, unix].filter(({ listening }) => !listening).map(async (server) => once(server, 'listening')));
});

afterAll(async () => {
  tcp.close();
  unix.close();
  await rm(directory, { recursive: true });
});

async function open(kind: Kind): Promise<Connection> {
  const server = kind === 'unix' || kind === 'tls over unix' ? unix : tcp;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const { port } = tcp.address() as AddressInfo;
  const address = server === unix ? { path: join(directory, 'socket') } : { port, host: '127.0.0.1' };
  const peer = connect({ ...address, allowHalfOpen: true }).on('error', () => undefined);
  const [socket] = await accepted;
  socket.on('error', () => undefined);
  if (!kind.startsWith('tls')) return { peer, base: peer, source: adoptSocket(pool, socket) };
  return { ...(await secured(peer, socket)), base: peer };
}

/** Starts TLS on both ends of a connection. */
async function secured(peer: Socket, socket: Socket): Promise<Omit<Connection, 'base'>> {
  const ofClient = { socket: peer, allowHalfOpen: true, rejectUnauthorized: false };
  const ofServer = { isServer: true, allowHalfOpen: true, ...identity };
  const client = connectTls(ofClient);
  const server = new TLSSocket(socket, ofServer);
  const source = new TlsSource(server, socket);
  await once(
    client.on('error', () => undefined),
    'secureConnect',
  );
  return { peer: client, source };
}

/** Joins a connection of each kind by a relay. */
async function joined(left: Kind, right: Kind) {
  const [client, target] = [await open(left), await open(right)];
  const end = Promise.withResolvers<RelayEnd>();
  const relays = new Relays({ write: 0, tunnelIdle: 0 }, (error) => {
    throw error;
  });
  const relay = relays.join(client.source, target.source, end.resolve);
  return { relay, client, target, end: end.promise };
}

/** Returns what a peer receives until its connection closes, and whether it ended in order. */
async function received(peer: Socket): Promise<{ readonly text: string; readonly isOrderly: boolean }> {
  const chunks: Buffer[] = [];
  let isOrderly = false;
  peer.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => (isOrderly = true));
  await new Promise((resolve) => peer.once('close', resolve).once('end', resolve));
  return { text: Buffer.concat(chunks).toString('latin1'), isOrderly };
}

/** Resolves with the error, if there was one, when a peer sees the end of its connection. */
async function closed({ base, peer }: Connection): Promise<NodeJS.ErrnoException | null> {
  peer.resume();
  const isOver = (): boolean => base.closed || peer.closed || peer.readableEnded;
  if (!isOver()) await new Promise((resolve) => peer.once('close', resolve).once('end', resolve));
  peer.destroy();
  return base.errored ?? peer.errored;
}

const pairs = KINDS.flatMap((kind) => [[kind, 'tcp'] as const, ['tcp', kind] as const, [kind, kind] as const]);

describe.each(pairs)('a relay between %s and %s', (left, right) => {
  it('passes all bytes and the end of each direction on', async () => {
    const { client, target, end } = await joined(left, right);
    const question = 'q'.repeat(300_000);
    client.peer.end(question);
    const asked = await received(target.peer);
    expect([asked.text.length, asked.isOrderly]).toEqual([question.length, true]);
    target.peer.end('answer');
    expect(await received(client.peer)).toEqual({ text: 'answer', isOrderly: true });
    expect(await end).toBe('finished');
  });

  it('closes both connections when it is cut', async () => {
    const { relay, client, target, end } = await joined(left, right);
    relay.abort('idle');
    expect(await end).toBe('idle');
    await Promise.all([closed(client), closed(target)]);
  });

  it('does not end in order when one side is reset in the middle', async () => {
    const { client, target, end } = await joined(left, right);
    client.peer.write('some');
    await once(target.peer, 'data');
    target.peer.pause();
    if (left.includes('unix')) client.base.destroy();
    else client.base.resetAndDestroy();
    target.base.destroy();
    expect(['broken', 'finished']).toContain(await end);
  });
});

const MANY = Buffer.from(Uint32Array.from({ length: 4_194_304 }, (_, index) => index).buffer);

it.each([
  ['tls', 'tcp'],
  ['tls', 'tls'],
  ['tls over unix', 'unix'],
] as const)(
  'a relay holds only a part of what %s sends while %s accepts nothing, and loses no byte',
  async (left, right) => {
    const { client, target, end } = await joined(left, right);
    const { socket } = target.source;
    client.peer.end(MANY);
    await until(() => socket.writableLength > 0);
    expect(socket.writableLength).toBeLessThan(MANY.length / 4);
    const chunks: Buffer[] = [];
    await finished(
      target.peer.on('data', (chunk: Buffer) => chunks.push(chunk)),
      { writable: false },
    );
    expect(Buffer.concat(chunks).equals(MANY)).toBe(true);
    target.peer.end();
    client.peer.resume();
    expect(await end).toBe('finished');
  },
);

it('a relay passes on what a TLS client sends byte by byte', async () => {
  const { client, target, end } = await joined('tls', 'tcp');
  const text = 'one byte in each record';
  for (const byte of text) client.peer.write(byte);
  client.peer.end();
  expect(await received(target.peer)).toEqual({ text, isOrderly: true });
  target.peer.end();
  client.peer.resume();
  expect(await end).toBe('finished');
});

describe('abort', () => {
  it.each(KINDS.filter((kind) => !kind.includes('unix')))('resets %s, so that a transfer looks cut', async (kind) => {
    const connection = await open(kind);
    const { peer, source } = connection;
    const { socket } = source;
    peer.write('a question');
    await new Promise((resolve) => {
      source.start({ read: (chunk) => (resolve(chunk), true) });
    });
    socket.write('a part');
    abort(socket);
    expect((await closed(connection))?.code).toBe('ECONNRESET');
    expect(socket.destroyed).toBe(true);
  });

  it.each(KINDS)('closes %s after its end was sent, and while a peer does not read', async (kind) => {
    const { base, source } = await open(kind);
    source.start({ read: () => true });
    source.socket.write(Buffer.alloc(10_000_000));
    source.socket.end();
    const isClosed = new Promise((resolve) => source.socket.once('close', resolve));
    abort(source.socket);
    abort(source.socket);
    await isClosed;
    base.destroy();
  });
});
