import { LiveList, NOT_LISTED, type Listed } from '../stats/live-list.js';
import { isReset } from '../node-internals/socket-handle.js';
import type { ByteSource, SourceReader } from './byte-source.js';
import { IdleTimer } from './sweeper.js';
import { abort, closeWritten, type ConnectionSocket } from './connection-socket.js';

/** The time for a side to read its last bytes after the other side is gone. */
const LINGER_MS = 2000;
const NOTHING = Buffer.alloc(0);

/** How a relay ended: both directions were finished, one side broke, or a timeout cut it. */
export type RelayEnd = 'finished' | 'broken' | 'stalled' | 'idle';

/** In milliseconds; 0 means none. */
export interface RelayTimeouts {
  /** The time between two successful writes to a side. */
  readonly write: number;
  /** The time in which nothing moves in either direction. */
  readonly tunnelIdle: number;
}

/** All relays, of tunnels and of switched protocols. It enforces their timeouts when it is swept. */
export class Relays {
  readonly #timeouts: RelayTimeouts;
  readonly #live = new LiveList<Relay>();
  readonly #waiting: (() => void)[] = [];
  readonly #report: (error: unknown) => void;

  /** @param report - receives the exception that ended a relay, which is a defect of this program */
  constructor(timeouts: RelayTimeouts, report: (error: unknown) => void) {
    this.#timeouts = timeouts;
    this.#report = report;
  }

  /** The number of live relays. */
  get size(): number {
    return this.#live.size;
  }

  /**
   * Relays between a client and an upstream until both have ended; bytes that were put back are sent first. From here on both
   * sockets belong to the relay.
   *
   * @param onEnd - called once, when both sockets are closed
   */
  join(client: ByteSource, upstream: ByteSource, onEnd?: (end: RelayEnd) => void): Relay {
    const relay = new Relay(this, client, upstream, onEnd);
    this.#live.add(relay);
    return relay;
  }

