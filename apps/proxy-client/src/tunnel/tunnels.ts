import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';
import { ByteCount, NO_BYTES, type ActiveConnection } from '../activity/active-connection.js';
import type { RequestLog } from '../activity/request-log.js';
import type { FailureReporter, ProxyLog } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, parseTarget, type Target } from '../http/authority.js';
import { malformed } from '../http/format-error.js';
import type { RequestHead } from '../http/request-head.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RelayEnd, Relays } from '../relay/relay.js';
import type { Route, Router } from '../routing/router.js';
import type { RouteClient, RouteQuery } from '../rules/rule.js';
import { CancelToken, ConnectCancelled, type ConnectOutcome, type Upstream } from '../upstream/upstream.js';

/** A client's connection as a tunnel uses it. */
export interface TunnelClient extends RouteClient {
  readonly socket: Socket;
  /** The listener that accepted it: `host:port`. */
  readonly listener: string;
  /** How it asks for a tunnel, for logs: `CONNECT`, `SOCKS5` or `tunnel`. */
  readonly tunnelMethod: string;
  /** Counts the connection in the statistics: its request is valid and has a target. */
  countProxied(): void;
  /** Reports a failure and closes the connection (RFC 9931). */
  fail(failure: ProxyFailure): void;
  /** Reports that the tunnel is open, and hands the connection over: bytes behind the request are put back into its source. */
  acceptTunnel(): ByteSource;
}

export interface TunnelsOptions {
  readonly router: Router;
  readonly relays: Relays;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly stats: ProxyStats;
  /** Logs a line per tunnel; undefined unless the level is debug. */
  readonly debug?: ProxyLog['debug'] | undefined;
}

/** The status of a tunnel in the request log. */
const OPENED = 200;

/**
 * Opens tunnels through the upstream for clients of all protocols.
 *
 *     client ── CONNECT ──▶ router ──▶ upstream (SOCKS5) ──▶ target
 *     client ◀── 200, then bytes both ways; or the failure, and the connection closes (RFC 9931)
 */
export class Tunnels {
  readonly #options: TunnelsOptions;

  constructor(options: TunnelsOptions) {
    this.#options = options;
  }

  /**
   * Accepts a CONNECT.
   *
   * @returns the tunnel, which the caller begins; undefined if it was refused
   */
  connect(head: RequestHead, client: TunnelClient): TunnelOpening | undefined {
    return this.open(() => connectTarget(head), client);
  }

  /**
   * Accepts a request for a tunnel.
   *
   * @param readTarget - parses the target
   * @param via - the name of the upstream, if the listener specifies it
   * @returns the tunnel, which the caller begins; undefined if it was refused
   */
  open(readTarget: () => Target, client: TunnelClient, via?: string): TunnelOpening | undefined {
    let target: Target | undefined;
    try {
      target = readTarget();
      client.countProxied();
      const query = { target, client, listener: via === undefined ? undefined : { via } };
      return new TunnelOpening(this.#options, query, this.#options.router.route(query), client);
    } catch (error) {
      this.#refuse(client, target, ProxyFailure.from(error));
      return undefined;
    }
  }

  #refuse(client: TunnelClient, target: Target | undefined, failure: ProxyFailure): void {
    const { tunnelMethod: method, remoteAddress, user } = client;
    const authority = target && formatAuthority(target);
    this.#options.reporter.report(failure, { method, target: authority, client: remoteAddress, user });
    this.#options.requestLog.ended({ client, method, asked: authority }, { failure });
    client.fail(failure);
  }
}

/** Parses the target of a CONNECT, which is in authority-form and has no content (RFC 9110, section 9.3.6). */
function connectTarget({ target, contentLength }: RequestHead): Target {
  if (contentLength !== undefined && contentLength !== '0') throw malformed('CONNECT with content');
  return parseTarget(Buffer.from(target, 'latin1').toString());
}

/** A tunnel from its request until both sides are joined, or until it has failed. */
export class TunnelOpening implements ConnectOutcome, ActiveConnection {
  readonly client: TunnelClient;
  readonly startedAt = Date.now();
  readonly authority: string;
  through: string;
  bytes: ActiveConnection['bytes'] = NO_BYTES;
  readonly #options: TunnelsOptions;
  readonly #query: RouteQuery;
  readonly #route: Route;
  readonly #cancel = new CancelToken();
  #isFinished = false;

  constructor(options: TunnelsOptions, query: RouteQuery, route: Route, client: TunnelClient) {
    this.#options = options;
    this.#query = query;
    this.#route = route;
    this.client = client;
    this.authority = formatAuthority(query.target);
    this.through = route.name;
  }

  get method(): string {
    return this.client.tunnelMethod;
  }

  /** @internal shown in the request log */
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

  /** Ends the attempt because the client disconnected: neither a success nor a failure. */
  abort(): void {
    this.#cancel.cancel();
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#options.requestLog.ended(this, 'left');
  }

  /** @internal */
  connected(upstream: ByteSource, through: Upstream): void {
    const { socket } = this.client;
    if (this.#cancel.cancelled || socket.destroyed) {
      socket.destroy();
      upstream.socket.destroy();
      return;
    }
    this.#isFinished = true;
    const { relays, requestLog, stats, debug } = this.#options;
    this.through = through.name;
    this.bytes = new ByteCount(upstream.socket, upstream.early);
    const client = this.client.acceptTunnel();
    stats.requestSucceeded(this.client.user);
    const isLogged = requestLog.isOn || debug !== undefined;
    relays.join(client, upstream, isLogged ? this.#logEnd() : undefined);
  }

  /** @internal */
  failed(error: Error): void {
    const { socket } = this.client;
    if (error instanceof ConnectCancelled || socket.destroyed) {
      socket.destroy();
      return;
    }
    this.#isFinished = true;
    const failure = ProxyFailure.from(error);
    this.#options.requestLog.ended(this, { failure });
    this.#options.reporter.report(failure, {
      method: this.method,
      target: this.authority,
      client: this.client.remoteAddress,
      user: this.client.user,
    });
    this.client.fail(failure);
  }

  #logEnd(): (end: RelayEnd) => void {
    const { debug, requestLog } = this.#options;
    const target = this.authority;
    const started = performance.now();
    debug?.({ target }, 'tunnel opened');
    return (end) => {
      requestLog.ended(this, { status: OPENED, relay: end });
      const { sent, received } = this.bytes;
      debug?.({ target, end, sent, received, ms: Math.round(performance.now() - started) }, 'tunnel ended');
    };
  }
}
