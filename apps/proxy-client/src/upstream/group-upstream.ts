import { type Deadline, Deadlines, Socks5Error } from '#socks5-protocol';
import type { GroupConfig } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteQuery } from '../rules/rule.js';
import { Failover, Fastest, type GroupMember, type Pick, RoundRobin } from './pick-member.js';
import { type Cancellable, CancelToken, type ConnectOutcome, type Upstream } from './upstream.js';

export interface GroupOptions {
  readonly name: string;
  readonly pick: GroupConfig['pick'];
  /** In the order of the configuration; two or more. */
  readonly members: readonly GroupMember[];
  /** Milliseconds for all that is tried for one request; 0 means no limit. */
  readonly timeout: number;
  /** Milliseconds that a member which has an alternative may take until it has let us in. */
  readonly entry?: number;
}

const ENTRY_MS = 3000;

const PICKS: Readonly<Record<GroupConfig['pick'], () => Pick>> = {
  failover: () => new Failover(),
  roundrobin: () => new RoundRobin(),
  fastest: () => new Fastest(),
};

/**
 * Upstreams that stand in for one another. A request that one of them cannot take goes to the next, as long as nothing of it
 * has reached a target; what a server answers of the target is the answer, so that no server learns what others are asked for.
 */
export class GroupUpstream implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly pick: GroupConfig['pick'];
  readonly members: readonly GroupMember[];
  readonly #pick: Pick;
  readonly #timeout: number;
  readonly #entry: number;
  #failovers = 0;

  constructor({ name, pick, members, timeout, entry = ENTRY_MS }: GroupOptions) {
    this.name = name;
    this.key = JSON.stringify(['group', name]);
    this.pick = pick;
    this.members = members;
    this.#pick = PICKS[pick]();
    this.#timeout = timeout;
    this.#entry = entry;
  }

  /** How often a request went on to another member. */
  get failovers(): number {
    return this.#failovers;
  }

  forRequest(query: RouteQuery): Upstream {
    return new GroupPassage(this, query);
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.forRequest({ target, client: {} }).begin(target, outcome, cancel);
  }

  /** Those who share them close them. */
  async close(): Promise<void> {
    return Promise.resolve();
  }

  /** @internal the members in the order in which the request should try them */
  order(query: RouteQuery): { readonly working: readonly GroupMember[]; readonly down: readonly GroupMember[] } {
    const working = this.members.filter((member) => member.health?.state !== 'down');
    const down = this.members.filter((member) => !working.includes(member));
    if (working.length === 0) return { working, down };
    const first = this.#pick.first(working, query);
    // From the first on round, so that what one cannot take is not all given to the same other one.
    const from = working.findIndex((member) => member === first);
    return { working: [...working.slice(from), ...working.slice(0, from)], down };
  }

  /** @internal */
  attempt(target: Target, query: RouteQuery, outcome: ConnectOutcome, cancel: CancelToken | undefined): void {
    const limits = { timeout: this.#timeout, entry: this.#entry };
    const options = { ...this.order(query), ...limits, target, query, outcome, cancel };
    const attempt = new GroupAttempt(options, () => {
      this.#failovers += 1;
    });
    attempt.start();
  }
}

/** The group as one request meets it: connections are kept by the member that it should take. */
class GroupPassage implements Upstream {
  readonly name: string;
  readonly key: string;
  readonly #group: GroupUpstream;
  readonly #query: RouteQuery;

  constructor(group: GroupUpstream, query: RouteQuery) {
    const { working, down } = group.order(query);
    const first = working[0] ?? down[0];
    this.name = group.name;
    this.key = first === undefined ? group.key : asMet(first, query).key;
    this.#group = group;
    this.#query = query;
  }

  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void {
    this.#group.attempt(target, this.#query, outcome, cancel);
  }

  async close(): Promise<void> {
    return this.#group.close();
  }
}

function asMet({ upstream }: GroupMember, query: RouteQuery): Upstream {
  return upstream.forRequest?.(query) ?? upstream;
}

interface GroupAttemptOptions {
  /** In the order in which they are tried, those that are down last. */
  readonly working: readonly GroupMember[];
  readonly down: readonly GroupMember[];
  readonly target: Target;
  readonly query: RouteQuery;
  readonly outcome: ConnectOutcome;
  readonly cancel: CancelToken | undefined;
  readonly timeout: number;
  readonly entry: number;
}

