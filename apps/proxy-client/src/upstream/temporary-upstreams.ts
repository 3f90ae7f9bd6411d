import type { HttpUpstream } from './http-upstream.js';
import type { Socks5Upstream } from './socks5-upstream.js';
import type { Upstream } from './upstream.js';

/** The maximum number of upstreams that are kept. */
const MAX_KEPT = 1000;

/** An LRU cache of upstreams that are not in the configuration: they keep their learned state and warm connections. */
export class TemporaryUpstreams {
  /** By their identities; the last used one is last. */
  readonly #byIdentity = new Map<string, Socks5Upstream | HttpUpstream>();
  /** The values of that map. */
  readonly #kept = new Set<Upstream>();

  has(upstream: Upstream): boolean {
    return this.#kept.has(upstream);
  }

  /**
   * Returns the upstream with these settings.
   *
   * @param identity - the settings as text
   * @param make - creates it, if it is not cached
   */
  use(identity: string, make: () => Socks5Upstream | HttpUpstream): Upstream {
    const upstream = this.#byIdentity.get(identity) ?? make();
    this.#byIdentity.delete(identity);
    this.#byIdentity.set(identity, upstream);
    this.#kept.add(upstream);
    const [oldest] = this.#byIdentity.size > MAX_KEPT ? this.#byIdentity : [];
    if (oldest !== undefined) {
      this.#byIdentity.delete(oldest[0]);
      this.#kept.delete(oldest[1]);
      oldest[1].close();
    }
    return upstream;
  }

  /** Closes the connections that the upstreams hold. */
  close(): void {
    for (const upstream of this.#byIdentity.values()) upstream.close();
  }
}
