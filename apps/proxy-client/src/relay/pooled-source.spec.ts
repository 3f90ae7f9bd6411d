import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { BUFFER_SIZES, BufferPool, LARGEST } from './buffer-pool.js';
import { PlainSource } from './byte-source.js';
import { adoptSocket, PooledSource } from './pooled-source.js';
import { internals } from '../node-internals/socket-handle.js';

let server: Server;
let accepted: Promise<Socket>;
let connections: Socket[];
let pool: BufferPool;

beforeEach(async () => {
  server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  connections = [];
  server.on('connection', (socket) => connections.push(socket));
  accepted = once(server, 'connection').then(([socket]) => socket as Socket);
  pool = new BufferPool();
  await once(server, 'listening');
});

afterEach(async () => {
  // Other tests may have connected too, when they probed for a free port.
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const port = (): number => (server.address() as AddressInfo).port;

/** A reader that copies its bytes, and stops reading if `continues` is false. */
class Collector {
  relaysContent = true;
  readonly chunks: Buffer[] = [];
  continues = true;
  #wake = (): void => undefined;

  #length = 0;

  read(chunk: Buffer): boolean {
    this.chunks.push(Buffer.from(chunk));
    this.#length += chunk.length;
    this.#wake();
    return this.continues;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  async until(length: number): Promise<void> {
    while (this.#length < length) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

async function ended(...sockets: Socket[]): Promise<void> {
  for (const socket of sockets) {
    if (socket.destroyed) continue;
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  }
}

describe('PooledSource', () => {
  it('delivers nothing before it is started, and loses nothing', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const peer = await accepted;
    peer.write('first');
    await once(source.socket, 'connect');
    while (source.socket.bytesRead < 5) await new Promise(setImmediate);
    peer.end(' second');
    const reader = new Collector();
    source.start(reader);
    await once(source.socket, 'end');
    expect(reader.bytes.toString()).toBe('first second');
    await ended(source.socket, peer);
  });

  it('stops when the reader returns false, and leaves the bytes unchanged until it resumes', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const peer = await accepted;
    const kept: Buffer[] = [];
    source.start({
      read: (chunk) => {
        kept.push(chunk);
        return false;
      },
    });
    peer.write(Buffer.alloc(3000, 'a'));
    while (kept.length === 0) await new Promise(setImmediate);
    peer.write(Buffer.alloc(3000, 'b'));
    // Other sources use the pool meanwhile.
    for (let level = 1; level <= LARGEST; level += 1) pool.acquire(level)?.fill('x');
    await new Promise(setImmediate);
    expect(kept).toHaveLength(1);
    expect(kept[0]!.every((byte) => byte === 0x61)).toBe(true);
    const rest = new Collector();
    source.start(rest);
    await rest.until(6000 - kept[0]!.length);
    expect(rest.bytes.toString()).toBe('a'.repeat(3000 - kept[0]!.length) + 'b'.repeat(3000));
    await ended(source.socket, peer);
  });

  it('grows while reads fill its buffer, and releases large buffers when it is idle or closed', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const peer = await accepted;
    const reader = new Collector();
    source.start(reader);
    const total = 64 * 1_048_576;
    peer.write(Buffer.alloc(total, 7));
    await reader.until(total);
    expect(Math.max(...reader.chunks.map((chunk) => chunk.length))).toBeGreaterThan(BUFFER_SIZES[LARGEST - 1]!);
    expect(reader.chunks[0]).toHaveLength(BUFFER_SIZES[0]);
    source.trim();
    source.trim();
    expect(pool.inUse).toBe(0);
    peer.write('still here');
    await reader.until(total + 10);
    expect(reader.bytes.subarray(total).toString()).toBe('still here');
    peer.write(Buffer.alloc(100_000, 8));
    await reader.until(total + 100_010);
    expect(pool.inUse).toBeGreaterThan(0);
    await ended(source.socket, peer);
    expect(pool.inUse).toBe(0);
  });

  it('reads into no large buffer for a reader that does not relay content', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const peer = await accepted;
    const reader = new Collector();
    source.start(reader);
    const part = Buffer.alloc(16 * 1_048_576, 7);
    peer.write(part);
    await reader.until(part.length);
    reader.relaysContent = false;
    const read = reader.chunks.length;
    peer.write(part);
    await reader.until(2 * part.length);
    const [, ...later] = reader.chunks.slice(read).map((chunk) => chunk.length);
    expect(Math.max(...later)).toBe(BUFFER_SIZES[1]);
    expect(pool.inUse).toBe(BUFFER_SIZES[1]);
    await ended(source.socket, peer);
  });

  it('never releases a buffer that its reader still uses', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const peer = await accepted;
    let kept: Buffer | undefined;
    source.start({
      read: (chunk) => {
        kept = chunk;
        return chunk.length < BUFFER_SIZES[1];
      },
    });
    peer.write(Buffer.alloc(200_000, 'k'));
    while (kept === undefined || kept.length < BUFFER_SIZES[1]) await new Promise(setImmediate);
    await ended(source.socket, peer);
    expect(pool.inUse).toBe(0);
    for (let level = 1; level <= LARGEST; level += 1) for (let n = 0; n < 70; n += 1) pool.acquire(level)?.fill('x');
    expect(kept.every((byte) => byte === 0x6b)).toBe(true);
  });

  it('separates the bytes of many sources, before they are started and while they are stopped', async () => {
    const kept: string[] = [];
    const sources: PooledSource[] = [];
    for (let n = 0; n < 60; n += 1) {
      sources.push(PooledSource.connect(pool, { host: '127.0.0.1', port: port() }));
      while (connections.length <= n) await new Promise(setImmediate);
    }
    const read = (n: number) => (chunk: Buffer) => {
      setImmediate(() => (kept[n] = chunk.toString()));
      return false;
    };
    const start = (ofPair: number): void => {
      for (const [n, source] of sources.entries()) if (n % 2 === ofPair) source.start({ read: read(n) });
    };
    start(0);
    connections.forEach((peer, n) => peer.write(`for ${n}`));
    while (sources.some(({ socket }) => socket.bytesRead === 0)) await new Promise(setImmediate);
    start(1);
    while (kept.filter(Boolean).length < sources.length) await new Promise(setImmediate);
    expect(kept).toEqual(sources.map((_, n) => `for ${n}`));
    await ended(...sources.map(({ socket }) => socket));
  });

  it('survives a reset', async () => {
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    source.start(new Collector());
    const peer = await accepted;
    const closed = once(source.socket, 'close').catch(() => undefined);
    peer.resetAndDestroy();
    await closed;
    expect(source.socket.destroyed).toBe(true);
  });
});

describe('adoptSocket', () => {
  it('moves an accepted connection to a socket that reads into pooled buffers, and destroys the old one', async () => {
    const other = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const old = await accepted;
    const { remotePort } = old;
    const source = adoptSocket(pool, old);
    expect(source).toBeInstanceOf(PooledSource);
    const socket = source.socket as Socket;
    expect(socket).not.toBe(old);
    expect(socket.remotePort).toBe(remotePort);
    const closed = once(old, 'close');
    const reader = new Collector();
    source.start(reader);
    other.start(reader);
    other.socket.write('to the new one');
    await reader.until(14);
    socket.end(' and back');
    await once(other.socket, 'end');
    expect(reader.bytes.toString()).toBe('to the new one and back');
    await closed;
    await ended(other.socket, socket);
  });

  it('falls back to the given socket if it has no connection', async () => {
    const other = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const old = await accepted;
    await ended(old);
    const source = adoptSocket(pool, old);
    expect(source).toBeInstanceOf(PlainSource);
    expect(source.socket).toBe(old);
    expect(() => PooledSource.adopt(pool, old)).toThrow(TypeError);
    await ended(other.socket);
  });
});

describe('without the undocumented features of Node', () => {
  afterEach(() => {
    Object.assign(internals, { handOver: true, liveBuffer: true });
  });

  it('an idle source keeps its large buffer', async () => {
    internals.liveBuffer = false;
    const source = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const other = await accepted;
    const reader = new Collector();
    source.start(reader);
    other.write(Buffer.alloc(BUFFER_SIZES[0] + 1, 'a'));
    await reader.until(BUFFER_SIZES[0] + 1);
    const before = pool.inUse;
    source.trim();
    source.trim();
    expect([before, pool.inUse]).toEqual([BUFFER_SIZES[1], BUFFER_SIZES[1]]);
    other.write('more');
    await reader.until(BUFFER_SIZES[0] + 5);
    expect(reader.bytes.toString('latin1', BUFFER_SIZES[0] + 1)).toBe('more');
    await ended(source.socket, other);
  });

  it('accepted sockets are read by events', async () => {
    internals.handOver = false;
    const other = connect(port(), '127.0.0.1');
    const socket = await accepted;
    const source = adoptSocket(pool, socket);
    expect([source instanceof PlainSource, source.socket]).toEqual([true, socket]);
    await ended(other, socket);
  });
});

describe('PlainSource', () => {
  it('reads, stops, resumes and replaces its reader', async () => {
    const other = PooledSource.connect(pool, { host: '127.0.0.1', port: port() });
    const source = new PlainSource(await accepted);
    const first = new Collector();
    first.continues = false;
    source.start(first);
    other.socket.write('one');
    await first.until(3);
    other.socket.write('two');
    await new Promise(setImmediate);
    expect(first.bytes.toString()).toBe('one');
    const second = new Collector();
    source.start(second);
    await second.until(3);
    expect(second.bytes.toString()).toBe('two');
    await ended(other.socket);
  });
});