/** One request's way through the members of a group, one at a time. */
class GroupAttempt implements ConnectOutcome, Cancellable {
  readonly #options: GroupAttemptOptions;
  readonly #moved: () => void;
  readonly #working: GroupMember[];
  readonly #down: GroupMember[];
  /** All that is left of it has to be over then. */
  readonly #whole = new Limit(() => {
    this.expire();
  });
  /** The present member, which has an alternative, has to have let us in. */
  readonly #entry = new Limit(() => {
    this.#current.expire();
  });
  /** And to have answered. */
  readonly #share = new Limit(() => {
    this.#current.expire();
  });
  readonly #shareMs: number;
  #current = new CancelToken();
  /** A server has answered that it does not reach the target, and one other may be asked. */
  #answer: ProxyFailure | undefined;
  #isExpired = false;

  constructor(options: GroupAttemptOptions, moved: () => void) {
    this.#options = options;
    this.#moved = moved;
    this.#working = [...options.working];
    this.#down = [...options.down];
    this.#shareMs = Math.ceil(options.timeout / Math.max(1, options.working.length));
  }

  start(): void {
    this.#options.cancel?.onCancel(this);
    this.#whole.begin(this.#options.timeout);
    this.#next();
  }

  cancel(): void {
    this.#endLimits();
    this.#current.cancel();
  }

  expire(): void {
    this.#isExpired = true;
    this.#current.expire();
  }

  letIn(): void {
    this.#entry.end();
    this.#options.outcome.letIn?.();
  }

  connected(connection: ByteSource, through: Upstream): void {
    this.#over();
    this.#options.outcome.connected(connection, through);
  }

  failed(error: Error): void {
    this.#entry.end();
    this.#share.end();
    const onward = error instanceof ProxyFailure && !this.#isExpired ? this.#onward(error) : 'nobody';
    if (onward === 'nobody' || (onward === 'once' && this.#working.length === 0) || this.#left === 0) {
      this.#over();
      // What a server said of the target tells more than that another one could not be asked.
      this.#options.outcome.failed(onward === 'nobody' ? error : (this.#answer ?? error));
      return;
    }
    if (onward === 'once') this.#answer = error as ProxyFailure;
    this.#moved();
    this.#next();
  }

  get #left(): number {
    return this.#working.length + (this.#answer === undefined ? this.#down.length : 0);
  }

  #endLimits(): void {
    this.#entry.end();
    this.#share.end();
    this.#whole.end();
  }

  #over(): void {
    this.#endLimits();
    this.#options.cancel?.onCancel(undefined);
  }

  #next(): void {
    const { target, query } = this.#options;
    const alternatives = this.#working.length > 0 ? this.#working : this.#down;
    const member = alternatives.shift();
    if (member === undefined) return;
    this.#current = new CancelToken();
    if (alternatives.length > 0) {
      this.#entry.begin(this.#options.entry);
      this.#share.begin(this.#shareMs);
    }
    asMet(member, query).begin(target, this, this.#current);
  }

  /** Who may be asked after this failure: anybody, one that works and then nobody, or nobody. */
  #onward({ category, cause }: ProxyFailure): 'anybody' | 'once' | 'nobody' {
    if (NOT_THE_SERVERS.includes(category)) return 'nobody';
    if (cause instanceof Socks5Error && cause.phase !== 'request') return 'anybody';
    if (NO_ANSWER.includes(category)) return 'anybody';
    return this.#answer === undefined && NOT_REACHED.includes(category) ? 'once' : 'nobody';
  }
}

/** The request itself cannot be sent. */
const NOT_THE_SERVERS: readonly FailureCategory[] = ['bad_request', 'internal'];
/** A server that had let us in has not answered the request. */
const NO_ANSWER: readonly FailureCategory[] = ['timeout', 'upstream_closed', 'direct_timeout'];
/** Replies 1 and 3, and what is like them: the way to the target, more likely than the target. */
const NOT_REACHED: readonly FailureCategory[] = ['general_failure', 'network_unreachable', 'direct_unreachable'];

/** A deadline that can be begun again. */
class Limit implements Deadline {
  next: Deadline | undefined;
  previous: Deadline | undefined;
  list: Deadlines | undefined;
  due = 0;
  readonly expire: () => void;

  constructor(expire: () => void) {
    this.expire = expire;
  }

  /** @param milliseconds - 0 means no limit */
  begin(milliseconds: number): void {
    if (milliseconds > 0) Deadlines.of(milliseconds).begin(this);
  }

  end(): void {
    Deadlines.end(this);
  }
}
