import type { ProxyStats } from '#metrics';
import { Dialler, Resolver, Socks5Error } from '#socks5-protocol';
import type { UpstreamList, UpstreamTest, UpstreamTestList } from '../api/responses.js';
import type {
  CheckConfig,
  GroupConfig,
  NamedUpstream,
  ProxyClientConfig,
  Socks5UpstreamConfig,
  Timeouts,
} from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { FAILURES } from '../failure/failure-table.js';
import { formatAuthority } from '../http/authority.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import type { OwnPlaces } from '../rules/own-places.js';
import { AddressGuard, DirectUpstream } from './direct-upstream.js';
import { GroupUpstream } from './group-upstream.js';
import { HealthChecks } from './health-checks.js';
import { Socks5Upstream } from './socks5-upstream.js';
import type { Upstream } from './upstream.js';
import { type HealthChange, UpstreamHealth } from './upstream-health.js';

export interface UpstreamsOptions {
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
  readonly logger: ProxyLog;
  /** Returns where this proxy listens itself. */
  readonly own: () => OwnPlaces;
}

type ServerConfig = Exclude<NamedUpstream, GroupConfig>;

/** An upstream of the configuration that is not a group. */
interface Server {
  readonly config: ServerConfig;
  /** If it is unchanged when the configuration is reloaded, the server keeps its learned state. */
  readonly identity: string;
  readonly health: UpstreamHealth;
  readonly upstream: Socks5Upstream | DirectUpstream;
}

/** The maximum number of upstreams that are kept in addition to the configuration. */
const MAX_TEMPORARY = 1000;
/** The upstream that needs no configuration. */
const DIRECT = 'direct';
/** How long the state of a server is accepted as current by {@link Upstreams.areReady}. */
const FRESH_MS = 1000;

/** The upstreams of one configuration, with their health checks. */
export class Upstreams {
  /** Those of the configuration in its order, then `direct`. */
  readonly byName: ReadonlyMap<string, Upstream>;
  readonly #options: UpstreamsOptions;
  readonly #servers = new Map<string, Server>();
  /** See {@link temporary}, by their identities; the last used one is last. */
  readonly #temporary = new Map<string, Socks5Upstream>();
  readonly #timeouts: Timeouts;
  readonly #direct: DirectUpstream;
  readonly #groups: readonly GroupUpstream[];
  /** For targets and for SOCKS5 servers, with one resolver: the machine resolves few names at a time. */
  readonly #diallers: { readonly targets: Dialler; readonly servers: Dialler };
  /** The checks of group members, by their names. */
  readonly #plans: ReadonlyMap<string, CheckConfig>;
  readonly #checks = new Map<string, HealthChecks>();
  #checkingAll: Promise<unknown> | undefined;
  /** The tests in progress, by the names of their upstreams. */
  readonly #tests = new Map<string, Promise<UpstreamTest>>();

