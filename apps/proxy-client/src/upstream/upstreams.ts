import type { ProxyStats } from '../stats/proxy-stats.js';
import { Dialler, Resolver } from '#socks5-protocol';
import type { ScriptStatus, UpstreamList, UpstreamTestList } from '../admin/api/upstreams.responses.js';
import type {
  CheckConfig,
  GroupConfig,
  NamedUpstream,
  PacConfig,
  ProxyClientConfig,
  ServerConfig,
  Timeouts,
} from '../config/proxy-client-config.js';
import { protocolOfServer } from '../config/server-setting.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { formatAuthority } from '../http/authority.js';
import { Tickets } from '../kerberos/tickets.js';
import type { SectionMemory } from '../http/section-memory.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import type { OwnAddresses } from '../routing/rules/own-addresses.js';
import { AddressGuard, DirectUpstream } from './direct-upstream.js';
import { GroupUpstream } from './group-upstream.js';
import { HealthChecks } from './health-checks.js';
import { HttpUpstream } from './http-upstream.js';
import { PacUpstream } from './pac-upstream.js';
import { PacWays } from './pac-ways.js';
import { Socks5Upstream } from './socks5-upstream.js';
import type { Upstream } from './upstream.js';
import { TemporaryUpstreams } from './temporary-upstreams.js';
import { type HealthChange, UpstreamHealth } from './upstream-health.js';
import { UpstreamTests } from './upstream-tests.js';

export interface UpstreamsOptions {
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
  readonly sections: SectionMemory;
  readonly logger: ProxyLog;
  /** Logs and counts an unexpected exception in work that is not for a request. */
  readonly reportDefect: (error: unknown) => void;
  /** Returns where this proxy listens itself. */
  readonly own: () => OwnAddresses;
}

/** An upstream of the configuration that is not a group. */
interface Server {
  readonly config: Exclude<NamedUpstream, GroupConfig | PacConfig>;
  /** If it is unchanged when the configuration is reloaded, the server keeps its learned state. */
  readonly identity: string;
  readonly health: UpstreamHealth;
  readonly upstream: Socks5Upstream | HttpUpstream | DirectUpstream;
}

/** The upstream that needs no configuration. */
const DIRECT = 'direct';

/** The upstreams of one configuration, with their health checks. */
export class Upstreams {
  /** Those of the configuration in its order, then `direct`. */
  readonly byName: ReadonlyMap<string, Upstream>;
  readonly #options: UpstreamsOptions;
  readonly #servers = new Map<string, Server>();
  readonly #tests = new UpstreamTests(this.#servers);
  readonly #temporary = new TemporaryUpstreams();
  /** Its thread is started when a ticket is needed. */
  readonly #tickets: Tickets;
  readonly #scripts: PacUpstream[] = [];
  /** What the scripts choose. */
  readonly #ways: PacWays;
  readonly #timeouts: Timeouts;
  readonly #direct: DirectUpstream;
  readonly #groups: readonly GroupUpstream[];
  /** For targets and for SOCKS5 servers, with one resolver: the machine resolves few names at a time. */
  readonly #diallers: { readonly targets: Dialler; readonly servers: Dialler };
  /** The checks of group members, by their names. */
  readonly #plans: ReadonlyMap<string, CheckConfig>;
  readonly #checks = new Map<string, HealthChecks>();

