import type { Socket } from 'node:net';
import { unsentBytes } from '../node-internals/socket-handle.js';
import { heldByKernel } from './kernel-queues.js';
import type { Swept } from './sweeper.js';

/** How many times the kernel is asked before the shortest limit ends, at most. */
const LOOKS = 10;
/** So many times as long as a look has taken, nobody looks again: on a machine with many sockets it takes long. */
const REST = 20;

/**
 * What a peer takes of the bytes that are for it, as far as can be seen, from when it is made. The kernel takes more of ours
 * only when a good part of its buffer is free, which at a slow reader takes longer than any limit; that the peer reads shows
 * earlier in what it acknowledges, and that the kernel is asked for.
 */
export class Uptake {
  readonly socket: Socket;
  readonly #watch: UptakeWatch;
  /** Bytes that the kernel has taken. */
  #taken = Number.NaN;
  /** Bytes that it still held at the last look. */
  #held: number | undefined;
  #since = 0;
  #seen = 0;

  constructor(socket: Socket, watch: UptakeWatch) {
    this.socket = socket;
    this.#watch = watch;
  }

  /**
   * For how long the peer has taken nothing for certain, up to the last look.
   *
   * @param now - in milliseconds
   */
  stillFor(now: number): number {
    const taken = this.socket.bytesWritten - unsentBytes(this.socket);
    if (taken !== this.#taken) {
      this.#taken = taken;
      this.#held = undefined;
      this.#since = now;
      this.#seen = now;
    } else if (this.#held === 0) this.#seen = now;
    else this.#watch.ask(this);
    return this.#seen - this.#since;
  }

  /** @internal */
  looked(held: number | undefined, at: number): void {
    // What was asked before the kernel took more says nothing of what it holds since then.
    if (at < this.#since) return;
    // What was acknowledged before the first look is not known.
    if (held !== undefined && (this.#held === undefined || held < this.#held)) this.#since = at;
    this.#held = held;
    this.#seen = at;
  }
}

/** Asks the kernel about all peers that seem to stand still together, now and then. */
export class UptakeWatch implements Swept {
  readonly #period: number;
  #asked: Uptake[] = [];
  /** When the kernel may be asked again. */
  #nextLook = -Infinity;
  #looking: Promise<void> | undefined;

  /** @param limits - milliseconds that peers may stand still; 0 is no limit */
  constructor(limits: readonly number[]) {
    this.#period = Math.min(...limits.map((limit) => limit || Infinity)) / LOOKS;
  }

  /** The look that is under way. */
  get looking(): Promise<void> | undefined {
    return this.#looking;
  }

  /**
   * Looks at what waits for a peer, as long as something does.
   *
   * @param before - what this gave for that socket at the look before
   */
  waitingFor(socket: Socket, before: Uptake | undefined): Uptake | undefined {
    return socket.writableLength === 0 ? undefined : (before ?? new Uptake(socket, this));
  }

  /** Has the kernel asked about that one with the others of this sweep, if it is time. */
  ask(uptake: Uptake): void {
    this.#asked.push(uptake);
  }

  /** To be called behind whoever {@link ask}s. */
  sweep(now: number): void {
    const asked = this.#asked;
    if (asked.length === 0) return;
    this.#asked = [];
    if (this.#looking === undefined && now >= this.#nextLook) this.#looking = this.#look(asked, now);
  }

  async #look(asked: readonly Uptake[], now: number): Promise<void> {
    const began = performance.now();
    const held = await heldByKernel(asked.map(({ socket }) => socket));
    this.#nextLook = now + Math.max(this.#period, REST * (performance.now() - began));
    for (const [index, uptake] of asked.entries()) uptake.looked(held[index], now);
    this.#looking = undefined;
  }
}
