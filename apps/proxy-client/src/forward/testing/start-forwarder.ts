import { ProxyStats } from '#metrics';
import type { ProxyClientConfig } from '../../config/proxy-client-config.js';
import { answerFailure } from '../../failure/answer-failure.js';
import { FailureReporter } from '../../failure/failure-reporter.js';
import { ProxyFailure } from '../../failure/proxy-failure.js';
import type { Authorize } from '../../gate/authorize.js';
import { ClientConnections } from '../../listener/client-connections.js';
import { ProxyListener } from '../../listener/proxy-listener.js';
import { adoptSocket } from '../../relay/adopt-socket.js';
import { BufferPool } from '../../relay/buffer-pool.js';
import { Relays } from '../../tunnel/relays.js';
import { EmbeddedUpstream } from '../../upstream/embedded-upstream.js';
import { Forwarder } from '../forwarder.js';

export interface ForwarderSettings {
  readonly timeouts?: Partial<ProxyClientConfig['timeouts']>;
  readonly limits?: Partial<ProxyClientConfig['limits']>;
  readonly pool?: Partial<ProxyClientConfig['pool']>;
  readonly via?: boolean;
  readonly authorize?: Authorize;
}

/** A line of the log: its fields and message. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The listener and plain HTTP behind it, through the embedded SOCKS5 server, in this process. */
export class RunningForwarder implements AsyncDisposable {
  readonly stats = new ProxyStats();
  readonly log: LogLine[] = [];
  url = '';
  readonly #listener: ProxyListener;
  readonly #forwarder: Forwarder;
  readonly #upstream: EmbeddedUpstream;

  private constructor({ timeouts, limits, pool, via = false, authorize = () => 'allow' }: ForwarderSettings) {
    const config: ProxyClientConfig = {
      logLevel: 'debug',
      listeners: [{ mode: 'http', host: '127.0.0.1', port: 0, allowedHosts: [] }],
      upstreams: [{ kind: 'embedded' }],
      timeouts: {
        ...{ read: 30_000, write: 30_000, idle: 120_000, connect: 10_000, handshake: 30_000 },
        ...{ response: 0, tunnelIdle: 0, drain: 1000 },
        ...timeouts,
      },
      limits: { headerBytes: 1_048_576, connections: 10_000, ...limits },
      pool: { idle: 30_000, perTarget: 64, total: 1024, ...pool },
      via,
    };
    const buffers = new BufferPool();
    const connections = new ClientConnections(this.stats, config.limits.connections);
    const note = (fields: object, message: string) => this.log.push({ ...fields, message });
    const reporter = new FailureReporter(this.stats, { debug: note, info: note, warn: note, error: note });
    this.#upstream = new EmbeddedUpstream({
      stats: this.stats,
      pool: buffers,
      timeouts: config.timeouts,
      ownListeners: () => [],
    });
    this.#forwarder = new Forwarder({
      config,
      authorize,
      select: () => this.#upstream,
      relays: new Relays({
        limits: { write: config.timeouts.write, idle: 0 },
        sourceOf: (socket) => connections.get(socket)?.source,
      }),
      proxied: connections.proxied.bind(connections),
      reporter,
      stats: this.stats,
      debug: note,
    });
    this.#listener = new ProxyListener({
      config,
      listener: config.listeners[0]!,
      connections,
      reporter,
      adopt: (socket) => adoptSocket(buffers, socket),
      pages: {
        handleMonitoring: (_request, response) => response.end('monitoring'),
        handleNotFound: (_request, response) => response.writeHead(404).end(),
      },
      forward: this.#forwarder,
      connect: {
        handleConnect: (_request, socket) => {
          answerFailure(socket, new ProxyFailure('internal'));
        },
        handleOrdinary: () => false,
      },
    });
  }

  static async start(settings: ForwarderSettings = {}): Promise<RunningForwarder> {
    const running = new RunningForwarder(settings);
    const { port } = await running.#listener.listen();
    running.url = `http://127.0.0.1:${port}`;
    return running;
  }

  /** Requests that succeeded and failed so far. */
  get counted(): readonly [number, number] {
    const { successfulRequests, failedRequests } = this.stats.snapshot();
    return [successfulRequests, failedRequests];
  }

  /** Resolves when what had come in has been dealt with: further bytes on a connection that was open come later. */
  async idle(): Promise<void> {
    const { status } = await fetch(`${this.url}/stats`);
    if (status !== 200) throw new Error(`/stats answered ${status}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener.drain();
    this.#forwarder.close();
    await this.#upstream.close();
  }
}
