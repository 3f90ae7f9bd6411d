import { networkInterfaces } from 'node:os';
import { createMetricsRegistry, ProxyStats, registerProxyStats, type LossyLog } from '#metrics';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import { FailureReporter, type ProxyLog } from './failure/failure-reporter.js';
import { Forwarder } from './forward/forwarder.js';
import { formatAuthority } from './http/authority.js';
import { ProxyListener } from './listener/proxy-listener.js';
import { proveInternals } from './node-internals/prove-internals.js';
import { AdminListener } from './pages/admin-listener.js';
import { presentHealth, presentStats } from './pages/monitoring.presenter.js';
import type { MetricsText, ProxyView } from './pages/proxy-view.js';
import { BufferPool } from './relay/buffer-pool.js';
import { IdleMemory } from './relay/idle-memory.js';
import { adoptSocket } from './relay/pooled-source.js';
import { Relays } from './relay/relays.js';
import { Sweeper } from './relay/sweeper.js';
import { UptakeWatch } from './relay/uptake.js';
import { Tunnels } from './tunnel/tunnels.js';
import { Router } from './routing/router.js';
import { allowEveryone, type Authorize } from './upstream/authorize.js';
import { registerUpstreams } from './upstream/upstream-metrics.js';
import { Upstreams } from './upstream/upstreams.js';

/** What a proxy is made of, beside its configuration. */
export interface ProxyParts {
  readonly logger: ProxyLog;
  /** What is lost of the log, for the metrics. */
  readonly log?: LossyLog | undefined;
  readonly stats?: ProxyStats | undefined;
  readonly authorize?: Authorize | undefined;
}

/** Where the proxy can be reached. */
export interface ProxyUrls {
  readonly proxy: string;
  /** For other machines, where the listener is bound to every address. */
  readonly network?: string;
  readonly admin?: string;
}

/**
 * The whole proxy, put together here and nowhere else:
 *
 *     listener ──▶ forwarder, tunnels ──▶ upstreams          admin listener, on a thread of its own
 *                        └──▶ relays                                 └──▶ asks for counters and metrics
 */
export class Proxy {
  readonly #log: LossyLog | undefined;
  readonly #stats: ProxyStats;
  readonly #upstreams: Upstreams;
  readonly #forwarder: Forwarder;
  readonly #listener: ProxyListener;
  readonly #sweeper: Sweeper;
  readonly #memory: IdleMemory;
  readonly #admin: AdminListener | undefined;
  /** Where the proxy itself listens: the embedded upstream never connects there. */
  readonly #own: { readonly host: string; readonly port: number }[] = [];
  #metrics: Promise<() => Promise<MetricsText>> | undefined;

  constructor(config: ProxyClientConfig, { logger, log, stats = new ProxyStats(), authorize }: ProxyParts) {
    const [listener] = config.listeners;
    if (listener === undefined) throw new TypeError('The configuration has no listener.');
    const { timeouts, pool, admin } = config;
    this.#log = log;
    this.#stats = stats;
    const buffers = new BufferPool();
    const reporter = new FailureReporter(stats, logger);
    this.#memory = new IdleMemory({
      activity: () => activityOf(stats),
      release: () => {
        buffers.clear();
      },
    });
    const uptakes = new UptakeWatch([timeouts.write, timeouts.response]);
    const relays = new Relays({ write: timeouts.write, idle: timeouts.tunnelIdle }, uptakes);
    this.#upstreams = new Upstreams(config, { stats, pool: buffers, logger, ownListeners: () => this.#own });
    const shared = {
      router: new Router({ upstreams: this.#upstreams.byName }, authorize ?? allowEveryone),
      relays,
      reporter,
      stats,
      debug: config.logLevel === 'debug' ? logger.debug.bind(logger) : undefined,
    };
    this.#forwarder = new Forwarder({ ...shared, config });
    this.#listener = new ProxyListener({
      config,
      listener,
      stats,
      reporter,
      forwarder: this.#forwarder,
      tunnels: new Tunnels(shared),
      adopt: (socket) => adoptSocket(buffers, socket),
      uptakes,
      monitoring: {
        stats: () => presentStats(stats.snapshot()),
        health: () => presentHealth(stats.snapshot()),
      },
    });
    const limits = [timeouts.read, timeouts.write, timeouts.idle, timeouts.response, timeouts.tunnelIdle, pool.idle];
    this.#sweeper = new Sweeper(limits, [this.#listener, this.#forwarder, relays, uptakes]);
    const allowedHosts = config.listeners.flatMap((each) => each.allowedHosts);
    this.#admin = admin && new AdminListener({ admin, allowedHosts, view: this.#view(), logger });
  }

  /**
   * Opens the listeners; connections are accepted from the first moment.
   *
   * @throws {@link ListenError}; nothing is left open then
   */
  async listen(): Promise<ProxyUrls> {
    try {
      await proveInternals();
      const { address, port } = await this.#listener.listen();
      this.#memory.start();
      this.#upstreams.start();
      this.#own.push({ host: address, port });
      const network = addressForOthers(address);
      const admin = await this.#admin?.listen();
      if (admin !== undefined) this.#own.push({ host: admin.address, port: admin.port });
      return {
        proxy: url(address, port),
        ...(network !== undefined && { network: url(network, port) }),
        ...(admin !== undefined && { admin: url(admin.address, admin.port) }),
      };
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** How many connections of clients are open. */
  get open(): number {
    return this.#listener.open;
  }

  /** Cuts every connection of a client. */
  cut(): void {
    this.#listener.cut();
  }

  /** Lets tunnels and requests finish until `timeouts.drain`, then ends everything. */
  async close(): Promise<void> {
    await this.#listener.drain();
    this.#sweeper.stop();
    this.#memory.stop();
    this.#admin?.close();
    this.#forwarder.close();
    await this.#upstreams.close();
  }

  #view(): ProxyView {
    return {
      snapshot: async () => Promise.resolve(this.#stats.snapshot()),
      metrics: async () => {
        this.#metrics ??= this.#loadMetrics();
        return (await this.#metrics)();
      },
      upstreams: async () => Promise.resolve(this.#upstreams.snapshot()),
      ready: async () => this.#upstreams.areReady(),
    };
  }

  /** Metrics are of this thread, whoever shows them. */
  async #loadMetrics(): Promise<() => Promise<MetricsText>> {
    const registry = await createMetricsRegistry(this.#log);
    await registerProxyStats(registry, this.#stats);
    await registerUpstreams(registry, () => this.#upstreams.snapshot());
    return async () => ({ contentType: registry.contentType, text: await registry.metrics() });
  }
}

/** How much has happened so far, and what is open. */
function activityOf(stats: ProxyStats): { readonly happened: number; readonly open: number } {
  const { totalConnections, activeConnections, successfulRequests, failedRequests } = stats.snapshot();
  const happened = 2 * totalConnections - activeConnections + successfulRequests + failedRequests;
  return { happened, open: activeConnections };
}

/** An address by which other machines reach a listener that is bound to every address; undefined for other listeners. */
function addressForOthers(bound: string): string | undefined {
  if (bound !== '0.0.0.0' && bound !== '::') return undefined;
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const reachable = addresses.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  const [first] = reachable.sort((a, b) => a.family.localeCompare(b.family));
  return bound === '0.0.0.0' && first?.family !== 'IPv4' ? undefined : first?.address;
}

/** A URL that works on this machine, also when the listener is bound to every address. */
function url(address: string, port: number): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `http://${formatAuthority({ host, port })}`;
}
