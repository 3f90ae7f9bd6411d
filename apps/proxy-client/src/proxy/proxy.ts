import type { Socket } from 'node:net';
import { ProxyStats } from '../stats/proxy-stats.js';
import { Connections } from '../activity/connections.js';
import type { FinishedRequests } from '../activity/proxy-services.js';
import { requiresTls } from '../config/listener-setting.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { SystemdSockets } from '../config/systemd-sockets.js';
import { FailureReporter, type ProxyLog } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { Forwarder } from '../forward/forwarder.js';
import type { Gate } from '../routing/gate/gate.js';
import { SECTION_MEMORY, SectionMemory } from '../http/section-memory.js';
import { ActivatedSockets } from '../listener/activated-sockets.js';
import type { Endpoint } from '../listener/endpoint.js';
import { ListenError } from '../listener/listen-error.js';
import { requireKerberos } from '../kerberos/tickets.js';
import { Listeners, type PreparedListeners } from '../listener/listeners.js';
import { presentHealth, presentStats, type Monitoring } from '../listener/own-pages.js';
import { ProxyListener } from '../listener/proxy-listener.js';
import { collectYoungGarbage } from '../node-internals/idle-collection.js';
import { ensureInternalsProven } from '../node-internals/prove-internals.js';
import { BufferPool } from '../relay/buffer-pool.js';
import { adoptSocket } from '../relay/pooled-source.js';
import { Relays } from '../relay/relay.js';
import { Turns } from '../relay/turns.js';
import { sweepPeriodically, type SweepWith, type Swept } from '../relay/sweeper.js';
import { filesOf } from '../routing/lists/files-of.js';
import type { FindUpstream, HostLists } from '../routing/lists/host-lists.js';
import { Router, type ChooseRoute, type RouteSources } from '../routing/router.js';
import { namesOf, OwnAddresses, urlOnThisMachine, type BoundAddress } from '../routing/rules/own-addresses.js';
import { PacScript } from '../routing/rules/pac-script.js';
import { Upstreams } from '../upstream/upstreams.js';
import { PasswordChecks } from '../users/password-checks.js';
import { makeGate, type Asking } from './make-gate.js';

/** The dependencies of a proxy. */
export interface ProxyParts {
  readonly logger: ProxyLog;
  /** Receives every finished request. */
  readonly requestLog: FinishedRequests;
  readonly chooseRoute?: ChooseRoute | undefined;
  /** Who answers whether a target is allowed; absent: no one, so that such requests are refused. */
  readonly asking?: Asking | undefined;
  readonly stats?: ProxyStats | undefined;
  /** The budget for sections and held bytes, unless a test has its own. */
  readonly sections?: SectionMemory | undefined;
  /** The queue of password checks, unless a test fills it. */
  readonly passwordChecks?: PasswordChecks | undefined;
  /** The listening sockets that systemd has passed to the program. */
  readonly systemd?: SystemdSockets | undefined;
  /** Enforces the time limits: a timer, unless a test controls the time. */
  readonly sweepWith?: SweepWith | undefined;
}

type Settings = Pick<ProxyClientConfig, 'timeouts' | 'limits' | 'pool' | 'via' | 'logLevel'>;

/** A configuration whose listeners are open, but not used yet. */
export interface PreparedProxy {
  readonly config: ProxyClientConfig;
  readonly listeners: PreparedListeners;
}

/**
 * The proxy without the admin listener, the request log and the signals of the program (proxy-program.ts). All its parts are created
 * and connected here:
 *
 *     listeners ──▶ forwarder, tunnels ──▶ router ──▶ upstreams
 *                        └──▶ relays
 *
 * Several proxies may run in one process: they share no limits, counters, buffers or secrets.
 */
