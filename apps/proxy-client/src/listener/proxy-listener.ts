import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ListenerConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import type { FailureReporter } from '../failure/failure-reporter.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { sweepPeriod } from '../forward/sweep-period.js';
import type { ClientSource } from '../relay/byte-source.js';
import { takeHandles, type SocketHandle } from '../relay/socket-handle.js';
import type { ClientConnection, ClientConnections } from './client-connections.js';
import { clientErrorFailure } from './client-error.js';
import { GuardedClient, type ClientHost } from './guarded-client.js';
import { createHttpServer, interceptConnections, listen } from './http-server.js';
import type { OrdinaryConnect } from './ordinary-connect.js';
import type { OrdinaryRequest } from './ordinary-request.js';
import { OwnAuthorities } from './own-authorities.js';
import type { ConnectHandler, ForwardHandler } from './proxy-handlers.js';
import { Refusals } from './refusals.js';
import { ownPath, requestRoute } from './request-route.js';

/** Answers what is for the listener itself. `url` of the request is in origin-form. */
export interface OwnPages {
  /** /stats or /health, any method, any Host. */
  handleMonitoring(request: IncomingMessage, response: ServerResponse): void;
  /** Everything else that names this listener. */
  handleNotFound(request: IncomingMessage, response: ServerResponse): void;
}

export interface ProxyListenerOptions {
  readonly config: ProxyClientConfig;
  readonly listener: ListenerConfig;
  readonly connections: ClientConnections;
  readonly reporter: FailureReporter;
  readonly pages: OwnPages;
  readonly forward: ForwardHandler;
  readonly connect: ConnectHandler;
  /** Makes a source of a connection that was accepted. */
  readonly adopt: (socket: Socket) => ClientSource;
  /** The same of one that no socket was made for. */
  readonly accept?: (handle: SocketHandle) => ClientSource;
}

/** Connections beyond the limit that may still ask for /stats; above that they are refused unread. */
const SPARE_CONNECTIONS = 64;

/**
 * The listener of HTTP mode: one node:http server and the ways out of it, to the own pages, to forwarding, to tunnels.
 *
 *     client ── GET /stats ──────────▶ pages
 *     client ── GET http://… ────────▶ forward      client ── CONNECT ──▶ connect
 */
