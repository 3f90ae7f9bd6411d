import {
  Socks5Session,
  type Socks5SessionListener,
  type Socks5Target,
  type Socks5Timeouts,
  type SystemLookup,
} from '#socks5-protocol';
import type { Socks5UpstreamConfig, Timeouts } from '../config/proxy-client-config.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import type { HandshakePlan } from './handshake-memory.js';
import { UpstreamAddress } from './upstream-address.js';

/** A handshake under way and the source it reads from. */
export interface LinkedSession {
  readonly session: Socks5Session;
  readonly source: PooledSource;
}

export interface LinkOptions {
  readonly plan: HandshakePlan;
  /** Absent: greet ahead and wait for a request. */
  readonly target?: Socks5Target | undefined;
  readonly listener: Socks5SessionListener;
  /** Instead of the configured limits, in milliseconds. */
  readonly limits?: Partial<Socks5Timeouts>;
}

export interface UpstreamLinkOptions {
  readonly config: Socks5UpstreamConfig;
  readonly timeouts: Timeouts;
  readonly pool: BufferPool;
  /** How the server's name is resolved; absent: as `dns.lookup` does. */
  readonly lookup?: SystemLookup | undefined;
}

/** How connections to one SOCKS5 server are begun: its address, its credentials, the limits, the buffers. */
export class UpstreamLink {
  readonly credentials: Socks5UpstreamConfig['credentials'];
  readonly #address: UpstreamAddress;
  readonly #timeouts: Timeouts;
  readonly #pool: BufferPool;

  constructor({ config, timeouts, pool, lookup }: UpstreamLinkOptions) {
    this.credentials = config.credentials;
    this.#address = new UpstreamAddress(config.host, config.port, lookup);
    this.#timeouts = timeouts;
    this.#pool = pool;
  }

  /** Begins a connection and its handshake. */
  begin({ plan, target, listener, limits }: LinkOptions): LinkedSession {
    const source = PooledSource.connect(this.#pool, this.#address.options);
    if (this.#address.isName) {
      source.socket.once('connect', () => {
        this.#address.connected(source.socket);
      });
    }
    const session = new Socks5Session({
      open: () => source,
      offer: plan.offer,
      credentials: this.credentials,
      target,
      oneFlight: plan.oneFlight,
      timeouts: limits === undefined ? this.#timeouts : { ...this.#timeouts, ...limits },
      listener,
    });
    return { session, source };
  }

  /** A connection could not be made. */
  failed(): void {
    this.#address.failed();
  }
}
