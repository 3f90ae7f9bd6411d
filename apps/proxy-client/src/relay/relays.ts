import { LiveList } from '#metrics';
import type { ByteSource } from './byte-source.js';
import { KernelQueues } from './kernel-queues.js';
import { type Flow, Relay, type RelayLimits, type RelayOptions } from './relay.js';

/** How many times the kernel is asked before a limit ends, at most. */
const LOOKS = 10;

/**
 * Makes relays, of CONNECT and of switched protocols alike, and keeps their limits when it is
 * swept: a limit costs a tunnel nothing while its bytes move.
 */
export class Relays {
  readonly #limits: RelayLimits;
  readonly #live = new LiveList<Relay>();
  #asking: Promise<void> | undefined;
  #looked = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** The question to the kernel that is under way. */
  get asking(): Promise<void> | undefined {
    return this.#asking;
  }

  /** How many are live. */
  get size(): number {
    return this.#live.size;
  }

  /**
   * Joins a client and an upstream until both have ended; what was put back of either side goes first.
   * From here on both sockets belong to the relay.
   */
  join(client: ByteSource, upstream: ByteSource, onEnd?: RelayOptions['onEnd']): Relay {
    const relay: Relay = new Relay(client, upstream, {
      onEnd: (end) => {
        this.#live.delete(relay);
        onEnd?.(end);
      },
    });
    this.#live.add(relay);
    return relay;
  }

  /** To be called now and then, with the time in milliseconds. */
  sweep(now: number): void {
    for (const relay of this.#live) {
      relay.sweep(now, this.#limits);
    }
    this.#doubt(now);
  }

  /** Asks the kernel about the tunnels that seem to stand still, before the limit cuts them. */
  #doubt(now: number): void {
    const { write } = this.#limits;
    if (write === 0 || this.#asking !== undefined || now - this.#looked < write / LOOKS) {
      return;
    }
    const doubtful = [...this.#live].flatMap((relay) => relay.stalledSince(write / 2));
    if (doubtful.length > 0) {
      this.#looked = now;
      this.#asking = this.#ask(doubtful);
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
    this.#asking = undefined;
  }
}
