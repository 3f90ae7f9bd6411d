import { LiveList } from '#metrics';
import type { ByteSource } from './byte-source.js';
import { Relay, type RelayEnd, type RelayHost, type RelayLimits } from './relay.js';
import type { UptakeWatch } from './uptake.js';

/**
 * Makes relays, of CONNECT and of switched protocols alike, and keeps their limits when it is
 * swept: a limit costs a tunnel nothing while its bytes move.
 */
export class Relays implements RelayHost {
  readonly #limits: RelayLimits;
  readonly #watch: UptakeWatch;
  readonly #live = new LiveList<Relay>();

  constructor(limits: RelayLimits, watch: UptakeWatch) {
    this.#limits = limits;
    this.#watch = watch;
  }

  /** How many are live. */
  get size(): number {
    return this.#live.size;
  }

  /**
   * Joins a client and an upstream until both have ended; what was put back of either side goes first.
   * From here on both sockets belong to the relay.
   */
  join(client: ByteSource, upstream: ByteSource, onEnd?: (end: RelayEnd) => void): Relay {
    const relay = new Relay(this, client, upstream, onEnd);
    this.#live.add(relay);
    return relay;
  }

  /** @internal */
  ended(relay: Relay): void {
    this.#live.delete(relay);
  }

  /** To be called now and then, with the time in milliseconds. */
  sweep(now: number): void {
    for (const relay of this.#live) {
      relay.sweep(now, this.#limits, this.#watch);
    }
  }
}
