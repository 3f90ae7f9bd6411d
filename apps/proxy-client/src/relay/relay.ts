import type { Socket } from 'node:net';
import { NOT_LISTED, type Listed } from '#metrics';
import { isGone } from '../node-internals/socket-handle.js';
import type { ByteSource, SocketReader } from './byte-source.js';
import { Standstill } from './sweeper.js';
import type { Uptake, UptakeWatch } from './uptake.js';

/** How long a side that is still to get its last bytes is kept after the other one is gone. */
const LINGER_MS = 2000;

/** How a relay ended: both directions were finished, one side broke, or it was cut for standing still. */
export type RelayEnd = 'finished' | 'broken' | 'stalled' | 'idle';

/** Whoever has the relays: is told once of each, when both of its sockets are closed. */
export interface RelayHost {
  ended(relay: Relay): void;
}

/** Milliseconds; 0 means no limit. */
export interface RelayLimits {
  /** How long a side may take nothing of what is being written to it. */
  readonly write: number;
  /** How long nothing may move in either direction. */
  readonly idle: number;
}

const NOTHING = Buffer.alloc(0);

const KEEP_ALIVE_MS = 60_000;

/**
 * One direction of a relay. What was read is written at once from the buffer it was read into; when the kernel does not
 * take all of it, reading stops until it has.
 */
class Flow implements SocketReader {
  readonly #relay: Relay;
  readonly #from: ByteSource;
  readonly #to: Socket;
  #blocked = false;
  /** The end was told by closing. */
  #closed = false;
  /** While something waits to be taken, at a look. */
  #uptake: Uptake | undefined;

  constructor(relay: Relay, from: ByteSource, to: Socket) {
    this.#relay = relay;
    this.#from = from;
    this.#to = to;
  }

  read(chunk: Buffer): boolean {
    this.#to.write(chunk);
    if (this.#to.writableLength === 0) {
      return true;
    }
    // Told when the kernel has taken all of it: a callback on each write would cost even those that need none.
    this.#blocked = true;
    this.#to.write(NOTHING, () => {
      this.#written();
    });
    return false;
  }

  onEnd(): void {
    if (this.#to.readableEnded && this.#to.writableLength === 0) {
      // Both have said all: closing tells the end as well, with one system call instead of two.
      this.#closed = true;
      this.#to.destroy();
    } else {
      this.#to.end();
    }
  }

  /** Whether all that was to be written was, and the end was told. */
  get isDone(): boolean {
    return this.#closed || this.#to.writableFinished;
  }

  onClose(): void {
    this.#relay.closed(this.#from.socket, this.#to);
  }

  /** Whether the source is neither read nor about to be: what happens to it there goes unseen. */
  get isDeaf(): boolean {
    return this.#blocked || this.#from.socket.readableEnded;
  }

  /** Whose bytes wait to be taken. */
  get to(): Socket {
    return this.#to;
  }

  /** For how long nothing of what is being written has been taken; `now` and the answer in milliseconds. */
  stalledFor(now: number, watch: UptakeWatch): number {
    this.#uptake = watch.waitingFor(this.#to, this.#uptake);
    return this.#uptake?.stillFor(now) ?? 0;
  }

  #written(): void {
    if (this.#blocked && (this.#to.writableLength === 0 || this.#to.destroyed)) {
      this.#blocked = false;
      this.#from.resume();
    }
  }
}

/**
 * Passes the bytes of two sockets on to each other, without looking at them:
 *
 *     client ──▶ upstream     what the client sends, until it ends; then the upstream is told the end
 *     client ◀── upstream     the same the other way; the connection is over when both have ended
 *
 * It owns both sockets: a side that breaks or is cut takes the other one along, with a reset, so that nobody takes what
 * was cut for a whole. Each socket needs to be half-open and to have an 'error' listener.
 */
export class Relay implements Listed {
  place = NOT_LISTED;
  readonly #client: ByteSource;
  readonly #upstream: ByteSource;
  readonly #up: Flow;
  readonly #down: Flow;
  readonly #host: RelayHost;
  readonly #onEnd: ((end: RelayEnd) => void) | undefined;
  #open = 2;
  #end: RelayEnd = 'finished';
  #aged = false;
  readonly #standstill = new Standstill();
  /** Since when one side has been gone, in milliseconds. */
  #goneSince: number | undefined;

