import type { Socks5Error, Socks5SessionListener } from '#socks5-protocol';
import type { HandshakeMemory } from './handshake-memory.js';
import { type LinkedServer, UpstreamLink } from './upstream-link.js';

/** The pause after a failure, which doubles with each further one. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** A connection that is authenticated ahead; its events go to the request that takes it. */
class WarmConnection implements Socks5SessionListener {
  /** The request that has taken it. */
  taker: Socks5SessionListener | undefined;
  readonly link: UpstreamLink;
  readonly #owner: WarmConnections;

  constructor(owner: WarmConnections, server: LinkedServer, memory: HandshakeMemory) {
    this.#owner = owner;
    this.link = new UpstreamLink(server, { plan: memory.carefulPlan(), listener: this });
  }

  ready(): void {
    this.#owner.ready(this);
  }

  established(rest: Buffer): boolean | undefined {
    return this.taker?.established(rest);
  }

  failed(error: Socks5Error): void {
    if (this.taker === undefined) this.#owner.lost(this);
    else this.taker.failed(error);
  }
}

/**
 * Connections to the upstream that are opened and authenticated ahead, so that a tunnel waits only for its own request. A
 * connection that the server closes while it is idle (every server does at some time) is replaced.
 */
export class WarmConnections {
  readonly #server: LinkedServer;
  readonly #memory: HandshakeMemory;
  #ready: WarmConnection[] = [];
  readonly #opening = new Set<WarmConnection>();
  #pause = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** Opens the connections. */
  constructor(server: LinkedServer, memory: HandshakeMemory) {
    this.#server = server;
    this.#memory = memory;
    this.#fill();
  }

  /** The number of connections that are ready. */
  get size(): number {
    return this.#ready.length;
  }

  /** Takes the latest connection for a request, which receives its events; returns undefined if none is ready. */
  take(taker: Socks5SessionListener): UpstreamLink | undefined {
    const warm = this.#ready.pop();
    if (warm === undefined) return undefined;
    warm.taker = taker;
    this.#fill();
    return warm.link;
  }

  /** Closes all of them. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { link } of [...this.#ready, ...this.#opening]) link.cancel();
  }

  /** @internal */
  ready(warm: WarmConnection): void {
    this.#pause = 0;
    this.#opening.delete(warm);
    this.#ready.push(warm);
    const { method } = warm.link;
    if (method !== undefined) this.#memory.succeeded(method);
  }

  /** @internal */
  lost(warm: WarmConnection): void {
    this.#ready = this.#ready.filter((each) => each !== warm);
    this.#opening.delete(warm);
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#pause = Math.min(Math.max(2 * this.#pause, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#fill();
    }, this.#pause).unref();
  }

  /** Opens the missing connections. */
  #fill(): void {
    while (!this.#isClosed && this.#timer === undefined && this.size + this.#opening.size < this.#server.config.warm) {
      this.#opening.add(new WarmConnection(this, this.#server, this.#memory));
    }
  }
}
