import { networkInterfaces } from 'node:os';
import { ProxyStats, type LossyLog } from '#metrics';
import { AdminListener } from './admin/admin-listener.js';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import { FailureReporter, type ProxyLog } from './failure/failure-reporter.js';
import { formatAuthority } from './http/authority.js';
import { ProxyListener } from './listener/proxy-listener.js';
import { presentHealth, presentStats } from './monitoring/monitoring.presenter.js';
import { proveInternals } from './node-internals/prove-internals.js';
import { Sweeper } from './relay/sweeper.js';
import type { Pages } from './pages.setup.js';
import type { ProxyUrls } from './start/announce.js';
import type { Authorize } from './upstream/authorize.js';
import { createWays, type Ways } from './ways.setup.js';

/** What a proxy is made of, beside its configuration. */
export interface ProxyParts {
  readonly logger: ProxyLog;
  /** What is lost of the log, for the metrics. */
  readonly log?: LossyLog | undefined;
  readonly stats?: ProxyStats | undefined;
  readonly authorize?: Authorize | undefined;
}

/** The whole proxy: the listener, the ways out of it and the pages, wired by their constructors. */
export class Proxy {
  readonly #config: ProxyClientConfig;
  readonly #logger: ProxyLog;
  readonly #log: LossyLog | undefined;
  readonly #stats: ProxyStats;
  readonly #ways: Ways;
  readonly #listener: ProxyListener;
  readonly #sweeper: Sweeper;
  #pages: Pages | undefined;
  #admin: AdminListener | undefined;

  constructor(config: ProxyClientConfig, { logger, log, stats = new ProxyStats(), authorize }: ProxyParts) {
    const [listener] = config.listeners;
    if (listener === undefined) throw new TypeError('The configuration has no listener.');
    this.#config = config;
    this.#logger = logger;
    this.#log = log;
    this.#stats = stats;
    const reporter = new FailureReporter(stats, logger);
    this.#ways = createWays({ config, stats, reporter, logger, authorize });
    this.#listener = new ProxyListener({
      ...this.#ways,
      config,
      listener,
      stats,
      reporter,
      monitoring: {
        stats: () => presentStats(stats.snapshot()),
        health: () => presentHealth(stats.snapshot()),
      },
    });
    const { timeouts, pool } = config;
    const limits = [timeouts.read, timeouts.write, timeouts.idle, timeouts.response, timeouts.tunnelIdle, pool.idle];
    this.#sweeper = new Sweeper(limits, [this.#listener, this.#ways.forwarder, this.#ways.relays]);
  }

  /**
   * Opens the listeners; connections are accepted from the first moment, while the admin pages still load.
   *
   * @throws {@link ListenError}; nothing is left open then
   */
  async listen(): Promise<ProxyUrls> {
    try {
      const proxy = await this.#openListener();
      const admin = await this.#openAdmin();
      return { ...proxy, ...(admin !== undefined && { admin }) };
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
    this.#admin?.close();
    await this.#ways.close();
    await this.#pages?.close();
  }

  async #openListener(): Promise<ProxyUrls> {
    await proveInternals();
    const { address, port } = await this.#listener.listen();
    this.#ways.listeningOn({ host: address, port });
    const network = otherMachinesAddress(address);
    return { proxy: url(address, port), ...(network !== undefined && { network: url(network, port) }) };
  }

  async #openAdmin(): Promise<string | undefined> {
    const { admin, listeners } = this.#config;
    if (admin === undefined) return undefined;
    const { createPages } = await import('./pages.setup.js');
    this.#pages = await createPages(this.#stats, this.#log);
    const allowedHosts = listeners.flatMap((listener) => listener.allowedHosts);
    this.#admin = new AdminListener(admin, allowedHosts, this.#pages.handle);
    const bound = await this.#admin.listen();
    if (bound === undefined) {
      this.#logger.info(
        { ports: `${admin.port} to ${admin.orUpTo ?? admin.port}` },
        'no admin listener: no port is free',
      );
      return undefined;
    }
    this.#ways.listeningOn({ host: bound.address, port: bound.port });
    return url(bound.address, bound.port);
  }
}

/** An address by which other machines reach a listener that is bound to every address; undefined for other listeners. */
function otherMachinesAddress(bound: string): string | undefined {
  if (bound !== '0.0.0.0' && bound !== '::') return undefined;
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const reachable = own.filter(({ internal, scopeid }) => !internal && (scopeid ?? 0) === 0);
  const [first] = reachable.sort((a, b) => a.family.localeCompare(b.family));
  return first === undefined || (bound === '0.0.0.0' && first.family !== 'IPv4') ? undefined : first.address;
}

/** A URL that works on this machine, also when the listener is bound to every address. */
function url(address: string, port: number): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address;
  return `http://${formatAuthority({ host, port })}`;
}
