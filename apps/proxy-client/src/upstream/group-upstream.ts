import { Socks5Error } from '#socks5-protocol';
import type { GroupConfig } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteQuery } from '../rules/rule.js';
import { Failover, Fastest, type GroupMember, type Pick, RoundRobin } from './pick-member.js';
import { type Cancellable, CancelToken, type ConnectOutcome, type Upstream } from './upstream.js';

export interface GroupOptions {
  readonly name: string;
  readonly pick: GroupConfig['pick'];
  /** In the order of the configuration; two or more. */
  readonly members: readonly GroupMember[];
  /** Milliseconds for all members that one request tries; 0 means no limit. */
  readonly timeout: number;
  /** Milliseconds until a member that has an alternative must have accepted the authentication. */
  readonly authenticationTimeout?: number;
}

const AUTHENTICATION_MS = 3000;

const PICKS: Readonly<Record<GroupConfig['pick'], () => Pick>> = {
  failover: () => new Failover(),
  roundrobin: () => new RoundRobin(),
  fastest: () => new Fastest(),
};

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
  readonly #pick: Pick;
  readonly #timeout: number;
  readonly #authenticationTimeout: number;
  #failovers = 0;

  constructor({ name, pick, members, timeout, authenticationTimeout = AUTHENTICATION_MS }: GroupOptions) {
    this.name = name;
    this.pick = pick;
    this.members = members;
    this.#pick = PICKS[pick]();
    this.#timeout = timeout;
    this.#authenticationTimeout = authenticationTimeout;
  }

  /** How often a request was passed on to another member. */
  get failovers(): number {
    return this.#failovers;
  }

  /** The key of the member that the request should use. */
  keyFor(query: RouteQuery): string {
    const { working, spare } = this.#order(query);
    const first = working[0] ?? spare[0];
    return first === undefined ? JSON.stringify(['group', this.name]) : first.upstream.keyFor(query);
  }

  begin(query: RouteQuery, outcome: ConnectOutcome, cancel?: CancelToken): void {
    new GroupAttempt(
      {
        ...this.#order(query),
        query,
        outcome,
        cancel,
        timeout: this.#timeout,
        authenticationTimeout: this.#authenticationTimeout,
      },
      () => {
        this.#failovers += 1;
      },
    ).start();
  }

  /** The members are closed by their owner. */
  async close(): Promise<void> {
    return Promise.resolve();
  }

  #order(query: RouteQuery): MemberOrder {
    const up = this.members.filter(({ health }) => health?.state !== 'down');
    const trusted = up.filter(({ health }) => health?.isSuspect !== true);
    const working = trusted.length > 0 ? trusted : up;
    const suspects = trusted.length > 0 ? up.filter((member) => !trusted.includes(member)) : [];
    const spare = [...this.members.filter((member) => !up.includes(member)), ...suspects];
    if (working.length === 0) return { working, spare };
    const first = this.#pick.first(working, query);
    // A rotation, so that the requests of one failed member do not all go to the same other one.
    const from = working.findIndex((member) => member === first);
    return { working: [...working.slice(from), ...working.slice(0, from)], spare };
  }
}

interface GroupAttemptOptions extends MemberOrder {
  readonly query: RouteQuery;
  readonly outcome: ConnectOutcome;
  readonly cancel: CancelToken | undefined;
  readonly timeout: number;
  readonly authenticationTimeout: number;
}

/** One request's attempts with the members of a group, one at a time. */
class GroupAttempt implements ConnectOutcome, Cancellable {
  readonly #options: GroupAttemptOptions;
  readonly #onFailover: () => void;
  readonly #working: GroupMember[];
  readonly #spare: GroupMember[];
  /** The time that one of several members may take until it has replied. */
  readonly #memberTimeout: number;
  #wholeTimer: NodeJS.Timeout | undefined;
  #authenticationTimer: NodeJS.Timeout | undefined;
  #memberTimer: NodeJS.Timeout | undefined;
  #current = new CancelToken();
  /** The answer of a server that cannot reach the target, while one other member is tried. */
  #answer: ProxyFailure | undefined;
  #isExpired = false;

