import { isIPv4 } from 'node:net';
import type { ProxyStats } from '../stats/proxy-stats.js';
import type { DialErrorCode, Dialler } from '#socks5-protocol';
import type { FailureCategory } from '../failure/failure-table.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { PooledSource } from '../relay/pooled-source.js';
import { readHost } from '../routing/rules/addresses.js';
import { isLoopbackAddress, UNIX_CLIENT, type OwnAddresses } from '../routing/rules/own-addresses.js';
import { type RouteQuery, type Rule, RuleList } from '../routing/rules/rule.js';
import type { Attempt, ConnectOutcome, Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

export interface DirectUpstreamOptions {
  /** The name in the configuration. */
  readonly name: string;
  /** Absent: its connections are not shown on pages and in metrics. */
  readonly health?: UpstreamHealth;
  readonly dialler: Dialler;
  readonly guard: AddressGuard;
  /** Milliseconds for a connection, name resolution included; 0 means no limit. */
  readonly timeout: number;
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
}

const NO_BYTES = { bytesRead: 0, bytesWritten: 0 };

let instances = 0;

/**
 * Connects to targets from this machine, without a SOCKS5 server. Names are resolved here, and the guard checks the resolved
 * addresses for the client that asks.
 */
export class DirectUpstream implements Upstream {
  readonly name: string;
  readonly isDown = false;
  readonly #options: DirectUpstreamOptions;
  /** Part of the pool key: connections that other rules have allowed are not reused. */
  readonly #generation: number;

  constructor(options: DirectUpstreamOptions) {
    instances += 1;
    this.name = options.name;
    this.#options = options;
    this.#generation = instances;
    options.health?.markUp();
  }

  /** A client must not reuse a connection that it would not be allowed to open. */
  keyFor({ client: { remoteAddress, user } }: RouteQuery, origin: string): string {
    return `${JSON.stringify(['direct', this.#generation, isFromThisMachine(remoteAddress), user ?? null])} ${origin}`;
  }

  begin(query: RouteQuery, outcome: ConnectOutcome): Attempt {
    const { dialler, guard, timeout, stats, pool, health } = this.#options;
    return dialler.dial({
      target: { host: withoutFinalDot(query.target.host), port: query.target.port },
      timeout,
      admit: (address) => guard.admits(address, query),
      open: (to) => PooledSource.connect(pool, to),
      connected: (source) => {
        source.meter = stats.trackUpstream(source.socket, NO_BYTES);
        health?.count(true);
        outcome.connected(source, this);
      },
      failed: (error) => {
        const isRefused = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED';
        const category = error.code === 'DIAL.FAILED' && isRefused ? 'direct_refused' : CATEGORIES[error.code];
        health?.count(false);
        outcome.failed(new ProxyFailure(category, {}, category === 'internal' ? error.cause : error), this);
      },
    });
  }
}

/** `127.0.0.1.` is an address, though resolvers do not accept it: the guard must see it instead of a failed look-up. */
function withoutFinalDot(host: string): string {
  const address = host.endsWith('.') ? host.slice(0, -1) : host;
  return isIPv4(address) ? address : host;
}

const CATEGORIES: Readonly<Record<DialErrorCode, FailureCategory>> = {
  'DIAL.UNRESOLVED': 'direct_unresolved',
  'DIAL.PROHIBITED': 'direct_prohibited',
  'DIAL.TIMEOUT': 'direct_timeout',
  'DIAL.FAILED': 'direct_unreachable',
  'DIAL.NO_DESCRIPTOR': 'descriptor_limit',
  'DIAL.DEFECT': 'internal',
};

/** The rules that an {@link AddressGuard} applies. */
export interface GuardedRules {
  readonly rules: readonly Rule[];
  /** Whether requests that match no rule are refused: also local addresses that a name resolves to, for clients of this machine. */
  readonly rejectsByDefault?: boolean;
}

/**
 * Decides which addresses direct connections may go to, once a name is resolved: the rules have seen only the name, and its
 * owner decides which addresses it has.
 */
export class AddressGuard {
  readonly #rules: readonly Rule[];
  readonly #list: RuleList;
  readonly #rejectsByDefault: boolean;
  readonly #own: () => OwnAddresses;

  /** @param own - returns where this program listens */
  constructor({ rules, rejectsByDefault = false }: GuardedRules, own: () => OwnAddresses) {
    this.#rules = rules;
    this.#rejectsByDefault = rejectsByDefault;
    this.#list = new RuleList(rules, rejectsByDefault);
    this.#own = own;
  }

  /**
   * Returns whether an address of the target is allowed. Addresses that the rules send elsewhere and own listeners are not.
   * For clients of other machines, addresses of this machine and its link are not allowed either, unless a rule names the
   * network: they may serve this machine only. Under `default: reject` the same applies to clients of this machine, unless they
   * requested the address itself. The target of a tunnel listener is always allowed, since the operator chose it.
   */
  admits(address: string, query: RouteQuery): boolean {
    const { target, client, listener } = query;
    if (listener?.via !== undefined) return true;
    const own = this.#own();
    if (own.isReachedBy({ host: address, port: target.port })) return false;
    const { index, isNamed } = this.#list.firstForAddress(query, address);
    if (this.#rules[index]?.to !== this.#rules[this.#list.firstFor(query)]?.to) return false;
    return isNamed || this.#mayReachLocal(target.host, address, client.remoteAddress) || !own.isLocal(address);
  }

  #mayReachLocal(host: string, address: string, remoteAddress: string | undefined): boolean {
    if (!isFromThisMachine(remoteAddress)) return false;
    if (!this.#rejectsByDefault) return true;
    const requested = readHost(host).addresses;
    return readHost(address).addresses.some((each) => requested.includes(each));
  }
}

/** Returns whether a client is a program of this machine. */
function isFromThisMachine(remoteAddress: string | undefined): boolean {
  return remoteAddress === UNIX_CLIENT || (remoteAddress !== undefined && isLoopbackAddress(remoteAddress));
}
