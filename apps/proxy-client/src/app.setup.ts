import { networkInterfaces } from 'node:os';
import type { Logger } from 'pino';
import { ProxyStats, type LossyLog } from '#metrics';
import { AdminListener } from './admin/admin-listener.js';
import type { ProxyClientConfig } from './config/proxy-client-config.js';
import { FailureReporter } from './failure/failure-reporter.js';
import { ClientConnections } from './listener/client-connections.js';
import { authority } from './listener/listen-error.js';
import { ProxyListener } from './listener/proxy-listener.js';
import { OwnPages } from './monitoring/own-pages.js';
import { proveInternals } from './node-internals/prove-internals.js';
import type { Pages } from './pages.setup.js';
import type { ProxyUrls } from './start/announce.js';
import { createWays, type Ways } from './ways.setup.js';

/** The whole proxy: the listener, the ways out of it and the pages, wired by their constructors. */
export class Proxy {
  readonly #config: ProxyClientConfig;
  readonly #logger: Logger;
  readonly #log: LossyLog | undefined;
  readonly #stats = new ProxyStats();
  readonly #ownPages: OwnPages;
  readonly #ways: Ways;
  readonly #listener: ProxyListener;
  #pages: Pages | undefined;
  #admin: AdminListener | undefined;

  constructor(config: ProxyClientConfig, logger: Logger, log?: LossyLog) {
    const [listener] = config.listeners;
    if (listener === undefined) throw new TypeError('The configuration has no listener.');
    this.#config = config;
    this.#logger = logger;
    this.#log = log;
    const connections = new ClientConnections(this.#stats, config.limits.connections);
    const reporter = new FailureReporter(this.#stats, logger);
    this.#ownPages = new OwnPages(listener.allowedHosts);
    this.#ways = createWays({ config, stats: this.#stats, connections, reporter, logger });
    this.#listener = new ProxyListener({
      ...this.#ways,
      config,
      listener,
      connections,
      reporter,
      pages: this.#ownPages,
    });
  }

  /**
   * Opens the listeners; connections are accepted from the first moment, while the pages still load.
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

  /** Lets tunnels and requests finish until `timeouts.drain`, then ends everything. */
  async close(): Promise<void> {
    await this.#listener.drain();
    this.#admin?.close();
    await this.#ways.close();
    await this.#pages?.close();
  }

  async #openListener(): Promise<ProxyUrls> {
    await proveInternals();
    const { address, port } = await this.#listener.listen();
    this.#ways.listeningOn({ host: address, port });
    const { createPages } = await import('./pages.setup.js');
    this.#pages = await createPages(this.#stats, this.#config.admin !== undefined, this.#log);
    this.#ownPages.open(this.#pages.handle);
    const network = otherMachinesAddress(address);
    return { proxy: url(address, port), ...(network !== undefined && { network: url(network, port) }) };
  }

  async #openAdmin(): Promise<string | undefined> {
    const { admin, listeners } = this.#config;
    if (admin === undefined || this.#pages === undefined) return undefined;
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
  return `http://${authority({ host, port })}`;
}