  /** @internal */
  ended(relay: Relay): void {
    this.#live.delete(relay);
    if (this.#live.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** @internal */
  failed(relay: Relay, error: unknown): void {
    try {
      this.#report(error);
    } finally {
      relay.abort('broken');
    }
  }

  /** Cuts all relays. */
  abort(): void {
    for (const relay of this.#live) relay.abort('broken');
  }

  /** Resolves when no relay is left. */
  async endedAll(): Promise<void> {
    if (this.#live.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Called periodically with the time in milliseconds. */
  sweep(now: number): void {
    for (const relay of this.#live) {
      try {
        relay.sweep(now, this.#timeouts);
      } catch (error) {
        relay.onDefect(error);
      }
    }
  }
}

/**
 * One direction of a relay. Bytes are written at once from the buffer that they were read into. If the kernel does not accept
 * all of them, reading stops until it has (backpressure).
 */
class Flow implements SourceReader {
  readonly relaysContent = true;
  readonly from: ByteSource;
  readonly to: ConnectionSocket;
  readonly #relay: Relay;
  #isBlocked = false;
  /** The end was passed on by closing the socket. */
  #isClosed = false;
  readonly #writeTimer = new IdleTimer();

  constructor(relay: Relay, from: ByteSource, to: ConnectionSocket) {
    this.#relay = relay;
    this.from = from;
    this.to = to;
  }

  read(chunk: Buffer): boolean {
    this.to.write(chunk);
    return this.#mayReadOn();
  }

  /** Writes all chunks by one system call. */
  readTurn(chunks: readonly Buffer[]): boolean {
    this.to.cork();
    for (const chunk of chunks) this.to.write(chunk);
    this.to.uncork();
    return this.#mayReadOn();
  }

  /** Whether the kernel has accepted all that was written. Otherwise the source is resumed when it has. */
  #mayReadOn(): boolean {
    if (this.to.writableLength === 0) return true;
    // A callback with every write would cost also the writes that do not need one.
    this.#isBlocked = true;
    this.to.write(NOTHING, () => {
      try {
        this.#written();
      } catch (error) {
        this.onDefect(error);
      }
    });
    return false;
  }

  onEnd(): void {
    if (this.to.readableEnded && this.to.writableLength === 0) {
      // Both directions have ended.
      this.#isClosed = true;
      closeWritten(this.to);
    } else this.to.end();
  }

  onClose(): void {
    this.#relay.closed(this);
  }

  onDefect(error: unknown): void {
    this.#relay.onDefect(error);
  }

  /** Whether everything was written and the end was sent. */
  get isDone(): boolean {
    return this.#isClosed || this.to.writableFinished;
  }

  /** Whether the source was reset while it is not read, so that no event reports it. */
  get isReset(): boolean {
    const { socket } = this.from;
    if (!this.#isBlocked && !socket.readableEnded) return false;
    // After we have sent our end, a connection without a peer was closed by an orderly shutdown.
    return !socket.writableEnded && !socket.destroyed && isReset(socket);
  }

  /** Returns for how many milliseconds a pending write has made no progress. */
  stalledFor(now: number): number {
    return this.#writeTimer.writeStalled(now, this.to);
  }

  #written(): void {
    if (this.#isBlocked && (this.to.writableLength === 0 || this.to.destroyed)) {
      this.#isBlocked = false;
      this.from.resume();
    }
  }
}

/**
 * Passes the bytes of two sockets on to each other, without parsing them:
 *
 *     client ──▶ upstream     the client's bytes, until it finishes sending; then the end is passed on
 *     client ◀── upstream     the same the other way; the connection is over when both have finished
 *
 * It owns both sockets. If one side breaks or is cut, the other one is reset, so that a truncated transfer does not look
 * complete. Both sockets must be half-open and have an 'error' listener.
 */
export class Relay implements Listed {
  index = NOT_LISTED;
  readonly #up: Flow;
  readonly #down: Flow;
  readonly #relays: Relays;
  readonly #onEnd: ((end: RelayEnd) => void) | undefined;
  #open = 2;
  #end: RelayEnd = 'finished';
  readonly #idleTimer = new IdleTimer();
  /** The time since which one side has been gone, in milliseconds. */
  #goneSince: number | undefined;

  /** @internal */
  constructor(relays: Relays, client: ByteSource, upstream: ByteSource, onEnd?: (end: RelayEnd) => void) {
    this.#relays = relays;
    this.#onEnd = onEnd;
    this.#up = new Flow(this, client, upstream.socket);
    this.#down = new Flow(this, upstream, client.socket);
    client.start(this.#up);
    upstream.start(this.#down);
    // An end may have happened before the relay began.
    for (const flow of [this.#up, this.#down]) {
      if (flow.from.socket.readableEnded) flow.to.end();
      if (flow.from.socket.destroyed) this.#break(flow);
    }
  }

  /** Cuts both sides. */
  abort(end: RelayEnd): void {
    if (this.#end === 'finished') this.#end = end;
    abort(this.#down.to);
    abort(this.#up.to);
  }

  /**
   * Enforces the timeouts and releases idle buffers.
   *
   * @param now - in milliseconds
   */
  sweep(now: number, timeouts: RelayTimeouts): void {
    for (const flow of [this.#up, this.#down]) {
      flow.from.trim();
      if (!flow.isReset) continue;
      this.#break(flow);
      flow.from.socket.destroy();
    }
    this.#enforce(now, timeouts);
  }

  #enforce(now: number, { write, tunnelIdle }: RelayTimeouts): void {
    const stalled = Math.max(this.#up.stalledFor(now), this.#down.stalledFor(now));
    if (write > 0 && stalled >= write) this.abort('stalled');
    else if (tunnelIdle > 0 && this.#idleFor(now) >= tunnelIdle) this.abort('idle');
    else if (this.#goneSince !== undefined && now - this.#goneSince > LINGER_MS) this.abort('broken');
  }

  #idleFor(now: number): number {
    return this.#idleTimer.elapsed(now, 'bytes', this.#up.to.bytesRead + this.#down.to.bytesRead);
  }

  /** @internal */
  closed(flow: Flow): void {
    const { socket } = flow.from;
    const { isDone } = flow === this.#up ? this.#down : this.#up;
    // If not everything was received and sent, the other side must not see an orderly end.
    if (!socket.readableEnded || !isDone || socket.errored !== null) this.#break(flow);
    this.#open -= 1;
    if (this.#open > 0) return;
    try {
      this.#onEnd?.(this.#end);
    } finally {
      this.#relays.ended(this);
    }
  }

  /** Cuts both sides after an unexpected exception. */
  onDefect(error: unknown): void {
    this.#relays.failed(this, error);
  }

  /** Handles that the source of a flow broke. */
  #break({ from, to }: Flow): void {
    if (this.#end === 'finished') this.#end = 'broken';
    if (from.socket.readableEnded && to.writableEnded) {
      // All bytes of the broken side were received. A reset would discard those that the other side has not read yet.
      this.#goneSince = performance.now();
    } else abort(to);
  }
}
