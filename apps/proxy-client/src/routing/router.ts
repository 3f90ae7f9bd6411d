import { ProxyFailure } from '../failure/proxy-failure.js';
import type { RouteQuery } from '../rules/rule.js';
import type { Authorize } from '../upstream/authorize.js';
import type { Upstream } from '../upstream/upstream.js';

/** Where a request goes out. */
export interface Route {
  readonly upstream: Upstream;
  /** The upstream's name in the configuration. */
  readonly name: string;
  /** The number of the rule that says so, from 1; undefined where none fits, or a tunnel names its upstream. */
  readonly rule: number | undefined;
}

/** What routes are made of; it never changes, so what belongs to a request keeps the one that it began with. */
export interface RouteTable {
  /** By their names, in the order of the configuration: the first takes what no rule fits. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

/**
 * Says where each request goes out, or that it does not: asked once for each, before any dial, whatever it came as.
 */
export class Router {
  readonly #authorize: Authorize;
  readonly #default: Route;

  constructor({ upstreams }: RouteTable, authorize: Authorize) {
    const [first] = upstreams;
    if (first === undefined) throw new TypeError('The configuration names no upstream.');
    const [name, upstream] = first;
    this.#authorize = authorize;
    this.#default = { upstream, name, rule: undefined };
  }

  /**
   * The route of a request.
   *
   * @throws {@link ProxyFailure} when the request may not go out
   */
  route(query: RouteQuery): Route {
    const decision = this.#authorize(query.client, query.target);
    if (decision !== 'allow') throw new ProxyFailure(decision);
    const { upstream } = this.#default;
    return upstream.forRequest === undefined
      ? this.#default
      : { ...this.#default, upstream: upstream.forRequest(query) };
  }
}