  /** @param previous - those of the previous configuration: unchanged servers keep their learned state */
  constructor(config: ProxyClientConfig, options: UpstreamsOptions, previous?: Upstreams) {
    const { timeouts, upstreams } = config;
    this.#options = options;
    this.#timeouts = timeouts;
    this.#diallers = previous === undefined ? makeDiallers() : previous.#diallers;
    this.#tickets = previous === undefined ? new Tickets() : previous.#tickets;
    const direct = { ...options, dialler: this.#diallers.targets, guard: new AddressGuard(config, options.own) };
    const makeDirect = (name: string, health?: UpstreamHealth): DirectUpstream =>
      new DirectUpstream({ ...direct, name, timeout: timeouts.connect, ...(health && { health }) });
    this.#ways = new PacWays({
      configured: upstreams,
      timeout: timeouts.handshake,
      member: (each) => {
        const upstream = this.byName.get(each);
        return upstream && { upstream, health: this.#servers.get(each)?.health };
      },
      temporary: (each) => ({ upstream: this.temporary(each) }),
      isOwn: (target) => options.own().isReachedBy(target),
    });
    const byName = new Map<string, Upstream>();
    const last = makeDirect(DIRECT);
    this.#direct = last;
    const configs = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
    const make = (name: string): Upstream => {
      const upstream = configs.get(name);
      const made =
        byName.get(name) ?? (upstream === undefined ? last : this.#make(upstream, previous, makeDirect, make));
      byName.set(name, made);
      return made;
    };
    this.#plans = plansOf(upstreams.filter((upstream) => upstream.kind === 'group'));
    this.byName = new Map([...upstreams.map(({ name }) => [name, make(name)] as const), [DIRECT, last]]);
    this.#groups = [...this.byName.values()].filter((upstream) => upstream instanceof GroupUpstream);
  }

  /** Starts the health checks. */
  start(): void {
    for (const { health } of this.#servers.values()) {
      health.onChange = this.#onChange.bind(this);
    }
    for (const [name, { every, target }] of this.#plans) {
      const upstream = this.server(name);
      if (upstream !== undefined)
        this.#checks.set(name, new HealthChecks(upstream, every, target, this.#options.reportDefect));
    }
  }

  /** Returns the state of the servers and groups in the form of GET /upstreams. */
  status(): UpstreamList {
    return {
      upstreams: [...this.#servers.values()].map(({ config, health }) => ({
        name: config.name,
        address: config.kind === 'embedded' ? null : formatAuthority(config),
        protocol: config.kind === 'embedded' ? null : protocolOfServer(config),
        via: config.kind === 'embedded' ? null : (config.via ?? null),
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
      scripts: this.#scripts.map(scriptStatus),
    };
  }

  /** Returns a PAC script by its name. */
  script(name: string): PacUpstream | undefined {
    return this.#scripts.find((script) => script.name === name);
  }

  /** Returns an upstream with a server by its name. */
  server(name: string): Socks5Upstream | HttpUpstream | undefined {
    const upstream = this.#servers.get(name)?.upstream;
    return upstream instanceof DirectUpstream ? undefined : upstream;
  }

  /** Whether an upstream is one of these, or was chosen for a request and is cached. */
  has(upstream: Upstream): boolean {
    return this.byName.get(upstream.name) === upstream || this.#temporary.has(upstream);
  }

  /**
   * Returns an upstream or group by its name.
   *
   * @param name - undefined: the first one
   */
  find(name: string | undefined): Upstream {
    const [[first = ''] = []] = this.byName;
    return this.byName.get(name ?? first) ?? this.#direct;
  }

  /** Returns a group by its name. */
  group(name: string): GroupUpstream | undefined {
    return this.#groups.find((group) => group.name === name);
  }

  /**
   * Returns an upstream that is not in the configuration. The last used ones are kept, with their learned state and warm connections:
   * the same settings return the same upstream.
   */
  temporary(config: Server['config']): Upstream {
    if (config.kind === 'embedded') return this.#direct;
    const { name, via } = config;
    const identity = JSON.stringify(config);
    const carrier = via === undefined ? undefined : this.byName.get(via);
    if (via !== undefined && carrier === undefined) throw new TypeError(`There is no upstream with the name ${via}.`);
    return this.#temporary.use(identity, () => this.#connectTo(config, new UpstreamHealth(name), carrier));
  }

  /**
   * Selects the member that a group tries first, and tests it: without checks, nothing else would find a member up again.
   *
   * @param member - undefined: automatic
   * @returns whether the group and the member exist
   */
  select(group: string, member: string | undefined): boolean {
    if (this.group(group)?.select(member) !== true) return false;
    if (member !== undefined) void this.#tests.test(member);
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
    return { tests: await Promise.all((members ?? [name]).map(async (each) => this.#tests.test(each))) };
  }

  /**
   * Returns whether a server is up; checks the servers if that is not known.
   */
  async areReady(): Promise<boolean> {
    // The servers of a script are known only by its answers.
    return this.#scripts.length > 0 || this.#tests.areReady();
  }

  /**
   * Stops the checks and closes the connections that the upstreams hold themselves.
   *
   * @param successor - upstreams that it still uses are left open
   */
  close(successor?: Upstreams): void {
    for (const check of this.#checks.values()) check.stop();
    if (successor === undefined || successor.#tickets !== this.#tickets) this.#tickets.close();
    this.#temporary.close();
    for (const script of this.#scripts) script.close();
    const used = successor === undefined ? [] : [...successor.#servers.values()];
    for (const { upstream, health } of this.#servers.values()) {
      // Requests in flight may still change the health of a removed server, which must not be logged any more.
      if (!used.some((each) => each.health === health)) health.onChange = undefined;
      if (!(upstream instanceof DirectUpstream) && !used.some((each) => each.upstream === upstream)) upstream.close();
    }
  }

  /** @param make - returns another upstream by its name */
  #make(
    config: NamedUpstream,
    previous: Upstreams | undefined,
    makeDirect: (name: string, health: UpstreamHealth) => DirectUpstream,
    make: (name: string) => Upstream,
  ): Upstream {
    const { name } = config;
    if (config.kind === 'group') return this.#makeGroup(config, this.#timeouts.handshake, previous, make);
    if (config.kind === 'pac') return this.#makePac(name, config);
    const carrier = config.kind === 'embedded' || config.via === undefined ? undefined : make(config.via);
    const known = previous === undefined ? undefined : previous.#servers.get(name);
    const identity = JSON.stringify(config);
    const isUnchanged = known?.identity === identity;
    const health = isUnchanged ? known.health : new UpstreamHealth(name);
    const upstream = ((): Server['upstream'] => {
      // A direct upstream is created again, since the rules decide which addresses it may connect to.
      if (config.kind === 'embedded') return makeDirect(name, health);
      if (isUnchanged && !(known.upstream instanceof DirectUpstream) && known.upstream.carrier === carrier)
        return known.upstream;
      return this.#connectTo(config, health, carrier);
    })();
    this.#servers.set(name, { config, identity, health, upstream });
    return upstream;
  }

  #makePac(name: string, config: PacConfig): PacUpstream {
    const { logger } = this.#options;
    const made = new PacUpstream({
      ...{ name, config, findWay: (entries) => this.#ways.find(entries) },
      report: (fields) => {
        logger.warn(fields, 'the PAC script threw an exception');
      },
    });
    this.#scripts.push(made);
    return made;
  }

  #connectTo(
    config: ServerConfig,
    health: UpstreamHealth,
    carrier: Upstream | undefined,
  ): Socks5Upstream | HttpUpstream {
    const { stats, pool, sections, reportDefect } = this.#options;
    const options = {
      health,
      timeouts: this.#timeouts,
      stats,
      pool,
      sections,
      dialler: this.#diallers.servers,
      carrier,
      reportDefect,
    };
    return config.kind === 'http'
      ? new HttpUpstream({ ...options, config, tickets: this.#tickets })
      : new Socks5Upstream({ ...options, config });
  }

  #makeGroup(
    { name, pick, of }: GroupConfig & { readonly name: string },
    timeout: number,
    previous: Upstreams | undefined,
    make: (name: string) => Upstream,
  ): GroupUpstream {
    const members = of.map((member) => {
      const upstream = make(member);
      return { upstream, health: this.#servers.get(member)?.health };
    });
    const options = { name, pick, members, timeout };
    const known = previous?.group(name);
    // The same object, so that upstreams behind it (`via`) are unchanged too.
    return known?.is(options) === true ? known : new GroupUpstream(options, known);
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
      this.#checks.get(name)?.checkSoon();
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

function scriptStatus({ name, config: { file }, last }: PacUpstream): ScriptStatus {
  return { name, source: file.config.name, ...file.status, last_answer: last ?? null };
}
