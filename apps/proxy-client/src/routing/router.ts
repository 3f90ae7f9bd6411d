import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import { isAmbiguousAddress } from './rules/addresses.js';
import type { OwnAddresses } from './rules/own-addresses.js';
import type { ListStatus, RuleStatusList } from '../admin/api/routes.responses.js';
import { refusalOf, refusalText } from './gate/denials.js';
import type { Gate } from './gate/gate.js';
import type { HostList, ListContent } from './rules/host-list.js';
import { ASK, describeRule, REJECT, type RouteQuery, type Rule, RuleList } from './rules/rule.js';
import type { Attempt, Upstream } from '../upstream/upstream.js';

/** The upstream of a request. */
export interface Route {
  readonly upstream: Upstream;
  /** The upstream's name in the configuration. */
  readonly name: string;
  /** The number of the matching rule, from 1; undefined if none matches, or if a tunnel names its upstream. */
  readonly rule: number | undefined;
  /** Whether no rule matches and a grant allows the request. */
  readonly isGranted?: true;
  /** The request must wait for the answer of a person; calls one method once, after it has returned. */
  readonly wait?: ((outcome: RouteOutcome) => Attempt) | undefined;
}

/** Receives the route of a request. */
export interface RouteOutcome {
  routed(route: Route): void;
  refused(failure: ProxyFailure): void;
}

/** Asks the program that embeds the proxy for another route than the one that the rules have selected; calls one method once. */
export type ChooseRoute = (query: RouteQuery, route: Route, outcome: RouteOutcome) => void;

/** The configuration of a {@link Router}. */
export interface RouteSources {
  /** By their names, in the order of the configuration: the first is the default. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly rules: readonly Rule[];
  /** Whether requests that match no rule are refused, unless a grant allows them (`default: reject`). */
  readonly rejectsByDefault?: boolean;
  /** Whether they wait for the answer of a person instead (`default: ask`). */
  readonly asksByDefault?: boolean;
}

const AMBIGUOUS = 'IPv4 address with leading zeros';

/** Selects the upstream of each request, or refuses it, before any connection is made. */
export class Router {
  #sources: RouteSources;
  #list: RuleList;
  /** The text of each rule, and how many requests it decided. */
  #texts: readonly string[];
  #hits: number[];
  #defaultHits = 0;
  #own: OwnAddresses | undefined;
  readonly #gate: Gate;

  constructor(sources: RouteSources, gate: Gate) {
    this.#sources = sources;
    this.#gate = gate;
    this.#list = new RuleList(sources.rules, sources.rejectsByDefault);
    this.#texts = sources.rules.map(describeRule);
    this.#hits = this.#texts.map(() => 0);
  }