export class Proxy {
  readonly stats: ProxyStats;
  readonly router: Router;
  readonly gate: Gate;
  readonly reporter: FailureReporter;
  readonly connections = new Connections(() => this.#listeners.ongoing());
  /** The content of /stats and /health. */
  readonly monitoring = {
    stats: () => presentStats(this.stats.snapshot()),
    health: () => presentHealth(this.stats.snapshot()),
  } satisfies Monitoring;
  readonly #parts: ProxyParts;
  /** The settings that a reload changes in place, so that open connections follow them without being notified. */
  readonly #settings: Settings;
  readonly #buffers = new BufferPool();
  readonly #sections: SectionMemory;
  readonly #forwarder: Forwarder;
  readonly #listeners: Listeners;
  readonly #relays: Relays;
  readonly #activated: ActivatedSockets;
  /** Undefined until a configuration has lists. */
  #lists: HostLists | undefined;
  readonly #swept: readonly Swept[];
  #config: ProxyClientConfig;
  #pac: PacScript;
  #upstreams: Upstreams;
  /** Where the program listens itself, in addition to the listeners. */
  #otherAddresses: readonly BoundAddress[] = [];
  /** Where this program listens. */
  #own = new OwnAddresses([], []);
  #stopSweeping: (() => void) | undefined;

  constructor(config: ProxyClientConfig, parts: ProxyParts) {
    const { logger, requestLog, chooseRoute, stats = new ProxyStats(), systemd = new Map() } = parts;
    this.#parts = parts;
    this.#config = config;
    this.#pac = new PacScript(config.rules);
    this.stats = stats;
    this.#sections = parts.sections ?? new SectionMemory(SECTION_MEMORY, collectYoungGarbage);
    const { timeouts, limits, pool, via, logLevel } = config;
    const settings = { timeouts: { ...timeouts }, limits: { ...limits }, pool: { ...pool }, via, logLevel };
    this.#settings = settings;
    this.reporter = new FailureReporter(stats, logger);
    const relays = new Relays(settings.timeouts, this.#reportDefect);
    this.#relays = relays;
    this.#upstreams = this.#makeUpstreams(config);
    this.gate = makeGate({
      logger,
      asking: parts.asking,
      connections: this.connections,
      settings: () => this.#config.ask,
    });
    this.router = new Router(this.#routeSources(config), this.gate);
    const debug = logger.debug.bind(logger);
    const services = {
      config: settings,
      router: this.router,
      sections: this.#sections,
      turns: new Turns(),
      chooseRoute,
      relays,
      reporter: this.reporter,
      requestLog,
      connections: this.connections,
      stats,
      get debug() {
        return settings.logLevel === 'debug' ? debug : undefined;
      },
    };
    this.#forwarder = new Forwarder(services, (upstream) => this.#upstreams.has(upstream));
    const activated = new ActivatedSockets(systemd);
    this.#activated = activated;
    const shared = {
      services,
      forwarder: this.#forwarder,
      adopt: (socket: Socket) => adoptSocket(this.#buffers, socket),
      pac: () => this.#pac,
      monitoring: this.monitoring,
      passwordChecks: parts.passwordChecks ?? new PasswordChecks(),
      activated,
    };
    this.#listeners = new Listeners((listener) => new ProxyListener(shared, listener), activated);
    this.#swept = [this.#listeners, this.#forwarder, relays];
  }

  /** The present configuration. */
  get config(): ProxyClientConfig {
    return this.#config;
  }

  get upstreams(): Upstreams {
    return this.#upstreams;
  }

  get pac(): PacScript {
    return this.#pac;
  }

  /** Where this program listens. */
  get own(): OwnAddresses {
    return this.#own;
  }

  /** The sockets of each listener, in the order of the configuration. */
  get endpoints(): readonly (readonly Endpoint[])[] {
    return this.#listeners.endpoints;
  }

  /** The URL of the first listener on this machine; `unix:PATH` for a Unix socket. */
  get url(): string {
    const [listener] = this.#config.listeners;
    const endpoint = this.endpoints[0]?.[0];
    if (listener === undefined || endpoint === undefined) throw new TypeError('The proxy does not listen.');
    const { name, bound } = endpoint;
    const scheme = requiresTls(listener) ? 'https' : 'http';
    return bound === undefined ? name : urlOnThisMachine(bound.address, bound.port, scheme);
  }

  /** The addresses and ports of the listeners; a Unix socket has none. */
  get addresses(): readonly BoundAddress[] {
    const addresses = this.endpoints.flat().map(({ bound }) => bound);
    return addresses.filter((bound) => bound !== undefined);
  }

  /** The number of open client connections. */
  get open(): number {
    return this.#listeners.open;
  }

  /**
   * Opens the listeners, which serve connections at once.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if a list cannot be loaded; everything is closed then
   */
  async listen(): Promise<void> {
    try {
      await ensureInternalsProven();
      await requireKerberos(this.#config);
      await this.#loadLists(this.#config, this.#findUpstream);
      this.#listeners.use(await this.#listeners.prepare(this.#config.listeners));
    } catch (error) {
      await this.close();
      throw error;
    }
    this.#upstreams.start();
    this.#lists?.use(this.#config, this.#findUpstream);
    this.#sweep();
    this.#updateOwnAddresses();
    this.#warnOfUnused();
  }

  /**
   * Opens the listeners of another configuration; connections that they accept wait until {@link use}.
   *
   * @throws {@link ListenError}, or {@link ConfigError} if a list cannot be loaded; nothing has changed then
   */
  async prepare(config: ProxyClientConfig): Promise<PreparedProxy> {
    // Only for lists whose servers are asked now.
    let upstreams: Upstreams | undefined;
    try {
      await requireKerberos(config);
      await this.#loadLists(config, (name) => (upstreams ??= this.#makeUpstreams(config)).find(name));
      return { config, listeners: await this.#listeners.prepare(config.listeners) };
    } catch (error) {
      throw this.explainListenError(error);
    } finally {
      upstreams?.close();
    }
  }

  /** Closes what was opened for a configuration that is not used. */
  discard({ listeners }: PreparedProxy): void {
    this.#listeners.discard(listeners);
  }

  /**
   * Swaps the configuration, within one turn of the event loop, so that no request sees a part of it. Open connections continue under
   * the rules that they began with; the new rules apply to later requests.
   */
  use({ config, listeners }: PreparedProxy): void {
    const previous = this.#upstreams;
    this.#config = config;
    this.#pac = new PacScript(config.rules);
    this.#changeSettings(config);
    this.#upstreams = this.#makeUpstreams(config, previous);
    this.router.change(this.#routeSources(config));
    this.#upstreams.start();
    this.#lists?.use(config, this.#findUpstream);
    this.#listeners.use(listeners);
    this.#updateOwnAddresses();
    this.#sweep();
    previous.close(this.#upstreams);
    this.#forwarder.closeUnused();
    this.#warnOfUnused();
  }

  /** Refuses also requests whose target is another listener of the program. */
  setOtherAddresses(others: readonly BoundAddress[]): void {
    this.#otherAddresses = others;
    this.#updateOwnAddresses();
  }

  /** Returns the error of a listener; with another explanation if this program itself uses the port or the socket. */
  explainListenError(error: unknown): unknown {
    if (!(error instanceof ListenError) || error.reason !== 'EADDRINUSE') return error;
    const { address } = error;
    const isPath = (endpoint: Endpoint): boolean => 'path' in address && endpoint.path === address.path;
    const isPort = ({ port }: BoundAddress): boolean => 'port' in address && port === address.port;
    return this.endpoints.flat().some(isPath) || this.#ownAddresses().some(isPort)
      ? error.withOwnPortExplanation()
      : error;
  }

  /** Resets every client connection, and what is left of tunnels whose client is gone. */
  abort(): void {
    this.#listeners.abort();
    this.#relays.abort();
  }

  /** Lets tunnels and requests finish for up to `timeouts.drain`, then closes everything. */
  async close(): Promise<void> {
    // First: the requests that wait would delay the end.
    this.gate.asks.close();
    await this.#listeners.close();
    // The upstream of a tunnel may close later than its client.
    await this.#relays.endedAll();
    this.#stopSweeping?.();
    this.gate.grants.close();
    this.#lists?.close();
    this.#forwarder.close();
    this.#upstreams.close();
    this.reporter.close();
  }

  /** Logs and counts an unexpected exception in work that is not for one request. */
  readonly #reportDefect = (error: unknown): void => {
    this.reporter.report(new ProxyFailure('internal', {}, error));
  };

  /** @param findUpstream - returns an upstream of the configuration */
  async #loadLists(config: ProxyClientConfig, findUpstream: FindUpstream): Promise<void> {
    if (this.#lists === undefined) {
      if (filesOf(config).length === 0) return;
      const { logger } = this.#parts;
      // Most configurations have no lists: their code is loaded on demand.
      const lists = await import('../routing/lists/host-lists.js');
      this.#lists ??= new lists.HostLists({ logger, copies: config.copies });
    }
    await this.#lists.load(config, findUpstream);
  }

  readonly #findUpstream: FindUpstream = (name) => this.#upstreams.find(name);

  #changeSettings({ timeouts, limits, pool, via, logLevel }: ProxyClientConfig): void {
    Object.assign(this.#settings.timeouts, timeouts);
    Object.assign(this.#settings.limits, limits);
    Object.assign(this.#settings.pool, pool);
    Object.assign(this.#settings, { via, logLevel });
  }

  #routeSources({ rules, rejectsByDefault, asksByDefault }: ProxyClientConfig): RouteSources {
    return { upstreams: this.#upstreams.byName, rules, rejectsByDefault, asksByDefault };
  }

  #makeUpstreams(config: ProxyClientConfig, previous?: Upstreams): Upstreams {
    const { logger } = this.#parts;
    const { stats } = this;
    const reportDefect = this.#reportDefect;
    const options = {
      stats,
      pool: this.#buffers,
      sections: this.#sections,
      logger,
      own: () => this.#own,
      reportDefect,
    };
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

  #warnOfUnused(): void {
    const sockets = this.#activated.unused;
    const message = 'no listener uses these sockets of systemd: add one with their name, or remove them from the unit';
    if (sockets.length > 0) this.#parts.logger.warn({ sockets }, message);
  }

  /** Refuses requests whose target is a listener of this program. */
  #updateOwnAddresses(): void {
    this.#own = new OwnAddresses(this.#ownAddresses(), namesOf(this.#config.listeners));
    this.router.setOwnAddresses(this.#own);
  }

  #ownAddresses(): readonly BoundAddress[] {
    return [...this.addresses, ...this.#otherAddresses];
  }
}
