import type { Socks5Error, Socks5SessionListener } from '#socks5-protocol';
import type { HandshakeMemory } from './handshake-memory.js';
import type { LinkedSession, UpstreamLink } from './upstream-link.js';

/** After a failure the next attempt waits, longer each time. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A connection that was greeted ahead; its events go to whoever takes it. */
class WarmConnection implements Socks5SessionListener {
  /** Set when it is taken. */
  user: Socks5SessionListener | undefined;
  linked: LinkedSession | undefined;
  readonly #warm: WarmConnections;

  constructor(warm: WarmConnections) {
    this.#warm = warm;
  }

  ready(): void {
    this.#warm.ready(this);
  }

  established(rest: Buffer): boolean | undefined {
    return this.user?.established(rest);
  }

  failed(error: Socks5Error): void {
    if (this.user === undefined) {
      this.#warm.lost(this);
    } else {
      this.user.failed(error);
    }
  }
}

/**
 * Connections to the upstream that are opened, greeted and authenticated ahead, so that a tunnel waits for its own
 * request only. One that the server ends while it waits (they all do at some time) is replaced.
 */
export class WarmConnections {
  readonly #link: UpstreamLink;
  readonly #memory: HandshakeMemory;
  readonly #count: number;
  readonly #ready: WarmConnection[] = [];
  readonly #opening = new Set<WarmConnection>();
  #pause = 0;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(link: UpstreamLink, memory: HandshakeMemory, count: number) {
    this.#link = link;
    this.#memory = memory;
    this.#count = count;
  }

  /** How many wait for a request. */
  get size(): number {
    return this.#ready.length;
  }

  /** Opens as many as are missing. */
  fill(): void {
    while (!this.#closed && this.#timer === undefined && this.#ready.length + this.#opening.size < this.#count) {
      const warm = new WarmConnection(this);
      this.#opening.add(warm);
      const { offer } = this.#memory.carefulPlan();
      warm.linked = this.#link.begin({ plan: { offer, oneFlight: false }, listener: warm });
    }
  }

  /** Takes one, the latest, for a request whose outcome `user` hears; undefined when none is ready. */
  take(user: Socks5SessionListener): LinkedSession | undefined {
    const warm = this.#ready.pop();
    if (warm !== undefined) {
      warm.user = user;
      this.fill();
    }
    return warm?.linked;
  }

  /** Ends all of them. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const warm of [...this.#ready, ...this.#opening]) {
      warm.linked?.session.cancel();
    }
  }

  /** @internal */
  ready(warm: WarmConnection): void {
    this.#pause = 0;
    this.#opening.delete(warm);
    this.#ready.push(warm);
    const method = warm.linked?.session.method;
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
    if (this.#closed || this.#timer !== undefined) {
      return;
    }
    this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.fill();
    }, this.#pause).unref();
  }
}
