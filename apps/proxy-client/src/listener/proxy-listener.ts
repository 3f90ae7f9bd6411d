import { createServer, type Server, type Socket } from 'node:net';
import { LiveList, type ProxyStats } from '#metrics';
import type { ListenerConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import type { FailureReporter } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { RequestHead } from '../http/request-head.js';
import { SectionMemory } from '../http/section.js';
import type { ClientSource } from '../relay/byte-source.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import type { ClientConnection, ClientLimits } from './client-connection.js';
import { HttpConnection, type HttpHost } from './http-connection.js';
import { listen } from './listen.js';
import { OwnAuthorities } from './own-authorities.js';
import { OwnPages, type Monitoring } from './own-pages.js';
import { ownPage } from './request-route.js';

export interface ProxyListenerOptions {
  readonly config: ProxyClientConfig;
  readonly listener: ListenerConfig;
  readonly stats: ProxyStats;
  readonly reporter: FailureReporter;
  readonly monitoring: Monitoring;
  readonly forwarder: Forwarder;
  readonly tunnels: Tunnels;
  /** Makes a source of a connection that was accepted. */
  readonly adopt: (socket: Socket) => ClientSource;
}

/** Connections beyond the limit that may still ask for /stats; above that they are refused unread. */
const SPARE_CONNECTIONS = 64;
/** What unfinished heads of more than a few KiB are held in, of all clients together. */
const HEAD_MEMORY = 64 * 1_048_576;

/**
 * The listener of HTTP mode: accepts connections, and serves the requests on them.
 *
 *     client ── GET /stats ──────────▶ own pages
 *     client ── GET http://… ────────▶ forward      client ── CONNECT ──▶ tunnel
 */
export class ProxyListener implements HttpHost {
  readonly headerBytes: number;
  readonly headMemory = new SectionMemory(HEAD_MEMORY);
  readonly limits: ClientLimits;
  readonly #options: ProxyListenerOptions;
  readonly #pages: OwnPages;
  readonly #server: Server;
  readonly #open = new LiveList<ClientConnection>();
  readonly #waiting: (() => void)[] = [];
  #own: OwnAuthorities | undefined;
  #draining = false;

  constructor(options: ProxyListenerOptions) {
    const { config, listener } = options;
    this.#options = options;
    this.headerBytes = config.limits.headerBytes;
    this.limits = config.timeouts;
    this.#pages = new OwnPages(options.monitoring, listener.allowedHosts);
    this.#server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
      this.#meet(options.adopt(socket));
    });
  }

  /** How many connections are open, counted in the statistics or not. */
  get open(): number {
    return this.#open.size;
  }

  get mayGoOn(): boolean {
    return !this.#draining;
  }

  /**
   * Starts to listen.
   *
   * @returns the address and port that it listens on
   * @throws {@link ListenError}
   */
  async listen(): Promise<{ readonly address: string; readonly port: number }> {
    const { listener } = this.#options;
    const bound = await listen(this.#server, listener, listener.setBy ?? 'the configuration');
    this.#own = new OwnAuthorities(listener, bound);
    return bound;
  }

  /**
   * Stops accepting and lets tunnels and requests finish until `timeouts.drain` (0: as long as they take), then cuts
   * what is left.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#server.close();
    for (const client of this.#open) client.drain();
    const { drain } = this.#options.config.timeouts;
    const timer = drain > 0 ? setTimeout(this.cut.bind(this), drain) : undefined;
    await this.closedAll();
    clearTimeout(timer);
  }

  /** Cuts every connection that is open. */
  cut(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /** Resolves when no connection is open. */
  async closedAll(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** To be called now and then, with the time in milliseconds: ends what stands still. */
  sweep(now: number): void {
    for (const client of this.#open) client.sweep(now);
  }

  /** @internal */
  serve(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    if (head.method === 'CONNECT') this.#connect(head, client);
    else {
      const page = ownPage(head, this.#isOwn);
      if (page === undefined) this.#forward(head, client, malformed);
      else if (malformed !== undefined) client.refuse(malformed);
      else this.#pages.answer(page.path, page.host, head, client);
    }
  }

  /** @internal */
  counted(): void {
    this.#options.stats.connectionOpened();
  }

  /** @internal */
  refused({ socket }: ClientConnection, failure: ProxyFailure): void {
    this.#options.reporter.report(failure, { client: socket.remoteAddress });
  }

  /** @internal */
  closed(client: ClientConnection): void {
    if (!this.#open.delete(client)) return;
    if (client.isCounted) this.#options.stats.connectionClosed();
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #meet(source: ClientSource): void {
    const { connections } = this.#options.config.limits;
    const client = new HttpConnection(source, this, this.#open.size >= connections);
    this.#open.add(client);
    if (this.#open.size > connections + SPARE_CONNECTIONS) client.refuse(new ProxyFailure('connection_limit'));
    client.start();
  }

  #connect(head: RequestHead, client: HttpConnection): void {
    if (this.#isOverLimit(client)) {
      client.refuse(new ProxyFailure('connection_limit'));
      return;
    }
    const tunnel = this.#options.tunnels.open(head, client);
    if (tunnel !== undefined) client.tunnel(tunnel);
  }

  #forward(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    if (this.#isOverLimit(client)) {
      client.refuse(new ProxyFailure('connection_limit'));
      return;
    }
    const exchange = this.#options.forwarder.open(head, client, malformed);
    if (exchange !== undefined) client.exchange(exchange);
  }

  /** Whether a connection that came over the limit is still over it. */
  #isOverLimit(client: ClientConnection): boolean {
    return client.cameOverLimit && this.#open.size > this.#options.config.limits.connections;
  }

  readonly #isOwn = (authority: string): boolean => this.#own?.has(authority) === true;
}
