import type { ProxyStats } from '#metrics';
import { Dialler, Resolver } from '#socks5-protocol';
import type {
  CheckConfig,
  GroupConfig,
  NamedUpstream,
  ProxyClientConfig,
  Timeouts,
} from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { formatAuthority } from '../http/authority.js';
import type { BufferPool } from '../relay/buffer-pool.js';
import { AddressGuard, type OwnListeners } from './address-guard.js';
import { DirectUpstream } from './direct-upstream.js';
import { EmbeddedUpstream } from './embedded-upstream.js';
import { GroupUpstream } from './group-upstream.js';
import { HealthChecks } from './health-checks.js';
import { IsolatingUpstream } from './isolating-upstream.js';
import { Socks5Upstream } from './socks5-upstream.js';
import type { Upstream } from './upstream.js';
import { type HealthChange, type HealthSnapshot, UpstreamHealth } from './upstream-health.js';

export interface UpstreamsOptions {
  readonly stats: ProxyStats;
  readonly pool: BufferPool;
  readonly logger: ProxyLog;
  /** Where this proxy listens itself. */
  readonly ownListeners: OwnListeners;
}

/** A server, as pages and metrics show it. */
export interface ServerSnapshot extends HealthSnapshot {
  readonly name: string;
  /** `host:port`; absent for the one inside the process. */
  readonly address?: string;
}

/** A group, as pages and metrics show it. */
export interface GroupSnapshot {
  readonly name: string;
  readonly pick: GroupConfig['pick'];
  readonly members: readonly string[];
  /** How often a request went on to another member. */
  readonly failovers: number;
}

export interface UpstreamsSnapshot {
  readonly servers: readonly ServerSnapshot[];
  readonly groups: readonly GroupSnapshot[];
}

type ServerConfig = Exclude<NamedUpstream, GroupConfig>;

/** A server under its name. */
interface Server {
  readonly config: ServerConfig;
  /** Two that are the same are one: what it has learned is kept when the configuration is read anew. */
  readonly identity: string;
  readonly health: UpstreamHealth;
  readonly upstream: Socks5Upstream | IsolatingUpstream | EmbeddedUpstream;
}

/** What a server has shown so long ago, at most, holds for a question about it. */
const FRESH_MS = 1000;

/** The ways out of one configuration, and what keeps watch over them. */
export class Upstreams {
  /** Those of the configuration in its order, then `direct`. */
  readonly byName: ReadonlyMap<string, Upstream>;
  readonly #options: UpstreamsOptions;
  readonly #servers = new Map<string, Server>();
  readonly #groups: readonly GroupUpstream[];
  /** One for all: the machine resolves few names at a time. */
  readonly #resolver: Resolver;
  readonly #dialler: Dialler;
  readonly #guard: AddressGuard;
  /** How the members of groups are checked, by their names. */
  readonly #plans: ReadonlyMap<string, CheckConfig>;
  readonly #checks = new Map<string, HealthChecks>();
  /** Servers inside the process that no configuration names any more: connections go on through them. */
  readonly #retired: EmbeddedUpstream[] = [];
  #looking: Promise<unknown> | undefined;

