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
  #table: RouteTable;
  #own: OwnPlaces | undefined;

  constructor(sources: RouteSources) {
    this.#table = new RouteTable(sources);
  }

  /** Replaces the configuration for later requests. */
  change(sources: RouteSources): void {
    this.#table = new RouteTable(sources);
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
    const { target, listener } = query;
    if (listener?.via === undefined && this.#own?.isReachedBy(target) === true) throw new ProxyFailure('own_address');
    return this.#table.routeOf(query);
  }
}

/** The routes of one configuration. It is immutable: a reload replaces it. */
class RouteTable {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #rules: RuleList;
  /** One for each rule; undefined for those that refuse requests. */
  readonly #routes: readonly (Route | undefined)[];
  readonly #default: Route;

  constructor({ upstreams, rules }: RouteSources) {
    const [first] = upstreams.keys();
    if (first === undefined) throw new TypeError('The configuration has no upstream.');
    this.#upstreams = upstreams;
    this.#rules = new RuleList(rules);
    this.#routes = rules.map(({ to }, index) => (to === REJECT ? undefined : this.#routeTo(to, index + 1)));
    this.#default = this.#routeTo(first, undefined);
  }

  /** @throws {@link ProxyFailure} `rejected` */
  routeOf(query: RouteQuery): Route {
    const index = this.#rules.firstFor(query);
    const route = index === -1 ? this.#default : this.#routes[index];
    if (route === undefined) throw new ProxyFailure('rejected', { detail: `rule ${index + 1}`, rule: index + 1 });
    const via = query.listener?.via;
    return via === undefined ? route : this.#routeTo(via, undefined);
  }

  #routeTo(name: string, rule: number | undefined): Route {
    const upstream = this.#upstreams.get(name);
    if (upstream === undefined) throw new TypeError(`There is no upstream with the name ${name}.`);
    return { upstream, name, rule };
  }
}
