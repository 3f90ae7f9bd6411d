import { connect, type OnReadOpts, type Socket, type TcpNetConnectOpts } from 'node:net';
import { canHandOver, handOver, readInto } from '../node-internals/socket-handle.js';
import { type BufferPool, LARGEST } from './buffer-pool.js';
import type { ClientSource, SocketReader } from './byte-source.js';
import { PlainSource } from './plain-source.js';

/** A read that fills less than this part of a large buffer gives the buffer back for a smaller one. */
const SHRINK = 16;

/** Buffers up to this level are given back by {@link PooledSource.trim} only: one message often comes in several reads. */
const STEADY = 1;

const SOURCE = Symbol('source');

interface SourceSocket extends Socket {
  [SOURCE]?: PooledSource;
}

/**
 * A source that reads into pooled buffers (`onread`): at rest into the one that all sockets share, of which the bytes are
 * copied; then into larger ones of its own, growing with what arrives, from which nothing is copied. Such a buffer goes
 * back to the pool only when neither the socket reads into it nor a reader still uses it.
 */
export class PooledSource implements ClientSource {
  readonly socket: Socket;
  /** Is told when the socket has closed, while its counters can still be read. */
  meter: { end(): void } | undefined;
  readonly #pool: BufferPool;
  #reader: SocketReader | undefined;
  #buffer: Buffer;
  #level = 0;
  /** How many bytes the last read brought. */
  #count = 0;
  /** Reading has stopped: the reader, or nobody yet, has the bytes of the last read. */
  #stopped = false;
  /** See {@link ByteSource.drained}. */
  #drained = true;
  #back: Buffer | undefined;
  /** The buffer that the reader has while `#buffer` is a larger one already. */
  #held: { readonly level: number; readonly buffer: Buffer } | undefined;
  #idle = false;
  #closed = false;

  private constructor(pool: BufferPool, open: (onread: OnReadOpts) => Socket) {
    this.#pool = pool;
    this.#buffer = pool.small;
    const socket: SourceSocket = open({ buffer: () => this.#next(), callback: onRead });
    this.socket = socket;
    socket[SOURCE] = this;
    // Errors are followed by 'close', which whoever owns the connection listens to.
    socket.on('error', ignore).on('end', onEnd).on('close', onClose);
  }

  /** Begins a connection. */
  static connect(pool: BufferPool, options: TcpNetConnectOpts): PooledSource {
    return new PooledSource(pool, (onread) => connect({ ...options, allowHalfOpen: true, noDelay: true, onread }));
  }

  /** Takes the connection of an accepted socket over (`canHandOver`); `socket` itself is left without one. */
  static adopt(pool: BufferPool, socket: Socket): PooledSource {
    return new PooledSource(pool, (onread) => handOver(socket, onread));
  }

  get drained(): boolean {
    return this.#drained;
  }

  get reader(): SocketReader | undefined {
    return this.#reader;
  }

  get early(): number {
    return this.#back?.length ?? 0;
  }

  putBack(bytes: Buffer): void {
    this.#back = bytes;
  }

  start(reader: SocketReader): void {
    this.#reader = reader;
    const back = this.#back;
    this.#back = undefined;
    if (back !== undefined && !reader.read(back)) {
      return;
    }
    this.resume();
  }

  resume(): void {
    if (this.#closed) {
      this.free();
      return;
    }
    this.#stopped = false;
    if (this.#held !== undefined) {
      this.#pool.release(this.#held.level, this.#held.buffer);
      this.#held = undefined;
    }
    if (!this.socket.connecting) {
      this.socket.resume();
    }
  }

  trim(): void {
    if (this.#idle && this.#level > 0 && !this.#stopped) {
      this.#rest();
    }
    this.#idle = true;
  }

  /** Waits for the next bytes with a small buffer. */
  #rest(): void {
    const { small } = this.#pool;
    if (!readInto(this.socket, small)) {
      return;
    }
    this.#pool.release(this.#level, this.#buffer);
    this.#buffer = small;
    this.#level = 0;
  }

  free(): void {
    if (this.#closed && this.#held !== undefined) {
      this.#pool.reclaim(this.#held.level, this.#held.buffer);
      this.#held = undefined;
    }
  }

  #chunk(): Buffer {
    if (this.#level === 0) {
      const copy = Buffer.allocUnsafe(this.#count);
      this.#buffer.copy(copy, 0, 0, this.#count);
      return copy;
    }
    return this.#count === this.#buffer.length ? this.#buffer : this.#buffer.subarray(0, this.#count);
  }

  /** @internal */
  received(count: number): boolean {
    this.#count = count;
    this.#idle = false;
    this.#drained = count < this.#buffer.length;
    if (this.#reader === undefined) {
      this.putBack(this.#chunk());
      this.#stop();
    } else if (!this.#reader.read(this.#chunk())) {
      this.#stop();
    }
    return !this.#stopped;
  }

  #stop(): void {
    this.#stopped = true;
    this.#drained = false;
  }

  /** The buffer for the next read; Node asks after each one. */
  #next(): Buffer {
    if (this.#count === this.#buffer.length && this.#level < LARGEST) {
      this.#swap(this.#level + 1);
    } else if (this.#level > STEADY && this.#count * SHRINK < this.#buffer.length && !this.#stopped) {
      this.#swap(this.#level - 1);
    }
    return this.#buffer;
  }

  #swap(level: number): void {
    const next = this.#pool.acquire(level);
    if (next === undefined) {
      return;
    }
    if (this.#stopped) {
      this.#held = { level: this.#level, buffer: this.#buffer };
    } else {
      this.#pool.release(this.#level, this.#buffer);
    }
    this.#buffer = next;
    this.#level = level;
    this.#count = 0;
  }

  /** @internal */
  ended(): void {
    this.#reader?.onEnd?.();
  }

  /** @internal */
  closed(): void {
    this.#giveBack();
    this.meter?.end();
    this.#reader?.onClose?.();
  }

  #giveBack(): void {
    this.#closed = true;
    if (this.#held !== undefined) {
      this.#pool.lend(this.#held.level, this.#held.buffer);
      this.#pool.release(this.#level, this.#buffer);
    } else if (this.#stopped) {
      // A write of the other side may still be using the bytes.
      this.#held = { level: this.#level, buffer: this.#buffer };
      this.#pool.lend(this.#level, this.#buffer);
    } else {
      this.#pool.release(this.#level, this.#buffer);
    }
  }
}

/**
 * Makes a source of a socket that a server accepted and that nobody reads yet. Where this Node allows it, the connection
 * goes on in a new socket object, and the old one, which is left empty, is destroyed.
 */
export function adoptSocket(pool: BufferPool, socket: Socket): ClientSource {
  return canHandOver(socket) ? PooledSource.adopt(pool, socket) : new PlainSource(socket);
}

// Shared by all sockets: listeners of their own would cost a closure each.

function onRead(this: SourceSocket, count: number): boolean {
  return this[SOURCE]?.received(count) ?? false;
}

function onEnd(this: SourceSocket): void {
  this[SOURCE]?.ended();
}

function onClose(this: SourceSocket): void {
  this[SOURCE]?.closed();
}

function ignore(): void {
  // See above.
}