  /** @param previous - those of the previous configuration: unchanged servers keep their learned state */
  constructor(config: ProxyClientConfig, options: UpstreamsOptions, previous?: Upstreams) {
    const { timeouts, upstreams } = config;
    this.#options = options;
    this.#timeouts = timeouts;
    this.#diallers = previous === undefined ? makeDiallers() : previous.#diallers;
    const direct = { ...options, dialler: this.#diallers.targets, guard: new AddressGuard(config.rules, options.own) };
    const makeDirect = (name: string, health?: UpstreamHealth): DirectUpstream =>
      new DirectUpstream({ ...direct, name, timeout: timeouts.connect, ...(health && { health }) });
    const last = makeDirect(DIRECT);
    this.#direct = last;
    const groups = upstreams.filter((upstream) => upstream.kind === 'group');
    for (const upstream of upstreams) {
      if (upstream.kind === 'group') continue;
      const known = previous === undefined ? undefined : previous.#servers.get(upstream.name);
      this.#servers.set(upstream.name, this.#make(upstream, known, makeDirect));
    }
    this.#groups = groups.map(({ name, pick, of }) => {
      const members = of.map((member) => this.#servers.get(member) ?? { upstream: last });
      const group = new GroupUpstream({ name, pick, members, timeout: timeouts.handshake });
      // A selection by hand lasts until a restart.
      group.select(previous?.group(name)?.selected);
      return group;
    });
    this.#plans = plansOf(groups);
    const made = [...[...this.#servers.values()].map(({ upstream }) => upstream), ...this.#groups];
    const named = upstreams.flatMap(({ name }) => made.filter((each) => each.name === name));
    this.byName = new Map([...named, last].map((each) => [each.name, each]));
  }

  /** Starts the health checks. */
  start(): void {
    for (const { health } of this.#servers.values()) {
      health.onChange = this.#onChange.bind(this);
    }
    for (const [name, { every, target }] of this.#plans) {
      const upstream = this.#servers.get(name)?.upstream;
      if (upstream === undefined || upstream instanceof DirectUpstream) continue;
      this.#checks.set(name, new HealthChecks(upstream, every, target));
    }
  }

  /** Returns the state of the servers and groups in the form of GET /upstreams. */
  status(): UpstreamList {
    return {
      upstreams: [...this.#servers.values()].map(({ config, health }) => ({
        name: config.name,
        address: config.kind === 'socks5' ? formatAuthority(config) : null,
        ...health.status,
      })),
      groups: this.#groups.map(({ name, pick, members, failovers, selected = null, current = null }) => ({
        name,
        pick,
        members: members.map(({ upstream }) => upstream.name),
        failovers,
        selected,
        current,
      })),
    };
  }

  /** Returns a group by its name. */
  group(name: string): GroupUpstream | undefined {
    return this.#groups.find((group) => group.name === name);
  }

  /**
   * Returns an upstream that is not in the configuration. The last used ones are kept, with their learned state and warm connections:
   * the same settings return the same upstream.
   */
  temporary(config: ServerConfig): Upstream {
    if (config.kind === 'embedded') return this.#direct;
    const identity = JSON.stringify(config);
    const upstream = this.#temporary.get(identity) ?? this.#connectTo(config, new UpstreamHealth(config.name));
    this.#temporary.delete(identity);
    this.#temporary.set(identity, upstream);
    const [oldest] = this.#temporary.size > MAX_TEMPORARY ? this.#temporary : [];
    if (oldest !== undefined) {
      this.#temporary.delete(oldest[0]);
      oldest[1].close();
    }
    return upstream;
  }

  /**
   * Selects the member that a group tries first, and tests it: without checks, nothing else would find a member up again.
   *
   * @param member - undefined: automatic
   * @returns whether the group and the member exist
   */
  select(group: string, member: string | undefined): boolean {
    if (this.group(group)?.select(member) !== true) return false;
    if (member !== undefined) void this.#testOnce(member);
    return true;
  }

  /**
   * Measures the latency of an upstream, or of each member of a group. It counts as a health check.
   *
   * @returns undefined if there is no upstream with this name
   */
  async test(name: string): Promise<UpstreamTestList | undefined> {
    const members = this.group(name)?.members.map(({ upstream }) => upstream.name);
    if (members === undefined && !this.byName.has(name)) return undefined;
    return { tests: await Promise.all((members ?? [name]).map(async (each) => this.#testOnce(each))) };
  }

  /**
   * Returns whether a server is up. The servers are checked unless one was found up a short time ago, so that the answer is
   * also correct for an idle proxy.
   */
  async areReady(): Promise<boolean> {
    if (!this.#isOneUp(true)) {
      this.#checkingAll ??= this.#checkAll().finally(() => {
        this.#checkingAll = undefined;
      });
      await this.#checkingAll;
    }
    return this.#isOneUp(false);
  }

  /**
   * Stops the checks and closes the connections that the upstreams hold themselves.
   *
   * @param successor - upstreams that it still uses are left open
   */
  close(successor?: Upstreams): void {
    for (const check of this.#checks.values()) check.stop();
    for (const upstream of this.#temporary.values()) upstream.close();
    const used = successor === undefined ? [] : [...successor.#servers.values()];
    for (const { upstream, health } of this.#servers.values()) {
      // Requests in flight may still change the health of a removed server, which must not be logged any more.
      if (!used.some((each) => each.health === health)) health.onChange = undefined;
      if (upstream instanceof Socks5Upstream && !used.some((each) => each.upstream === upstream)) upstream.close();
    }
  }

  #isOneUp(mustBeFresh: boolean): boolean {
    return [...this.#servers.values()].some(({ health, upstream }) => {
      const isFresh = upstream instanceof DirectUpstream || health.age < FRESH_MS;
      return health.state === 'up' && (isFresh || !mustBeFresh);
    });
  }

  /** Tests an upstream; requests during a test share its result. */
  async #testOnce(name: string): Promise<UpstreamTest> {
    const running = this.#tests.get(name) ?? this.#test(name).finally(() => this.#tests.delete(name));
    this.#tests.set(name, running);
    return running;
  }

  async #test(name: string): Promise<UpstreamTest> {
    const { upstream, health } = this.#servers.get(name) ?? {};
    const test = { upstream: name, ms: null, category: null, hint: null };
    if (!(upstream instanceof Socks5Upstream)) return { ...test, result: 'skipped' };
    try {
      const milliseconds = await upstream.check({});
      return { ...test, result: 'ok', ms: Math.round(milliseconds * 10) / 10 };
    } catch (error) {
      if (!(error instanceof Socks5Error)) throw error;
      const category = health?.lastFailure ?? 'internal';
      return { ...test, result: 'failed', category, hint: FAILURES[category].text };
    }
  }

  /** Checks all servers, until one is found up. */
  async #checkAll(): Promise<void> {
    const checks = [...this.#servers.values()].map(async ({ upstream }) =>
      upstream instanceof DirectUpstream ? undefined : upstream.check({}),
    );
    await Promise.any(checks).catch(() => undefined);
  }

  #make(
    config: ServerConfig,
    previous: Server | undefined,
    makeDirect: (name: string, health: UpstreamHealth) => DirectUpstream,
  ): Server {
    const identity = JSON.stringify(config);
    const isUnchanged = previous?.identity === identity;
    if (isUnchanged && config.kind === 'socks5') return previous;
    const health = isUnchanged ? previous.health : new UpstreamHealth(config.name);
    // A direct upstream is created again, since the rules decide which addresses it may connect to.
    if (config.kind === 'embedded') return { config, identity, health, upstream: makeDirect(config.name, health) };
    return { config, identity, health, upstream: this.#connectTo(config, health) };
  }

  #connectTo(config: Socks5UpstreamConfig, health: UpstreamHealth): Socks5Upstream {
    const { stats, pool } = this.#options;
    return new Socks5Upstream({
      config,
      health,
      timeouts: this.#timeouts,
      stats,
      pool,
      dialler: this.#diallers.servers,
    });
  }

  /** Logs a change of a group member. Requests report the failures of other servers themselves. */
  #onChange({ name, from, to, category }: HealthChange): void {
    if (!this.#groups.some(({ members }) => members.some(({ upstream }) => upstream.name === name))) return;
    const { logger } = this.#options;
    if (to === 'suspect') {
      logger.warn({ upstream: name, from, to, category }, 'upstream does not answer requests: its group tries it last');
    } else if (!this.#plans.has(name)) return;
    else if (to === 'down') {
      logger.warn({ upstream: name, from, to, category }, 'upstream is down: its group uses the other members');
      this.#checks.get(name)?.hurry();
    } else logger.info({ upstream: name, from, to }, 'upstream is up');
  }
}

/** How long the address of a server's name is cached. */
const NAME_CACHE_MS = 30_000;

function makeDiallers(): { readonly targets: Dialler; readonly servers: Dialler } {
  const resolver = new Resolver();
  return { targets: new Dialler(resolver), servers: new Dialler(resolver, NAME_CACHE_MS) };
}

/** Merges the checks of groups: a server is checked once, at the shortest interval of its groups. */
function plansOf(groups: readonly GroupConfig[]): ReadonlyMap<string, CheckConfig> {
  const plans = new Map<string, CheckConfig>();
  for (const { of, check } of groups) {
    if (check === undefined || of.length < 2) continue;
    for (const name of of) {
      const { every = Infinity, target } = plans.get(name) ?? {};
      const both = target ?? check.target;
      plans.set(name, { every: Math.min(every, check.every), ...(both !== undefined && { target: both }) });
    }
  }
  return plans;
}
