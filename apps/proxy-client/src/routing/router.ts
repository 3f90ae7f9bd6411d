import { ProxyFailure } from '../failure/proxy-failure.js';
import type { OwnPlaces } from '../rules/own-places.js';
import { RuleList } from '../rules/rule-list.js';
import type { RouteQuery, Rule } from '../rules/rule.js';
import type { Upstream } from '../upstream/upstream.js';

/** Where a request goes out. */
export interface Route {
  readonly upstream: Upstream;
  /** The upstream's name in the configuration. */
  readonly name: string;
  /** The number of the rule that says so, from 1; undefined where none fits, or a tunnel names its upstream. */
  readonly rule: number | undefined;
}

/** What routes are made of. */
export interface RouteSources {
  /** By their names, in the order of the configuration: the first takes what no rule fits. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rules: readonly Rule[];
}

/** What a rule leads to that lets nothing out. */
const REJECT = 'reject';

/** What routes are looked up in; it never changes, so what belongs to a request keeps what it began with. */
class RouteTable {
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #rules: RuleList;
  /** One for each rule, undefined for those that let nothing out. */
  readonly #routes: readonly (Route | undefined)[];
  readonly #default: Route;

  constructor({ upstreams, rules }: RouteSources) {
    const [first] = upstreams.keys();
    if (first === undefined) throw new TypeError('The configuration names no upstream.');
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
    if (upstream === undefined) throw new TypeError(`There is no upstream of the name ${name}.`);
    return { upstream, name, rule };
  }
}

/**
 * Says where each request goes out, or that it does not: asked once for each, before any dial, whatever it came as.
 */
export class Router {
  #table: RouteTable;
  #own: OwnPlaces | undefined;

  constructor(sources: RouteSources) {
    this.#table = new RouteTable(sources);
  }

  /** From now on requests are judged by these. */
  change(sources: RouteSources): void {
    this.#table = new RouteTable(sources);
  }

  /** Where this program listens from now on: nothing but a tunnel of the configuration leads there. */
  protect(own: OwnPlaces): void {
    this.#own = own;
  }

  /**
   * The route of a request.
   *
   * @throws {@link ProxyFailure} when the request may not go out
   */
  route(query: RouteQuery): Route {
    const { target, listener } = query;
    if (listener?.via === undefined && this.#own?.isReachedBy(target) === true) throw new ProxyFailure('own_address');
    const route = this.#table.routeOf(query);
    const { upstream } = route;
    return upstream.forRequest === undefined ? route : { ...route, upstream: upstream.forRequest(query) };
  }
}