  constructor(options: GroupAttemptOptions, onFailover: () => void) {
    this.#options = options;
    this.#onFailover = onFailover;
    this.#working = [...options.working];
    this.#spare = [...options.spare];
    this.#memberTimeout = Math.ceil(options.timeout / Math.max(1, options.working.length));
  }

  start(): void {
    this.#options.cancel?.onCancel(this);
    this.#wholeTimer = startTimer(this.#options.timeout, () => {
      this.expire();
    });
    this.#tryNext();
  }

  cancel(): void {
    this.#clearTimers();
    this.#current.cancel();
  }

  expire(): void {
    this.#isExpired = true;
    this.#current.expire();
  }

  /** @internal */
  authenticated(): void {
    clearTimeout(this.#authenticationTimer);
    this.#options.outcome.authenticated?.();
  }

  /** @internal */
  connected(connection: ByteSource, through: Upstream): void {
    this.#finish();
    this.#options.outcome.connected(connection, through);
  }

  /** @internal */
  failed(error: Error): void {
    clearTimeout(this.#authenticationTimer);
    clearTimeout(this.#memberTimer);
    const next = error instanceof ProxyFailure && !this.#isExpired ? this.#nextAfter(error) : 'none';
    const isLast = next === 'none' || (next === 'one' && this.#working.length === 0) || this.#left === 0;
    if (isLast) {
      this.#finish();
      // A server's answer about the target is more specific than another member's failure.
      this.#options.outcome.failed(next === 'none' ? error : (this.#answer ?? error));
      return;
    }
    if (next === 'one') this.#answer = error as ProxyFailure;
    this.#onFailover();
    this.#tryNext();
  }

  get #left(): number {
    return this.#working.length + (this.#answer === undefined ? this.#spare.length : 0);
  }

  #clearTimers(): void {
    clearTimeout(this.#authenticationTimer);
    clearTimeout(this.#memberTimer);
    clearTimeout(this.#wholeTimer);
  }

  #finish(): void {
    this.#clearTimers();
    this.#options.cancel?.onCancel(undefined);
  }

  #tryNext(): void {
    const { query, authenticationTimeout } = this.#options;
    const alternatives = this.#working.length > 0 ? this.#working : this.#spare;
    const member = alternatives.shift();
    if (member === undefined) return;
    this.#current = new CancelToken();
    if (alternatives.length > 0) {
      const expire = (): void => {
        this.#current.expire();
      };
      this.#authenticationTimer = startTimer(authenticationTimeout, expire);
      this.#memberTimer = startTimer(this.#memberTimeout, expire);
    }
    member.upstream.begin(query, this, this.#current);
  }

  /** Returns which members may be tried after this failure: any, one that works and then none, or none. */
  #nextAfter({ category, cause }: ProxyFailure): 'any' | 'one' | 'none' {
    if (REQUEST_FAULTS.includes(category)) return 'none';
    if (cause instanceof Socks5Error && isServerFault(cause)) return 'any';
    if (NO_ANSWER.includes(category)) return 'any';
    return this.#answer === undefined && NOT_REACHED.includes(category) ? 'one' : 'none';
  }
}

/** The request itself cannot be sent. */
const REQUEST_FAULTS: readonly FailureCategory[] = ['bad_request', 'internal'];
/** A server that accepted the authentication has not answered the request. */
const NO_ANSWER: readonly FailureCategory[] = ['timeout', 'upstream_closed', 'direct_timeout'];
/** Replies 1 and 3, and the same for direct connections: the route to the target failed, more likely than the target. */
const NOT_REACHED: readonly FailureCategory[] = ['general_failure', 'network_unreachable', 'direct_unreachable'];

/** Returns whether the server did not accept the authentication, or sent a malformed reply. */
function isServerFault({ phase, code }: Socks5Error): boolean {
  return phase !== 'request' || code === 'SOCKS5.PROTOCOL';
}

/** @param milliseconds - 0 means no limit */
function startTimer(milliseconds: number, onTimeout: () => void): NodeJS.Timeout | undefined {
  return milliseconds > 0 ? setTimeout(onTimeout, milliseconds).unref() : undefined;
}
