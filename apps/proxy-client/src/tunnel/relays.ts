import type { Socket } from 'node:net';
import { LiveList } from '#metrics';
import type { ByteSource } from '../relay/byte-source.js';
import { KernelQueues } from '../relay/kernel-queues.js';
import { PlainSource } from '../relay/plain-source.js';
import { type Flow, Relay, type RelayLimits, type RelayOptions } from './relay.js';

/** A limit is looked at this many times before it ends, so it is kept to about a tenth. */
const LOOKS = 10;
const MIN_PERIOD = 20;
const MAX_PERIOD = 1000;

export interface RelaysOptions {
  readonly limits: RelayLimits;
  /** What a client's socket is read by. */
  readonly sourceOf: (socket: Socket) => ByteSource | undefined;
}

/**
 * Makes relays, of CONNECT and of switched protocols alike, and keeps their limits with one timer for all of them: a
 * limit costs a tunnel nothing while its bytes move.
 */
export class Relays {
  readonly #options: RelaysOptions;
  readonly #period: number;
  readonly #live = new LiveList<Relay>();
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #looking = false;
  #looked = 0;

  constructor(options: RelaysOptions) {
    this.#options = options;
    const { write, idle } = options.limits;
    const shortest = Math.min(write || Infinity, idle || Infinity);
    this.#period = Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / LOOKS));
  }

  /** How many are live. */
  get size(): number {
    return this.#live.size;
  }

  /** Takes a client's connection over from node:http, which must have let go of it ('connect' and 'upgrade' do). */
  adopt(socket: Socket): ByteSource {
    return this.#options.sourceOf(socket) ?? new PlainSource(socket);
  }

  /**
   * Joins a client and an upstream until both have ended; early bytes of either side must have been written before.
   * From here on both sockets belong to the relay.
   */
  join(client: ByteSource, upstream: ByteSource, onEnd?: RelayOptions['onEnd']): Relay {
    const relay: Relay = new Relay(client, upstream, {
      onEnd: (end) => {
        this.#delete(relay);
        onEnd?.(end);
      },
    });
    this.#add(relay);
    return relay;
  }

  #add(relay: Relay): void {
    this.#live.add(relay);
    if (this.#timer === undefined) {
      this.#last = performance.now();
      this.#timer = setInterval(() => {
        this.#sweep();
      }, this.#period).unref();
    }
  }

  #delete(relay: Relay): void {
    this.#live.delete(relay);
    if (this.#live.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #sweep(): void {
    const now = performance.now();
    const elapsed = now - this.#last;
    this.#last = now;
    for (const relay of this.#live) {
      relay.sweep(elapsed, this.#options.limits);
    }
    this.#doubt(now);
  }

  /** Asks the kernel about the tunnels that seem to stand still, before the limit cuts them. */
  #doubt(now: number): void {
    const { write } = this.#options.limits;
    if (write === 0 || this.#looking || now - this.#looked < write / LOOKS) {
      return;
    }
    const doubtful = [...this.#live].flatMap((relay) => relay.stalledSince(write / 2));
    if (doubtful.length > 0) {
      this.#looking = true;
      void this.#ask(doubtful);
    }
  }

  async #ask(doubtful: readonly Flow[]): Promise<void> {
    const queues = await KernelQueues.look();
    for (const flow of doubtful) {
      const held = queues?.heldFor(flow.to);
      if (held !== undefined) {
        flow.seeHeld(held);
      }
    }
    this.#looked = performance.now();
    this.#looking = false;
  }
}
