import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import type { FailureReporter, ProxyLog } from '../../failure/failure-reporter.js';
import type { ProxyFailure } from '../../failure/proxy-failure.js';
import type { CancelToken } from '../../upstream/cancel-token.js';
import type { OriginConnection } from '../pool/origin-connection.js';
import type { Origins } from '../pool/origins.js';
import type { ResponseHead } from '../wire/response-head.js';
import type { Exchange, ExchangeHost } from './exchange.js';
import { StallWatch, type StallLimits } from './stall-watch.js';

/** What the client connections share. */
export interface PeerServices {
  readonly origins: Origins;
  readonly stats: ProxyStats;
  readonly reporter: FailureReporter;
  readonly limits: StallLimits;
  /** For a line on each request; absent when the level is above debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/** One client connection: the exchange it is at, and the connections to origins that are its own. */
export class ClientPeer implements ExchangeHost {
  /** The exchange that is under way. */
  exchange: Exchange | undefined;
  readonly #socket: Socket;
  readonly #services: PeerServices;
  readonly #watch = new StallWatch();
  #afterwards: (() => void) | undefined;
  #pinned: Map<string, OriginConnection> | undefined;

  constructor(socket: Socket, services: PeerServices) {
    this.#socket = socket;
    this.#services = services;
  }

  take({ request, way: { key } }: Exchange): OriginConnection | undefined {
    const own = this.#pinned?.get(key);
    if (own !== undefined) {
      this.#pinned?.delete(key);
      if (own.usable) return own;
    }
    const repeatable = request.idempotent && request.body === 'none';
    return this.#services.origins.pool.take(key, repeatable);
  }

  async dial({ request, way }: Exchange, cancel: CancelToken): Promise<OriginConnection> {
    return this.#services.origins.dial(way.upstream, request.target, way.key, cancel);
  }

  put(exchange: Exchange, connection: OriginConnection, head: ResponseHead): void {
    connection.pinned ||= exchange.pins;
    if (connection.pinned && this.#socket.destroyed) connection.destroy();
    else if (connection.pinned) this.#pin(connection);
    else this.#services.origins.pool.put(connection, head.keepAlive);
  }

  succeeded({ request, status }: Exchange): void {
    const { stats, debug } = this.#services;
    stats.requestSucceeded();
    debug?.({ method: request.method, target: request.route.place, status }, 'request relayed');
  }

  failed({ request }: Exchange, failure: ProxyFailure): void {
    this.#services.reporter.report(failure, {
      method: request.method,
      target: request.route.place,
      client: this.#socket.remoteAddress,
    });
  }

  ended(): void {
    this.exchange = undefined;
    if (this.#afterwards !== undefined) process.nextTick(this.#goOn);
  }

  /** Calls `action` when the exchange that is under way, and those that wait behind it, have ended. */
  afterwards(action: () => void): void {
    this.#afterwards = action;
  }

  /** Ends what stands still; `now` in milliseconds. */
  sweep(now: number): void {
    this.#watch.check(now, this.#socket, this.exchange, this.#services.limits);
  }

  /** The client's connection has closed. */
  closed(): void {
    this.exchange?.abort();
    for (const connection of this.#pinned?.values() ?? []) connection.destroy();
    this.#pinned = undefined;
  }

  readonly #goOn = (): void => {
    const action = this.#afterwards;
    if (this.exchange !== undefined || action === undefined) return;
    this.#afterwards = undefined;
    if (!this.#socket.destroyed) action();
  };

  /** NTLM and Negotiate authenticate a connection (RFC 4559, section 6): it serves this client only. */
  #pin(connection: OriginConnection): void {
    this.#pinned ??= new Map();
    this.#pinned.get(connection.key)?.destroy();
    this.#pinned.set(connection.key, connection);
  }
}
