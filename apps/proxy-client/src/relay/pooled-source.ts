import { connect, type OnReadOpts, type Socket, type TcpNetConnectOpts } from 'node:net';
import { canHandOver, handOver, readInto } from '../node-internals/socket-handle.js';
import { type BufferPool, LARGEST } from './buffer-pool.js';
import { endAfterDefect, PlainSource, SOCKET_OPTIONS, type ByteSource, type SourceReader } from './byte-source.js';
import { enableKeepAlive } from './connection-socket.js';

/** A read that fills less than this part of a large buffer moves to the next smaller one. */
const SHRINK = 16;

/** Buffers up to this level shrink by {@link PooledSource.trim} only: one message often takes several reads. The largest for readers that do not relay content. */
const STEADY = 1;

const SOURCE = Symbol('source');

interface SourceSocket extends Socket {
  [SOURCE]?: PooledSource;
}

/**
 * A source that reads into pooled buffers (`onread`): while it is idle into a small one, then into larger ones as more
 * arrives. Nothing is copied. A buffer returns to the pool only when neither the socket reads into it nor a reader uses it.
 */
export class PooledSource implements ByteSource {
  readonly socket: Socket;
  meter: { end(): void } | undefined;
  drained = true;
  reader: SourceReader | undefined;
  readonly #pool: BufferPool;
  #buffer: Buffer;
  #level = 0;
  /** The number of bytes of the last read. */
  #count = 0;
  /** Reading has stopped: the reader, or no one yet, uses the bytes of the last read. */
  #isStopped = false;
  #early: Buffer | undefined;
  /** The buffer that the reader still uses after `#buffer` was replaced by a larger one. */
  #lent: Buffer | undefined;
  #isIdle = false;
  #isKeptAlive = false;
  #isClosed = false;

  private constructor(pool: BufferPool, open: (onread: OnReadOpts) => Socket) {
    this.#pool = pool;
    this.#buffer = pool.allocateSmall();
    const socket: SourceSocket = open({ buffer: () => this.#nextBuffer(), callback: onRead });
    this.socket = socket;
    socket[SOURCE] = this;
    // Errors are followed by 'close', which the owner of the connection handles.
    socket.on('error', ignore).on('end', onEnd).on('close', onClose);
  }

  /** Opens a connection. */
  static connect(pool: BufferPool, options: TcpNetConnectOpts): PooledSource {
    return new PooledSource(pool, (onread) => connect({ ...options, ...SOCKET_OPTIONS, onread }));
  }

  /** Moves the connection of an accepted socket to a new one (`canHandOver`); `socket` itself is destroyed. */
  static adopt(pool: BufferPool, socket: Socket): PooledSource {
    return new PooledSource(pool, (onread) => handOver(socket, onread));
  }

  get early(): number {
    return this.#early?.length ?? 0;
  }

  putBack(bytes: Buffer): void {
    this.#early = bytes;
  }

  start(reader: SourceReader): void {
    this.reader = reader;
    const early = this.#early;
    this.#early = undefined;
    if (early !== undefined && !reader.read(early)) return;
    this.resume();
  }

  resume(): void {
    if (this.#isClosed) return;
    this.#isStopped = false;
    if (this.#lent !== undefined) this.#pool.release(this.#lent);
    this.#lent = undefined;
    if (!this.socket.connecting) this.socket.resume();
  }

  trim(): void {
    if (!this.#isKeptAlive) enableKeepAlive(this.socket);
    this.#isKeptAlive = true;
    if (this.#isIdle && this.#level > 0 && !this.#isStopped) this.#shrinkToSmall();
    this.#isIdle = true;
  }

  #shrinkToSmall(): void {
    const small = this.#pool.allocateSmall();
    if (!readInto(this.socket, small)) return;
    this.#pool.release(this.#buffer);
    this.#buffer = small;
    this.#level = 0;
  }

  /** @internal */
  received(count: number): boolean {
    this.#count = count;
    this.#isIdle = false;
    this.drained = count < this.#buffer.length;
    const chunk = this.drained ? this.#buffer.subarray(0, count) : this.#buffer;
    if (this.reader === undefined) {
      this.putBack(chunk);
      this.#stop();
    } else if (!this.reader.read(chunk)) this.#stop();
    return !this.#isStopped;
  }

  #stop(): void {
    this.#isStopped = true;
    this.drained = false;
  }

  /** Returns the buffer for the next read; Node calls it after each one. */
  #nextBuffer(): Buffer {
    const largest = this.reader?.relaysContent === true ? LARGEST : STEADY;
    if (this.#count === this.#buffer.length && this.#level < largest) this.#replaceBuffer(this.#level + 1);
    else if (this.#level > STEADY && !this.#isStopped) {
      if (this.#level > largest) this.#replaceBuffer(largest);
      else if (this.#count * SHRINK < this.#buffer.length) this.#replaceBuffer(this.#level - 1);
    }
    return this.#buffer;
  }

  #replaceBuffer(level: number): void {
    const next = this.#pool.acquire(level);
    if (next === undefined) return;
    if (this.#isStopped) this.#lent = this.#buffer;
    else this.#pool.release(this.#buffer);
    this.#buffer = next;
    this.#level = level;
    this.#count = 0;
  }

  /** @internal */
  ended(): void {
    this.reader?.onEnd?.();
  }

  /** @internal */
  closed(): void {
    this.#isClosed = true;
    // A write of the other side may still use the bytes of the last read.
    this.#pool.release(this.#buffer, !this.#isStopped || this.#lent !== undefined);
    if (this.#lent !== undefined) this.#pool.release(this.#lent, false);
    this.meter?.end();
    this.reader?.onClose?.();
  }
}

/**
 * Creates a source over a socket that a server accepted and that was not read. If Node supports it, the connection moves to a
 * new socket object and the old one is destroyed.
 */
export function adoptSocket(pool: BufferPool, socket: Socket): ByteSource {
  return canHandOver(socket) ? PooledSource.adopt(pool, socket) : new PlainSource(socket);
}

// Shared by all sockets: listeners per socket would cost a closure each.

function onRead(this: SourceSocket, count: number): boolean {
  const source = this[SOURCE];
  if (source === undefined) return false;
  try {
    return source.received(count);
  } catch (error) {
    endAfterDefect(source, error);
    // The bytes were passed to the reader: their memory must not be read into again.
    return true;
  }
}

function onEnd(this: SourceSocket): void {
  const source = this[SOURCE];
  try {
    source?.ended();
  } catch (error) {
    if (source !== undefined) endAfterDefect(source, error);
  }
}

function onClose(this: SourceSocket): void {
  const source = this[SOURCE];
  try {
    source?.closed();
  } catch (error) {
    if (source !== undefined) endAfterDefect(source, error);
  }
}

function ignore(): void {
  // See above.
}
