import { contain, type DefectOwner, startTimer } from '#socks5-protocol';
import type { GroupConfig } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteQuery } from '../routing/rules/rule.js';
import type { Attempt, ConnectOutcome, ConnectQuery, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** A member of a group. */
export interface GroupMember {
  readonly upstream: Upstream;
  /** Absent for `direct`, which is always up. */
  readonly health?: UpstreamHealth | undefined;
}

/**
 * Selects the member of a group that a request should try first. It may remember earlier requests.
 *
 * @param members - those that work, in the order of the configuration; at least one
 */
export type Pick = (members: readonly GroupMember[], query: RouteQuery) => GroupMember | undefined;

/** The maximum number of remembered pairs of client and target; beyond it the least recently used is dropped (LRU). */
const MAX_REMEMBERED = 10_000;
/** Another member must take less than this part of the time, and at least this many milliseconds less. */
const FASTER = 0.8;
const FASTER_MS = 5;

/** Creates the selection of each group. */
export const PICKS: Readonly<Record<GroupConfig['pick'], () => Pick>> = {
  /** Selects the first that works. */
  failover: () => (members) => members[0],
  roundrobin: roundRobin,
  fastest,
};

/**
 * Selects each in turn, but keeps a client's target on one member: many services end a session when its address changes. When
 * the member does not work, the target moves to another one and stays there.
 */
function roundRobin(): Pick {
  const remembered = new Map<string, Upstream | undefined>();
  let turn = 0;
  return (members, { target, client }) => {
    const key = JSON.stringify([client.remoteAddress, client.user, formatAuthority(target).toLowerCase()]);
    const known = remembered.get(key);
    const member = members.find(({ upstream }) => upstream === known) ?? members[turn++ % members.length];
    // A Map iterates in insertion order: re-inserting makes this the most recently used.
    remembered.delete(key);
    remembered.set(key, member?.upstream);
    const [oldest = key] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
    return member;
  };
}

/**
 * Selects the one with the lowest latency in checks. It stays until another one is clearly faster, so that similar members do
 * not alternate with every measurement.
 */
function fastest(): Pick {
  let latest: Upstream | undefined;
  return (members) => {
    const current = members.find(({ upstream }) => upstream === latest);
    const [first] = members.toSorted((a, b) => latencyOf(a) - latencyOf(b));
    const limit = latencyOf(current);
    const isClearlyFaster = latencyOf(first) < Math.min(FASTER * limit, limit - FASTER_MS);
    const chosen = current === undefined || isClearlyFaster ? first : current;
    latest = chosen?.upstream;
    return chosen;
  };
}

/** Members without a measurement are the slowest; among them the order of the configuration applies. */
function latencyOf(member: GroupMember | undefined): number {
  return member?.health?.latency ?? Number.MAX_SAFE_INTEGER;
}

export interface GroupOptions {
  readonly name: string;
  readonly pick: GroupConfig['pick'];
  /** In the order of the configuration. */
  readonly members: readonly GroupMember[];
  /** Milliseconds for all members that one request tries; 0 means no limit. */
  readonly timeout: number;
}

/** Milliseconds until a member that has an alternative must have accepted the authentication. */
const AUTHENTICATION_MS = 3000;

/** The members of a group in the order in which a request tries them. */
interface MemberOrder {
  readonly working: readonly GroupMember[];
  /** Tried when no working member is left. */
  readonly spare: readonly GroupMember[];
}

/**
 * Upstreams that replace one another. A request that one of them cannot serve goes to the next, as long as none of its bytes
 * has reached a target. What a server answers about the target is final, so that no other server learns the target.
 */
export class GroupUpstream implements Upstream {
  readonly name: string;
  readonly pick: GroupConfig['pick'];
  readonly members: readonly GroupMember[];
  /** How often a request was passed on to another member. */
  failovers: number;
  readonly #pick: Pick;
  readonly #timeout: number;
  #selected: GroupMember | undefined;

  /** @param previous - the group of this name before a reload: its selection by hand, its counter and its picks are continued */
  constructor({ name, pick, members, timeout }: GroupOptions, previous?: GroupUpstream) {
    this.name = name;
    this.pick = pick;
    this.members = members;
    this.#pick = previous?.pick === pick ? previous.#pick : PICKS[pick]();
    this.#timeout = timeout;
    this.failovers = previous?.failovers ?? 0;
    this.select(previous?.selected);
  }

  /** Returns whether it already is the group with these options. */
  is({ pick, members, timeout }: GroupOptions): boolean {
    const isSameMember = ({ upstream, health }: GroupMember, index: number): boolean =>
      upstream === members[index]?.upstream && health === members[index].health;
    return (
      pick === this.pick &&
      timeout === this.#timeout &&
      members.length === this.members.length &&
      this.members.every(isSameMember)
    );
  }

  /** The name of the member that was selected by hand; undefined: automatic. */
  get selected(): string | undefined {
    return this.#selected?.upstream.name;
  }

  /** The name of the member that the next request tries first; undefined if that depends on the request. */
  get current(): string | undefined {
    const { working, spare } = this.#candidates();
    if (this.pick === 'roundrobin' && working.length > 1 && !this.#isPreferred(working)) return undefined;
    return (working.length === 0 ? spare[0] : this.#first(working, ANY_QUERY))?.upstream.name;
  }

  /**
   * Selects the member that requests try first unless it is down. A request that it cannot serve still goes to the others.
   *
   * @param name - undefined: automatic
   * @returns whether the group has such a member
   */
  select(name: string | undefined): boolean {
    const member = this.members.find(({ upstream }) => upstream.name === name);
    if (name !== undefined && member === undefined) return false;
    this.#selected = member;
    return true;
  }

  /** Whether every member is down. */
  get isDown(): boolean {
    return this.members.every(({ upstream }) => upstream.isDown);
  }

  /** The key of the member that the request should use. */
  keyFor(query: ConnectQuery, origin: string): string {
    const { working, spare } = this.#order(query);
    const first = working[0] ?? spare[0];
    return first === undefined ? JSON.stringify(['group', this.name]) : first.upstream.keyFor(query, origin);
  }

  begin(query: ConnectQuery, outcome: ConnectOutcome): Attempt {
    return new GroupAttempt(this, query, outcome, this.#order(query), this.#timeout);
  }

  #order(query: RouteQuery): MemberOrder {
    const { working, spare } = this.#candidates();
    if (working.length === 0) return { working, spare };
    const first = this.#first(working, query);
    // A rotation, so that the requests of one failed member do not all go to the same other one.
    const from = working.findIndex((member) => member === first);
    return { working: [...working.slice(from), ...working.slice(0, from)], spare };
  }

  #first(working: readonly GroupMember[], query: RouteQuery): GroupMember | undefined {
    return this.#isPreferred(working) ? this.#selected : this.#pick(working, query);
  }

  #isPreferred(working: readonly GroupMember[]): boolean {
    return this.#selected !== undefined && working.includes(this.#selected);
  }

  /** The members in the order of the configuration. */
  #candidates(): MemberOrder {
    const up = this.members.filter(({ upstream }) => !upstream.isDown);
    const trusted = up.filter((member) => member === this.#selected || member.health?.isSuspect !== true);
    const working = trusted.length > 0 ? trusted : up;
    const suspects = trusted.length > 0 ? up.filter((member) => !trusted.includes(member)) : [];
    const spare = [...this.members.filter((member) => !up.includes(member)), ...suspects];
    return { working, spare };
  }
}

/** For picks that do not depend on the request. */
const ANY_QUERY: RouteQuery = { target: { host: '', port: 0 }, client: {} };

/** One request's attempts with the members of a group, one at a time. */
class GroupAttempt implements ConnectOutcome, Attempt, DefectOwner {
  readonly #group: GroupUpstream;
  readonly #query: ConnectQuery;
  readonly #outcome: ConnectOutcome;
  readonly #working: GroupMember[];
  readonly #spare: GroupMember[];
  /** The time that one of several members may take until it has replied. */
  readonly #memberTimeout: number;
  readonly #wholeTimer: NodeJS.Timeout | undefined;
  #authenticationTimer: NodeJS.Timeout | undefined;
  #memberTimer: NodeJS.Timeout | undefined;
  #current: Attempt | undefined;
  /** The answer of a server that cannot reach the target, while one other member is tried. */
  #answer: { readonly failure: ProxyFailure; readonly upstream: Upstream } | undefined;
  #isExpired = false;

  /** Starts with the first member. */
  constructor(
    group: GroupUpstream,
    query: ConnectQuery,
    outcome: ConnectOutcome,
    { working, spare }: MemberOrder,
    timeout: number,
  ) {
    this.#group = group;
    this.#query = query;
    this.#outcome = outcome;
    this.#working = [...working];
    this.#spare = [...spare];
    this.#memberTimeout = Math.ceil(timeout / Math.max(1, working.length));
    this.#wholeTimer = startTimer(this, timeout, this.expire.bind(this));
    this.#tryNext();
  }

  abort(): void {
    this.#clearTimers();
    this.#current?.abort();
  }

  expire(): void {
    this.#isExpired = true;
    this.#current?.expire();
  }

  /** @internal */
  authenticated(): void {
    clearTimeout(this.#authenticationTimer);
    this.#outcome.authenticated?.();
  }

  /** @internal */
  connected(connection: ByteSource, upstream: Upstream): void {
    this.#clearTimers();
    this.#outcome.connected(connection, upstream);
  }

  onDefect(error: unknown): void {
    this.abort();
    this.#outcome.failed(new ProxyFailure('internal', {}, error), this.#group);
  }

  /** @internal */
  failed(failure: ProxyFailure, upstream: Upstream): void {
    contain(this, () => {
      this.#memberFailed(failure, upstream);
    });
  }

  #memberFailed(failure: ProxyFailure, upstream: Upstream): void {
    clearTimeout(this.#authenticationTimer);
    clearTimeout(this.#memberTimer);
    const next = this.#isExpired ? 'none' : this.#nextAfter(failure);
    const left = this.#working.length + (this.#answer === undefined && next !== 'one' ? this.#spare.length : 0);
    const last = { failure, upstream };
    if (next === 'none' || left === 0) {
      this.#clearTimers();
      // A server's answer about the target is more specific than another member's failure.
      const final = next === 'none' ? last : (this.#answer ?? last);
      this.#outcome.failed(final.failure, final.upstream);
      return;
    }
    if (next === 'one') this.#answer = last;
    this.#group.failovers += 1;
    this.#tryNext();
  }

  #clearTimers(): void {
    clearTimeout(this.#authenticationTimer);
    clearTimeout(this.#memberTimer);
    clearTimeout(this.#wholeTimer);
  }

  #tryNext(): void {
    const alternatives = this.#working.length > 0 ? this.#working : this.#spare;
    const member = alternatives.shift();
    if (alternatives.length > 0) {
      const expire = (): void => {
        this.#current?.expire();
      };
      this.#authenticationTimer = startTimer(this, AUTHENTICATION_MS, expire);
      this.#memberTimer = startTimer(this, this.#memberTimeout, expire);
    }
    this.#current = member?.upstream.begin(this.#query, this);
  }

  /** Returns which members may be tried after this failure: any, one that works and then none, or none. */
  #nextAfter({ category, facts }: ProxyFailure): 'any' | 'one' | 'none' {
    if (REQUEST_FAULTS.includes(category)) return 'none';
    if (facts.fault === 'server') return 'any';
    if (NO_ANSWER.includes(category)) return 'any';
    return this.#answer === undefined && NOT_REACHED.includes(category) ? 'one' : 'none';
  }
}

/** The request cannot be sent through any member. */
const REQUEST_FAULTS: readonly FailureCategory[] = ['bad_request', 'internal', 'descriptor_limit'];
/** A server that accepted the authentication has not answered the request. */
const NO_ANSWER: readonly FailureCategory[] = ['timeout', 'upstream_closed', 'direct_timeout'];
/** Replies 1 and 3, and the same for HTTP proxies and direct connections: the route to the target failed, more likely than the target. */
const NOT_REACHED: readonly FailureCategory[] = [
  'general_failure',
  'network_unreachable',
  'direct_unreachable',
  'upstream_cannot_connect',
];