  /** @param previous - those of the configuration before: servers that are the same go on with what they have learned */
  constructor(config: ProxyClientConfig, options: UpstreamsOptions, previous?: Upstreams) {
    const { timeouts, upstreams } = config;
    const guard = new AddressGuard(config.rules, options.ownListeners);
    this.#options = options;
    this.#guard = guard;
    this.#resolver = previous === undefined ? new Resolver() : previous.#resolver;
    this.#dialler = previous === undefined ? new Dialler(this.#resolver) : previous.#dialler;
    for (const upstream of upstreams) {
      if (upstream.kind !== 'group') this.#servers.set(upstream.name, this.#make(upstream, timeouts, previous));
    }
    const direct = new DirectUpstream({ ...options, dialler: this.#dialler, guard, timeout: timeouts.connect });
    const groups = upstreams.filter((upstream) => upstream.kind === 'group');
    const made = groups.map(({ name, pick, of }) => {
      const members = of.map((member) => this.#servers.get(member) ?? { upstream: direct });
      return new GroupUpstream({ name, pick, members, timeout: timeouts.handshake });
    });
    this.#groups = made;
    this.#plans = plansOf(groups);
    const named = upstreams.map(
      ({ name }) => this.#servers.get(name)?.upstream ?? made.find((group) => group.name === name),
    );
    this.byName = new Map([...named, direct].filter((each) => each !== undefined).map((each) => [each.name, each]));
  }

  /** These hold from now on: their rules guard what is kept, and the members of their groups are looked after. */
  start(): void {
    for (const { health, upstream } of this.#servers.values()) {
      health.watch((change) => {
        this.#changed(change);
      });
      if (upstream instanceof EmbeddedUpstream) upstream.guardBy(this.#guard);
    }
    for (const [name, { every, target }] of this.#plans) {
      const upstream = this.#servers.get(name)?.upstream;
      if (upstream === undefined || upstream instanceof EmbeddedUpstream) continue;
      this.#checks.set(name, new HealthChecks(upstream, every, target));
    }
  }

  snapshot(): UpstreamsSnapshot {
    return {
      servers: [...this.#servers.values()].map(({ config, health }) => ({
        name: config.name,
        ...(config.kind === 'socks5' && { address: formatAuthority(config) }),
        ...health.snapshot,
      })),
      groups: this.#groups.map(({ name, pick, members, failovers }) => ({
        name,
        pick,
        members: members.map(({ upstream }) => upstream.name),
        failovers,
      })),
    };
  }

  /**
   * Whether a server works. They are tried when none has shown it for a moment, so that the answer is true of a proxy that
   * nobody uses, too.
   */
  async areReady(): Promise<boolean> {
    if (!this.#isOneUp(true)) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      await this.#looking;
    }
    return this.#isOneUp(false);
  }

  /**
   * Stops looking after them and ends what they keep open for themselves.
   *
   * @param successor - what goes on there is left alone
   */
  async close(successor?: Upstreams): Promise<void> {
    for (const check of this.#checks.values()) check.stop();
    const going = [...(successor === undefined ? [] : successor.#servers.values())].map(({ upstream }) => upstream);
    const ended = [...this.#servers.values()].filter(({ upstream }) => !going.includes(upstream));
    // Requests that are under way there may still find out how they do, which is nobody's concern any more.
    for (const { health } of ended) health.unwatch();
    for (const upstream of [...ended.map((each) => each.upstream), ...this.#retired]) {
      if (successor !== undefined && upstream instanceof EmbeddedUpstream) successor.#retired.push(upstream);
      else await upstream.close();
    }
  }

  #isOneUp(mustBeFresh: boolean): boolean {
    return [...this.#servers.values()].some(({ health, upstream }) => {
      const isFresh = upstream instanceof EmbeddedUpstream || health.age < FRESH_MS;
      return health.state === 'up' && (isFresh || !mustBeFresh);
    });
  }

  /** Tries all, until one is found up. */
  async #look(): Promise<void> {
    const found = [...this.#servers.values()].map(async ({ upstream, health }) => {
      if (upstream instanceof EmbeddedUpstream) await upstream.listening;
      else {
        await new Promise<void>((over) => {
          upstream.check(undefined, over).begin();
        });
      }
      if (health.state !== 'up') throw new Error('It is not up.');
    });
    await Promise.any(found).catch(() => undefined);
  }

  #make(config: ServerConfig, timeouts: Timeouts, previous: Upstreams | undefined): Server {
    const identity = JSON.stringify(config);
    const known = previous === undefined ? undefined : previous.#servers.get(config.name);
    if (known?.identity === identity) return known;
    const health = new UpstreamHealth(config.name);
    const { stats, pool } = this.#options;
    const shared = { health, timeouts, stats, pool, lookup: this.#resolver.lookup };
    const upstream =
      config.kind === 'embedded'
        ? new EmbeddedUpstream({ ...shared, guard: this.#guard, dialler: this.#dialler })
        : new (config.isolate === undefined ? Socks5Upstream : IsolatingUpstream)({ ...shared, config });
    return { config, identity, health, upstream };
  }

  /** Of servers that no group has, the requests themselves tell how they do. */
  #changed({ name, from, to, category }: HealthChange): void {
    if (!this.#plans.has(name)) return;
    const { logger } = this.#options;
    if (to === 'down') {
      logger.warn({ upstream: name, from, to, category }, 'upstream is down: its group goes through the others');
      this.#checks.get(name)?.hurry();
    } else logger.info({ upstream: name, from, to }, 'upstream is up');
  }
}

/** A server is checked once, however many groups have it: as often as the one that wants it most often. */
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
