import type { Socket } from 'node:net';
import type { Registry } from 'prom-client';
import type { LogDestination } from '#logging';
import { createMetricsRegistry, ProxyStats } from '#metrics';
import { Connections } from './activity/connections.js';
import { RequestLog, type PreparedRequestLog } from './activity/request-log.js';
import { TrafficHistory } from './activity/traffic-history.js';
import type { ListenerList, RouteExplanation } from './api/responses.js';
import { explainRoute } from './check/explain-route.js';
import { RunningChecks } from './check/running-checks.js';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import { FailureReporter, type ProxyLog } from './failure/failure-reporter.js';
import { Forwarder } from './forward/forwarder.js';
import { formatAuthority, type Target } from './http/authority.js';
import { acceptsHttp } from './listener/client-modes.js';
import { ListenError } from './listener/listen.js';
import { Listeners, type PreparedListeners } from './listener/listeners.js';
import { pacPage } from './listener/own-pages.js';
import { ProxyListener } from './listener/proxy-listener.js';
import { proveInternals } from './node-internals/prove-internals.js';
import { PacScript } from './rules/pac-script.js';
import { AdminAccess } from './pages/admin-access.js';
import { presentHealth, presentStats, registerProxyMetrics } from './pages/proxy-metrics.js';
import { AdminListener } from './pages/admin-listener.js';
import type { ProxyView } from './pages/proxy-view.js';
import { BufferPool } from './relay/buffer-pool.js';
import { adoptSocket } from './relay/pooled-source.js';
import { Relays } from './relay/relay.js';
import { sweepPeriodically, type SweepWith, type Swept } from './relay/sweeper.js';
import { Router } from './routing/router.js';
import { addressForOthers, namesOf, OwnPlaces, urlOnThisMachine, type OwnPlace } from './rules/own-places.js';
import { Upstreams } from './upstream/upstreams.js';

/** The dependencies of a proxy. */
export interface ProxyParts {
  readonly logger: ProxyLog;
  /** The destination of the log: standard output. */
  readonly log?: LogDestination | undefined;
  readonly stats?: ProxyStats | undefined;
  /** Enforces the time limits: a timer, unless a test controls the time. */
  readonly sweepWith?: SweepWith | undefined;
}

type Settings = Pick<ProxyClientConfig, 'timeouts' | 'limits' | 'pool' | 'via' | 'logLevel'>;

/** The addresses of the proxy. */
export interface ProxyUrls {
  /** The first listener. */
  readonly proxy: string;
  /** For other machines, if the first listener is bound to every address. */
  readonly network?: string;
  readonly admin?: string;
}

/**
 * The proxy. All its parts are created and connected here:
 *
 *     listeners ──▶ forwarder, tunnels ──▶ router ──▶ upstreams     admin listener, on its own thread
 *                        └──▶ relays                                      └──▶ reads counters and metrics
 */
