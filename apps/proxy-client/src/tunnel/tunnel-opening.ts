import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import { ByteCount, NO_BYTES, type Ongoing } from '../activity/ongoing.js';
import type { RequestLog } from '../activity/request-log.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RelayEnd } from '../relay/relay.js';
import type { Relays } from '../relay/relays.js';
import type { Route } from '../routing/router.js';
import type { RouteClient, RouteQuery } from '../rules/rule.js';
import { CancelToken, ConnectCancelled, type ConnectOutcome, type Upstream } from '../upstream/upstream.js';

/** What a tunnel needs of the connection that the client asks for it on. */
export interface TunnelClient extends RouteClient {
  readonly socket: Socket;
  /** Where it came in: `host:port`. */
  readonly listener: string;
  /** How it asks for a tunnel, for the log. */
  readonly asks: string;
  /** The request was found in order and has a target. */
  proxied(): void;
  /** Answers with a failure, and ends the connection (RFC 9931). */
  fail(failure: ProxyFailure): void;
  /** Says that the tunnel stands, and leaves the connection to it: what has come behind the request is put back into its source. */
  opened(): ByteSource;
}

/** What opening a tunnel needs. */
export interface OpeningServices {
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly stats: ProxyStats;
  /** For a line on each tunnel; absent when the level is above debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/** What CONNECT is answered. */
const OPENED = 200;

/** A tunnel from its request until both sides are joined, or until it has failed. */
export class TunnelOpening implements ConnectOutcome, Ongoing {
  readonly client: TunnelClient;
  readonly startedAt = Date.now();
  through: string;
  bytes: Ongoing['bytes'] = NO_BYTES;
  readonly #services: OpeningServices;
  readonly #query: RouteQuery;
  readonly #route: Route;
  readonly #cancel = new CancelToken();
  /** The tunnel stands, or will not. */
  #isOver = false;

  constructor(services: OpeningServices, query: RouteQuery, route: Route, client: TunnelClient) {
    this.#services = services;
    this.#query = query;
    this.#route = route;
    this.client = client;
    this.through = route.name;
  }

  get method(): string {
    return this.client.asks;
  }

  get authority(): string {
    return formatAuthority(this.#query.target);
  }

  /** @internal what the request log shows */
  get asked(): string {
    return this.authority;
  }

  get rule(): number | undefined {
    return this.#route.rule;
  }

  /** Connects. */
  begin(): void {
    this.#route.upstream.begin(this.#query, this, this.#cancel);
  }

  /** The client has left: neither a success nor a failure. */
  abort(): void {
    this.#cancel.cancel();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#services.requestLog.ended(this, 'left');
  }

  /** @internal */
  connected(upstream: ByteSource, through: Upstream): void {
    const { socket } = this.client;
    if (this.#cancel.cancelled || socket.destroyed) {
      socket.destroy();
      upstream.socket.destroy();
      return;
    }
    this.#isOver = true;
    const { relays, requestLog, stats, debug } = this.#services;
    this.through = through.name;
    this.bytes = new ByteCount(upstream.socket, upstream.early);
    const client = this.client.opened();
    stats.requestSucceeded(this.client.user);
    const isTold = requestLog.isOn || debug !== undefined;
    relays.join(client, upstream, isTold ? this.#tellEnd(client, upstream) : undefined);
  }

  /** @internal */
  failed(error: Error): void {
    const { socket } = this.client;
    if (error instanceof ConnectCancelled || socket.destroyed) {
      socket.destroy();
      return;
    }
    this.#isOver = true;
    const failure = ProxyFailure.from(error);
    this.#services.requestLog.ended(this, { failure });
    this.#services.reporter.report(failure, {
      method: this.client.asks,
      target: this.authority,
      client: this.client.remoteAddress,
      user: this.client.user,
    });
    this.client.fail(failure);
  }

  #tellEnd(client: ByteSource, upstream: ByteSource): (end: RelayEnd) => void {
    const { debug, requestLog } = this.#services;
    const target = this.authority;
    const started = performance.now();
    debug?.({ target }, 'tunnel opened');
    return (end) => {
      requestLog.ended(this, { status: OPENED, relay: end });
      const sent = client.socket.bytesRead;
      const received = upstream.socket.bytesRead;
      debug?.({ target, end, sent, received, ms: Math.round(performance.now() - started) }, 'tunnel ended');
    };
  }
}
