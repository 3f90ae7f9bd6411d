import type { Socks5Error, Socks5SessionListener } from '#socks5-protocol';
import type { HandshakeMemory } from './handshake-memory.js';
import type { LinkedSession, UpstreamLink } from './upstream-link.js';

/** The pause after a failure, which doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A connection that is authenticated ahead; its events go to the request that takes it. */
class WarmConnection implements Socks5SessionListener {
  /** The request that has taken it. */
  taker: Socks5SessionListener | undefined;
  link: LinkedSession | undefined;
  readonly #warm: WarmConnections;

  constructor(warm: WarmConnections) {
    this.#warm = warm;
  }

  ready(): void {
    this.#warm.ready(this);
  }

  established(rest: Buffer): boolean | undefined {
    return this.taker?.established(rest);
  }

  failed(error: Socks5Error): void {
    if (this.taker === undefined) {
      this.#warm.lost(this);
    } else {
      this.taker.failed(error);
    }
  }
}

/**
 * Connections to the upstream that are opened and authenticated ahead, so that a tunnel waits only for its own request. A
 * connection that the server closes while it is idle (every server does at some time) is replaced.
 */
export class WarmConnections {
  readonly #link: UpstreamLink;
  readonly #memory: HandshakeMemory;
  readonly #count: number;
  readonly #ready: WarmConnection[] = [];
  readonly #opening = new Set<WarmConnection>();
  #pause = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(link: UpstreamLink, memory: HandshakeMemory, count: number) {
    this.#link = link;
    this.#memory = memory;
    this.#count = count;
  }

  /** The number of connections that are ready. */
  get size(): number {
    return this.#ready.length;
  }

  /** Opens the missing connections. */
  fill(): void {
    while (!this.#isClosed && this.#timer === undefined && this.#ready.length + this.#opening.size < this.#count) {
      const warm = new WarmConnection(this);
      this.#opening.add(warm);
      warm.link = this.#link.begin({ plan: this.#memory.carefulPlan(), listener: warm });
    }
  }

  /** Takes the latest connection for a request, which receives its events; returns undefined if none is ready. */
  take(taker: Socks5SessionListener): LinkedSession | undefined {
    const warm = this.#ready.pop();
    if (warm !== undefined) {
      warm.taker = taker;
      this.fill();
    }
    return warm?.link;
  }

  /** Closes all of them. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const warm of [...this.#ready, ...this.#opening]) {
      warm.link?.cancel();
    }
  }

  /** @internal */
  ready(warm: WarmConnection): void {
    this.#pause = 0;
    this.#opening.delete(warm);
    this.#ready.push(warm);
    const method = warm.link?.method;
    if (method !== undefined) {
      this.#memory.succeeded(method);
    }
  }

  /** @internal */
  lost(warm: WarmConnection): void {
    const at = this.#ready.indexOf(warm);
    if (at >= 0) {
      this.#ready.splice(at, 1);
    }
    this.#opening.delete(warm);
    if (this.#isClosed || this.#timer !== undefined) {
      return;
    }
    this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, this.#pause).unref();
  }
}
