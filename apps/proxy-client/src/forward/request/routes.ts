import type { Target } from '../../upstream/upstream.js';
import { parseAuthority } from './authority.js';
import { ViaTokens } from './via.js';

const HTTP_PORT = 80;
/** Authorities that are remembered; then all are forgotten and learned again. */
const MAX_ROUTES = 4096;

/** What is known about an authority. */
export interface Route {
  readonly target: Target;
  /** `host:port` in one spelling: the target's part of a pool key. */
  readonly place: string;
  /** This proxy's name in Via towards that target; absent when Via is off. */
  readonly viaToken: string | undefined;
}

/** Authorities that were read before, so that a busy target costs one look-up. */
export class Routes {
  readonly #known = new Map<string, Route>();
  readonly #tokens: ViaTokens | undefined;

  /** @param via - whether this proxy adds itself to Via */
  constructor(via: boolean) {
    this.#tokens = via ? new ViaTokens() : undefined;
  }

  /**
   * The route to an authority.
   *
   * @throws {@link ProxyFailure} `bad_request`
   */
  to(authority: string): Route {
    return this.#known.get(authority) ?? this.#learn(authority);
  }

  /**
   * Checks a Host that is replaced (RFC 9112, section 3.2: an invalid one makes the request invalid all the same).
   *
   * @throws {@link ProxyFailure} `bad_request`
   */
  check(host: string): void {
    if (!this.#known.has(host)) parseAuthority(host, HTTP_PORT);
  }

  #learn(authority: string): Route {
    const target = parseAuthority(authority, HTTP_PORT);
    const route = { target, place: `${target.host}:${target.port}`, viaToken: this.#tokens?.tokenFor(target) };
    if (this.#known.size >= MAX_ROUTES) this.#known.clear();
    this.#known.set(authority, route);
    return route;
  }
}