  /** @param onEnd - called once, when both sockets are closed */
  constructor(host: RelayHost, client: ByteSource, upstream: ByteSource, onEnd?: (end: RelayEnd) => void) {
    this.#host = host;
    this.#client = client;
    this.#upstream = upstream;
    this.#onEnd = onEnd;
    this.#up = new Flow(this, client, upstream.socket);
    this.#down = new Flow(this, upstream, client.socket);
    client.start(this.#up);
    upstream.start(this.#down);
    this.#catchUp(client.socket, upstream.socket);
    this.#catchUp(upstream.socket, client.socket);
  }

  /** Cuts both sides. */
  cut(end: RelayEnd): void {
    if (this.#end === 'finished') {
      this.#end = end;
    }
    closeAbruptly(this.#client.socket);
    closeAbruptly(this.#upstream.socket);
  }

  /**
   * Enforces the limits and gives idle buffers back.
   *
   * @param now - in milliseconds
   * @param watch - is asked about a side that seems to take nothing
   */
  sweep(now: number, limits: RelayLimits, watch: UptakeWatch): void {
    if (!this.#aged) {
      // A system call that tunnels of a moment do without: a peer that vanished is noticed at last.
      this.#aged = true;
      this.#upstream.socket.setKeepAlive(true, KEEP_ALIVE_MS);
    }
    this.#client.trim?.();
    this.#upstream.trim?.();
    this.#lookFor(this.#up, this.#client.socket, this.#upstream.socket);
    this.#lookFor(this.#down, this.#upstream.socket, this.#client.socket);
    this.#keep(now, limits, watch);
  }

  #keep(now: number, { write, idle }: RelayLimits, watch: UptakeWatch): void {
    if (write > 0 && Math.max(this.#up.stalledFor(now, watch), this.#down.stalledFor(now, watch)) >= write) {
      this.cut('stalled');
    } else if (idle > 0 && this.#idleFor(now) >= idle) {
      this.cut('idle');
    } else if (this.#goneSince !== undefined && now - this.#goneSince > LINGER_MS) {
      this.cut('broken');
    }
  }

  #lookFor(flow: Flow, from: Socket, to: Socket): void {
    // Once we have said our last, a connection without a peer is one that has ended as it should.
    if (flow.isDeaf && !from.writableEnded && !from.destroyed && isGone(from)) {
      this.#break(from, to);
      from.destroy();
    }
  }

  #idleFor(now: number): number {
    return this.#standstill.for(now, this.#client.socket.bytesRead + this.#upstream.socket.bytesRead, true);
  }

  /** What came before the relay did. */
  #catchUp(from: Socket, to: Socket): void {
    if (from.readableEnded) {
      to.end();
    }
    if (from.destroyed) {
      this.#break(from, to);
    }
  }

  /** @internal */
  closed(from: Socket, to: Socket): void {
    // Destroyed before all was said and heard: the end that the other side would see were a lie.
    const done = from === this.#up.to ? this.#up.isDone : this.#down.isDone;
    if (!from.readableEnded || !done || from.errored !== null) {
      this.#break(from, to);
    }
    this.#open -= 1;
    if (this.#open === 0) {
      this.#client.free?.();
      this.#upstream.free?.();
      this.#host.ended(this);
      this.#onEnd?.(this.#end);
    }
  }

  #break(from: Socket, to: Socket): void {
    if (this.#end === 'finished') {
      this.#end = 'broken';
    }
    if (from.readableEnded && to.writableEnded) {
      // All that was to come from the broken side came: a reset would take it from the other one, who may go on
      // sending into the void for a moment.
      this.#goneSince = performance.now();
    } else {
      closeAbruptly(to);
    }
  }
}

/** Resets a connection, so that its peer takes nothing that was cut for a whole. */
export function closeAbruptly(socket: Socket): void {
  // libuv refuses a reset while it waits to send the end, and the descriptor would stay open.
  if (socket.writableEnded && !socket.writableFinished) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}