  /** Replaces the configuration for later requests. Unchanged rules keep their counts. */
  change(sources: RouteSources): void {
    const before = Map.groupBy(this.#hits, (_hits, index) => this.#texts[index]);
    this.#sources = sources;
    this.#list = new RuleList(sources.rules, sources.rejectsByDefault);
    this.#texts = sources.rules.map(describeRule);
    this.#hits = this.#texts.map((text) => before.get(text)?.shift() ?? 0);
  }

  /** The rules and their counts in the form of GET /rules. */
  get rules(): RuleStatusList {
    const { rules } = this.#sources;
    return {
      lists: rules.flatMap(({ hosts }, index) => hosts?.lists.map((list) => statusOf(list, index + 1)) ?? []),
      rules: rules.map(({ to }, index) => ({
        ...{ number: index + 1, text: this.#texts[index] ?? '', to },
        hits: this.#hits[index] ?? 0,
      })),
      default: { to: this.#defaultTo, hits: this.#defaultHits },
    };
  }

  /** Sets where this program listens: only a tunnel of the configuration may lead there. */
  setOwnAddresses(own: OwnAddresses): void {
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
    if (rule?.to === REJECT) throw this.#rejected(query, index);
    requireUnambiguous(query.target);
    if (via !== undefined) return this.#routeTo(via, undefined);
    return rule === undefined ? this.#routeByDefault(query) : this.#routeByRule(query, rule, index);
  }

  /** Returns what rejects requests of all clients for a target, whatever is granted; undefined if nothing does. */
  rejects(target: Target): string | undefined {
    if (this.#own?.isReachedBy(target) === true) return 'it is an address of this proxy';
    const index = this.#list.firstFor({ target, client: {} });
    return this.#sources.rules[index]?.to === REJECT ? `rule ${index + 1} rejects it` : undefined;
  }

  #routeByRule(query: RouteQuery, { to }: Rule, index: number): Route {
    this.#hits[index] = (this.#hits[index] ?? 0) + 1;
    return to === ASK ? this.#ask(query, index + 1) : this.#routeTo(to, index + 1);
  }

  #routeByDefault(query: RouteQuery): Route {
    this.#defaultHits += 1;
    if (this.#sources.rejectsByDefault !== true) return this.#routeTo(this.#default, undefined);
    if (this.#sources.asksByDefault === true) return this.#ask(query, undefined);
    if (!this.#gate.grants.admit(query)) throw this.#rejected(query);
    return { ...this.#routeTo(this.#default, undefined), isGranted: true };
  }

  /** @param rule - the number of the rule that asks; undefined if none matches */
  #ask(query: RouteQuery, rule: number | undefined): Route {
    const { asks, grants, denials } = this.#gate;
    const granted: Route = { ...this.#routeTo(this.#default, rule), isGranted: true };
    if (grants.admit(query)) return granted;
    const refusal = asks.refusal(query);
    if (refusal !== undefined) {
      denials.add(query, undefined);
      throw new ProxyFailure('rejected', { detail: ASK, refusal: refusalOf(refusal) });
    }
    const wait = (outcome: RouteOutcome): Attempt => {
      const leave = asks.wait(query, rule, {
        routed: () => {
          grants.admit(query);
          outcome.routed(granted);
        },
        refused: (why) => {
          denials.add(query, undefined);
          const category = why.reason === 'unanswered' ? 'unanswered' : 'rejected';
          outcome.refused(new ProxyFailure(category, { detail: ASK, refusal: refusalOf(why) }));
        },
      });
      return { abort: leave, expire: leave };
    };
    return { ...granted, wait };
  }

  get #defaultTo(): string {
    const { rejectsByDefault, asksByDefault } = this.#sources;
    if (asksByDefault === true) return ASK;
    return rejectsByDefault === true ? REJECT : this.#default;
  }

  /** @param index - of the rule that refuses the request; undefined if none matches */
  #rejected(query: RouteQuery, index?: number): ProxyFailure {
    const { denials } = this.#gate;
    if (index === undefined) {
      const refusal = refusalText(undefined, denials.add(query, undefined));
      return new ProxyFailure('rejected', { detail: 'default: reject', refusal });
    }
    this.#hits[index] = (this.#hits[index] ?? 0) + 1;
    const rule = { number: index + 1, text: this.#texts[index] ?? '' };
    denials.add(query, rule);
    const detail = `rule ${rule.number}`;
    const refusal = refusalText(rule.number);
    return new ProxyFailure('rejected', { detail, rule: rule.number, ruleText: rule.text, refusal });
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

/** Returns the state of a list in the form of GET /rules. */
function statusOf({ config, content, status }: HostList, rule: number): ListStatus {
  return { rule, name: config.name, ...(content === undefined ? NOT_LOADED : statusOfContent(content)), ...status };
}

const NOT_LOADED = { format: null, entries: 0, used_lines: 0, unused_lines: 0, first_unused_line: null };

function statusOfContent({ format, names, exceptions, networks, used, unused, firstUnused }: ListContent) {
  const entries = names.size + exceptions.size + networks.size;
  return { format, entries, used_lines: used, unused_lines: unused, first_unused_line: firstUnused ?? null };
}

/** Refuses an address that rules and upstreams may read differently. */
function requireUnambiguous({ host }: Target): void {
  if (isAmbiguousAddress(host)) throw new ProxyFailure('bad_request', { detail: AMBIGUOUS });
}