export class Proxy {
  readonly #parts: ProxyParts;
  readonly #stats: ProxyStats;
  /** The settings that a reload changes in place, so that open connections follow them without being notified. */
  readonly #settings: Settings;
  readonly #buffers = new BufferPool();
  readonly #router: Router;
  readonly #forwarder: Forwarder;
  readonly #listeners: Listeners;
  readonly #swept: readonly Swept[];
  readonly #reporter: FailureReporter;
  readonly #requestLog: RequestLog;
  readonly #connections = new Connections(() => this.#listeners.ongoing());
  readonly #history: TrafficHistory;
  readonly #checks = new RunningChecks();
  readonly #adminAccess: AdminAccess;
  readonly #monitoring = {
    stats: () => presentStats(this.#stats.snapshot()),
    health: () => presentHealth(this.#stats.snapshot()),
  };
  #reloadedAt: Date | undefined;
  #config: ProxyClientConfig;
  #pac: PacScript;
  #upstreams: Upstreams;
  /** Where this program listens. */
  #own = new OwnPlaces([], []);
  #stopSweeping: (() => void) | undefined;
  #admin: AdminListener | undefined;
  #metrics: Promise<Registry> | undefined;

  constructor(config: ProxyClientConfig, parts: ProxyParts) {
    const { logger, log, stats = new ProxyStats() } = parts;
    this.#parts = parts;
    this.#config = config;
    this.#pac = new PacScript(config.rules);
    this.#adminAccess = new AdminAccess(logger);
    this.#stats = stats;
    this.#history = new TrafficHistory(stats);
    const { timeouts, limits, pool, via, logLevel } = config;
    const settings = { timeouts: { ...timeouts }, limits: { ...limits }, pool: { ...pool }, via, logLevel };
    this.#settings = settings;
    const reporter = new FailureReporter(stats, logger);
    this.#reporter = reporter;
    this.#requestLog = new RequestLog({ stdout: log, logger });
    const requestLog = this.#requestLog;
    const relays = new Relays(settings.timeouts);
    this.#upstreams = this.#makeUpstreams(config);
    this.#router = new Router({ upstreams: this.#upstreams.byName, rules: config.rules });
    const debug = logger.debug.bind(logger);
    const services = {
      config: settings,
      router: this.#router,
      relays,
      reporter,
      requestLog,
      connections: this.#connections,
      stats,
      get debug() {
        return settings.logLevel === 'debug' ? debug : undefined;
      },
    };
    this.#forwarder = new Forwarder(services);
    const shared = {
      services,
      forwarder: this.#forwarder,
      adopt: (socket: Socket) => adoptSocket(this.#buffers, socket),
      pac: () => this.#pac,
      monitoring: this.#monitoring,
    };
    this.#listeners = new Listeners((listener) => new ProxyListener(shared, listener));
    this.#swept = [this.#listeners, this.#forwarder, relays];
  }

  /**
   * Opens the listeners, which serve connections at once.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if the request log cannot be written; everything is closed then
   */
  async listen(): Promise<ProxyUrls> {
    // First, so that its thread loads while the rest starts.
    const admin = this.#makeAdmin(this.#config);
    try {
      await proveInternals();
      this.#requestLog.use(await this.#requestLog.prepare(this.#config.requestLog));
      const prepared = await this.#listeners.prepare(this.#config.listeners);
      this.#listeners.use(prepared);
      this.#upstreams.start();
      this.#history.start();
      this.#sweep();
      this.#protect();
      await admin?.listen();
      this.#admin = admin;
      this.#protect();
      this.#adminAccess.apply(admin, this.#config);
    } catch (error) {
      admin?.close();
      await this.close();
      throw error;
    }
    return this.#urls();
  }

  /**
   * Applies another configuration, completely or not at all. Open connections continue under the rules that they began with; the new
   * rules apply to later requests.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if the request log cannot be written; nothing has changed then
   */
  async reload(config: ProxyClientConfig): Promise<ProxyUrls> {
    try {
      return await this.#reload(config);
    } catch (error) {
      const isInUse = error instanceof ListenError && error.reason === 'EADDRINUSE';
      throw isInUse && this.#ownPlaces().some(({ port }) => port === error.place.port) ? error.asOurs() : error;
    }
  }

  async #reload(config: ProxyClientConfig): Promise<ProxyUrls> {
    const listeners = await this.#listeners.prepare(config.listeners);
    let admin = this.#admin;
    let requestLog: PreparedRequestLog | undefined;
    try {
      requestLog = await this.#requestLog.prepare(config.requestLog);
      if (admin?.isFor(config.admin) !== true) {
        admin = this.#makeAdmin(config);
        await admin?.listen();
      }
    } catch (error) {
      this.#listeners.abandon(listeners);
      void requestLog?.file?.close();
      throw error;
    }
    this.#change(config, listeners, admin);
    this.#requestLog.use(requestLog);
    this.#adminAccess.apply(admin, config);
    this.#reloadedAt = new Date();
    return this.#urls();
  }

  /** The link to the dashboard with the generated token, if there is one. It must not be logged. */
  get dashboardLink(): string | undefined {
    const { admin } = this.#urls();
    const token = this.#adminAccess.generatedTokenOf(this.#config);
    return admin !== undefined && token !== undefined ? `${admin}/#t=${token}` : undefined;
  }

  /** The number of open client connections. */
  get open(): number {
    return this.#listeners.open;
  }

  /** Reopens the file of the request log, which may have been renamed. */
  async reopenLogs(): Promise<void> {
    await this.#requestLog.reopen();
  }

  /** Writes the rest of the request log synchronously, before the program exits. */
  flushNow(): void {
    this.#requestLog.flushNow();
  }

  /** Resets every client connection. */
  cut(): void {
    this.#listeners.cut();
  }

  /** Lets tunnels and requests finish for up to `timeouts.drain`, then closes everything. */
  async close(): Promise<void> {
    await Promise.all([this.#admin?.drain(), this.#listeners.drain()]);
    this.#stopSweeping?.();
    this.#history.stop();
    this.#admin?.close();
    this.#forwarder.close();
    this.#upstreams.close();
    await this.#requestLog.close();
  }

  /** Swaps the configuration, within one turn of the event loop, so that no request sees a part of it. */
  #change(config: ProxyClientConfig, listeners: PreparedListeners, admin: AdminListener | undefined): void {
    const before = { upstreams: this.#upstreams, admin: this.#admin };
    this.#config = config;
    this.#pac = new PacScript(config.rules);
    this.#changeSettings(config);
    this.#upstreams = this.#makeUpstreams(config, before.upstreams);
    this.#router.change({ upstreams: this.#upstreams.byName, rules: config.rules });
    this.#upstreams.start();
    this.#listeners.use(listeners);
    this.#admin = admin;
    this.#protect();
    this.#sweep();
    before.upstreams.close(this.#upstreams);
    if (admin !== before.admin) before.admin?.close();
  }

  #changeSettings({ timeouts, limits, pool, via, logLevel }: ProxyClientConfig): void {
    Object.assign(this.#settings.timeouts, timeouts);
    Object.assign(this.#settings.limits, limits);
    Object.assign(this.#settings.pool, pool);
    Object.assign(this.#settings, { via, logLevel });
  }

  #makeUpstreams(config: ProxyClientConfig, previous?: Upstreams): Upstreams {
    const { logger } = this.#parts;
    const options = { stats: this.#stats, pool: this.#buffers, logger, own: () => this.#own };
    return new Upstreams({ ...config, timeouts: this.#settings.timeouts }, options, previous);
  }

  /** Starts to enforce the time limits, at an interval that suits the shortest one. */
  #sweep(): void {
    const { timeouts, pool } = this.#settings;
    const limits = [timeouts.read, timeouts.write, timeouts.idle, timeouts.response, timeouts.tunnelIdle, pool.idle];
    this.#stopSweeping?.();
    const { sweepWith = sweepPeriodically } = this.#parts;
    this.#stopSweeping = sweepWith(limits, this.#swept);
  }

  /** Refuses requests whose target is a listener of this program. */
  #protect(): void {
    this.#own = new OwnPlaces(this.#ownPlaces(), namesOf(this.#config.listeners));
    this.#router.protect(this.#own);
  }

  #ownPlaces(): readonly OwnPlace[] {
    return [...this.#listeners.places, this.#admin?.place].filter((place) => place !== undefined);
  }

  #makeAdmin(config: ProxyClientConfig): AdminListener | undefined {
    const { admin } = config;
    const access = this.#adminAccess.rulesOf(config);
    return admin && new AdminListener({ admin, access, view: this.#view(), logger: this.#parts.logger });
  }

  #urls(): ProxyUrls {
    const [first] = this.#listeners.places;
    if (first === undefined) throw new TypeError('The configuration has no listener.');
    const { address, port } = first;
    const network = addressForOthers(address);
    const admin = this.#admin?.place;
    return {
      proxy: urlOnThisMachine(address, port),
      ...(network !== undefined && { network: urlOnThisMachine(network, port) }),
      ...(admin !== undefined && { admin: urlOnThisMachine(admin.address, admin.port) }),
    };
  }

  /** The listener that /proxy.pac names on the admin listener. */
  get #pacPlace(): OwnPlace | undefined {
    const { listeners } = this.#config;
    const meant = listeners.findIndex(({ pac }) => pac === true);
    const index = meant === -1 ? listeners.findIndex(({ mode }) => acceptsHttp(mode)) : meant;
    return this.#listeners.places[index];
  }

  #listenerList(): ListenerList {
    const listeners = this.#config.listeners.flatMap(({ mode, to, users }, index) => {
      const place = this.#listeners.places[index];
      if (place === undefined) return [];
      const target = to === undefined ? null : formatAuthority(to);
      return [{ mode, host: place.address, port: place.port, to: target, asks_for_password: users !== undefined }];
    });
    return { listeners };
  }

  #view(): ProxyView {
    return {
      ...this.#monitoring,
      metrics: async () => {
        this.#metrics ??= this.#loadMetrics();
        const registry = await this.#metrics;
        return { contentType: registry.contentType, text: await registry.metrics() };
      },
      upstreams: () => this.#upstreams.status(),
      selectMember: (group, member) => this.#upstreams.select(group, member ?? undefined),
      testUpstream: async (name) => this.#upstreams.test(name),
      ready: async () => this.#upstreams.areReady(),
      rules: () => this.#router.rules,
      explain: (target, user) => this.#explain(target, user),
      beginCheck: (query) => this.#checks.begin(query, { config: this.#config, own: this.#own }),
      nextCheckEvent: async (id) => this.#checks.next(id),
      abortCheck: (id) => {
        this.#checks.abort(id);
      },
      history: () => this.#history.list(),
      connections: (query) => this.#connections.list(query),
      endConnection: (id) => this.#connections.end(id),
      endConnections: (filter) => this.#connections.endAll(filter),
      failures: (after) => this.#reporter.recent.since(after),
      pac: (authority) => pacPage(this.#pac, this.#pacPlace, authority),
      listeners: () => this.#listenerList(),
      reloadedAt: () => this.#reloadedAt,
      report: (message, detail) => {
        this.#parts.logger.error({ detail }, message);
      },
    };
  }

  #explain(target: Target, user: string | undefined): RouteExplanation {
    const decision = explainRoute(this.#config, target, user, this.#own);
    const group = decision.upstream === null ? undefined : this.#upstreams.group(decision.upstream);
    return { ...decision, member: group?.current ?? null };
  }

  /** Metrics are collected on this thread. */
  async #loadMetrics(): Promise<Registry> {
    const registry = await createMetricsRegistry(this.#parts.log);
    await registerProxyMetrics(registry, {
      stats: () => this.#stats.snapshot(),
      upstreams: () => this.#upstreams.status(),
      requestLog: this.#requestLog,
    });
    return registry;
  }
}