export class ProxyListener implements ClientHost {
  readonly headerBytes: number;
  readonly #options: ProxyListenerOptions;
  readonly #connections: ClientConnections;
  readonly #refusals: Refusals;
  readonly #server: Server;
  readonly #serve: ReturnType<typeof interceptConnections>;
  #isOwn: (authority: string) => boolean = () => false;
  #draining = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: ProxyListenerOptions) {
    this.#options = options;
    this.headerBytes = options.config.limits.headerBytes;
    this.#connections = options.connections;
    this.#refusals = new Refusals(options.reporter, options.forward);
    this.#server = createHttpServer(options.config, (request) => this.#shouldUpgrade(request));
    const onRequest = this.#onRequest.bind(this);
    // Also called when the server closes: node:http does not know of the requests that go past it.
    this.#server.closeIdleConnections = () => {
      this.#connections.destroyResting();
    };
    this.#serve = interceptConnections(this.#server, this.#onConnection.bind(this));
    this.#server.on('request', onRequest);
    this.#server.on('checkContinue', onRequest);
    this.#server.on('checkExpectation', onRequest);
    this.#server.on('upgrade', this.#onUpgrade.bind(this));
    this.#server.on('connect', this.#onConnect.bind(this));
    this.#server.on('clientError', this.#onClientError.bind(this));
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
    const { accept } = this.#options;
    if (accept !== undefined) {
      takeHandles(this.#server, (handle) => {
        this.#meet(accept(handle));
      });
    }
    const own = new OwnAuthorities(listener, bound);
    this.#isOwn = (authority) => own.has(authority);
    this.#watchIdle();
    return bound;
  }

  /**
   * Stops accepting and lets tunnels and requests finish until `timeouts.drain` (0: as long as they take), then cuts
   * what is left.
   */
  async drain(): Promise<void> {
    this.#draining = true;
    this.#server.close();
    for (const response of this.#connections.answers) this.#closeAfter(response);
    this.#connections.destroySilent();
    this.#server.closeIdleConnections();
    const { drain } = this.#options.config.timeouts;
    const timer =
      drain > 0
        ? setTimeout(() => {
            this.#connections.destroyAll();
          }, drain)
        : undefined;
    await this.#connections.closed();
    clearTimeout(timer);
    clearInterval(this.#idleTimer);
  }

  #watchIdle(): void {
    const { idle, read } = this.#options.config.timeouts;
    const period = sweepPeriod([idle, read]);
    let last = performance.now();
    this.#idleTimer = setInterval(() => {
      const now = performance.now();
      this.#connections.destroyIdle(now - last, idle);
      last = now;
    }, period).unref();
  }

  #onConnection(accepted: Socket): void {
    this.#meet(this.#options.adopt(accepted));
  }

  #meet(source: ClientSource): void {
    const { config } = this.#options;
    const connection = this.#connections.add(source);
    const guarded = new GuardedClient(connection, this);
    connection.client = guarded;
    if (this.#connections.open > config.limits.connections + SPARE_CONNECTIONS) this.#refusals.overLimit(connection);
    source.start(guarded);
  }

  get mayGoOn(): boolean {
    return !this.#draining;
  }

  takeRequest(request: OrdinaryRequest, client: GuardedClient): boolean {
    if (this.#draining || this.#connections.isOverLimit(client.connection)) return false;
    return !this.#isOwn(request.authority) && this.#options.forward.handleOrdinary(request, client);
  }

  takeConnect(request: OrdinaryConnect, connection: ClientConnection): boolean {
    if (this.#draining || this.#connections.isOverLimit(connection)) return false;
    connection.left = this.#options.connect.handleOrdinary(request, connection.source.socket);
    return connection.left;
  }

  serve(socket: Socket): (bytes: Buffer) => void {
    return this.#serve(socket);
  }

  refuse(connection: ClientConnection, failure: ProxyFailure): void {
    this.#refusals.malformed(connection, failure);
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket, headers } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.refused) return;
    connection.response = response;
    if (this.#draining) this.#closeAfter(response);
    const url = request.url ?? '';
    switch (requestRoute({ url, host: headers.host }, this.#isOwn)) {
      case 'proxy':
        this.#forward(connection, request, response);
        return;
      case 'monitoring':
        if (!url.startsWith('/')) toOriginForm(request, url);
        this.#options.pages.handleMonitoring(request, response);
        return;
      case 'not_found':
        this.#options.pages.handleNotFound(request, response);
    }
  }

  #forward(connection: ClientConnection, request: IncomingMessage, response: ServerResponse): void {
    if (this.#connections.isOverLimit(connection)) {
      this.#refusals.overLimitWith(connection, response);
      return;
    }
    this.#options.forward.handleRequest(request, response);
  }

  #onUpgrade(request: IncomingMessage, socket: Socket): void {
    if (this.#admit(socket)) this.#options.forward.handleUpgrade(request, socket);
  }

  #onConnect(request: IncomingMessage, socket: Socket): void {
    if (this.#admit(socket)) this.#options.connect.handleConnect(request, socket);
  }

  /** Lets a connection leave node:http, unless there are too many: then it is refused. */
  #admit(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.refused) return false;
    connection.left = true;
    if (this.#connections.isOverLimit(connection)) {
      this.#refusals.overLimit(connection);
      return false;
    }
    connection.response = undefined;
    return true;
  }

  /** Other protocols than WebSocket are not switched to: such a request is served as if it had no Upgrade (RFC 9110, 7.8). */
  #shouldUpgrade(request: IncomingMessage): boolean {
    const { method, url = '', headers } = request;
    if (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket') return false;
    return requestRoute({ url, host: headers.host }, this.#isOwn) === 'proxy';
  }

  #closeAfter(response: ServerResponse): void {
    response.shouldKeepAlive = false;
    response.once('close', () => {
      this.#server.closeIdleConnections();
    });
  }

  #onClientError(error: Error, socket: Socket): void {
    const connection = this.#connections.get(socket);
    const failure = clientErrorFailure(error);
    if (connection === undefined || failure === undefined) {
      socket.destroy();
      return;
    }
    this.#refusals.malformed(connection, failure);
  }
}

/** A request for this listener by its own authority, which wins over Host (RFC 9112, section 3.2.2). */
function toOriginForm(request: IncomingMessage, url: string): void {
  request.headers.host = /^http:\/\/([^/?#]*)/i.exec(url)?.[1];
  request.url = ownPath(url);
}
