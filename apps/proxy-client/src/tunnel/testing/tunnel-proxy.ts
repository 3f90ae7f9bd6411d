import { connect, type Socket } from 'node:net';
import { ProxyStats } from '#metrics';
import { loadConfig } from '../../config/load-config.js';
import type { ProxyClientConfig, UpstreamConfig } from '../../config/proxy-client-config.js';
import { FailureReporter, type ProxyLog } from '../../failure/failure-reporter.js';
import { ClientConnections } from '../../listener/client-connections.js';
import { ProxyListener } from '../../listener/proxy-listener.js';
import { createWays, type Ways } from '../../ways.setup.js';

export interface TunnelProxyOptions {
  readonly upstream: UpstreamConfig;
  readonly timeouts?: Partial<ProxyClientConfig['timeouts']>;
  readonly logLevel?: 'debug' | 'info';
}

export interface LogLine extends Record<string, unknown> {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** The proxy without its pages: the real listener, the real ways out, a log to look at. */
export class TunnelProxy {
  readonly stats = new ProxyStats();
  readonly log: LogLine[] = [];
  readonly connections: ClientConnections;
  readonly #listener: ProxyListener;
  readonly #ways: Ways;
  readonly #clients: Socket[] = [];
  port = 0;

  constructor({ upstream, timeouts = {}, logLevel = 'info' }: TunnelProxyOptions) {
    const { config: defaults } = loadConfig({ options: {}, environment: {}, directory: '/nowhere' });
    const config: ProxyClientConfig = {
      ...defaults,
      logLevel,
      upstreams: [upstream],
      timeouts: { ...defaults.timeouts, ...timeouts },
    };
    const note =
      (level: LogLine['level']) =>
      (fields: object, message: string): void => {
        this.log.push({ ...fields, level, message });
      };
    const logger: ProxyLog = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };
    this.connections = new ClientConnections(this.stats, config.limits.connections);
    const shared = { config, connections: this.connections, reporter: new FailureReporter(this.stats, logger) };
    this.#ways = createWays({ ...shared, stats: this.stats, logger });
    this.#listener = new ProxyListener({
      ...shared,
      ...this.#ways,
      listener: { mode: 'http', host: '127.0.0.1', port: 0, allowedHosts: [] },
      pages: {
        handleMonitoring: (_request, response) => response.end(),
        handleNotFound: (_request, response) => response.end(),
      },
    });
  }

  async listen(): Promise<this> {
    const { address, port } = await this.#listener.listen();
    this.port = port;
    this.#ways.listeningOn({ host: address, port });
    return this;
  }

  async drain(): Promise<void> {
    await this.#listener.drain();
  }

  /** A half-open connection to the proxy, which ends with it at the latest. */
  connect(): Socket {
    const client = connect({ host: '127.0.0.1', port: this.port, allowHalfOpen: true });
    this.#clients.push(client);
    return client;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connections.destroyAll();
    await this.#listener.drain();
    await this.#ways.close();
    for (const client of this.#clients) client.destroy();
  }
}
