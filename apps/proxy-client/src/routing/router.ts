import { ProxyFailure } from '../failure/proxy-failure.js';
import type { OwnPlaces } from '../rules/own-places.js';
import { type RouteQuery, type Rule, RuleList } from '../rules/rule.js';
import type { Upstream } from '../upstream/upstream.js';

/** The upstream of a request. */
export interface Route {
  readonly upstream: Upstream;
  /** The upstream's name in the configuration. */
  readonly name: string;
  /** The number of the matching rule, from 1; undefined if none matches, or if a tunnel names its upstream. */
  readonly rule: number | undefined;
}

/** The configuration of a {@link Router}. */
export interface RouteSources {
  /** By their names, in the order of the configuration: the first is the default. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rules: readonly Rule[];
}

/** The destination of rules that refuse requests. */
const REJECT = 'reject';

/** Selects the upstream of each request, or refuses it, before any connection is made. */
export class Router {
  #sources: RouteSources;
  #list: RuleList;
  #own: OwnPlaces | undefined;

  constructor(sources: RouteSources) {
    this.#sources = sources;
    this.#list = new RuleList(sources.rules);
  }

  /** Replaces the configuration for later requests. */
  change(sources: RouteSources): void {
    this.#sources = sources;
    this.#list = new RuleList(sources.rules);
  }

  /** Sets where this program listens: only a tunnel of the configuration may lead there. */
  protect(own: OwnPlaces): void {
    this.#own = own;
  }

  /**
   * Returns the route of a request.
   *
   * @throws {@link ProxyFailure} if the request is refused
   */
  route(query: RouteQuery): Route {
    const via = query.listener?.via;
    if (via === undefined && this.#own?.isReachedBy(query.target) === true) throw new ProxyFailure('own_address');
    const index = this.#list.firstFor(query);
    const rule = this.#sources.rules[index];
    if (rule?.to === REJECT) throw new ProxyFailure('rejected', { detail: `rule ${index + 1}`, rule: index + 1 });
    if (via !== undefined) return this.#routeTo(via, undefined);
    return rule === undefined ? this.#routeTo(this.#default, undefined) : this.#routeTo(rule.to, index + 1);
  }

  get #default(): string {
    const [first = ''] = this.#sources.upstreams.keys();
    return first;
  }

  #routeTo(name: string, rule: number | undefined): Route {
    const upstream = this.#sources.upstreams.get(name);
    if (upstream === undefined) throw new TypeError(`There is no upstream with the name ${name}.`);
    return { upstream, name, rule };
  }
}
