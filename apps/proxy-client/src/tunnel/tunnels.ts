import { contain } from '#socks5-protocol';
import { ByteCount, NO_BYTES, type ActiveConnection, type ConnectedClient } from '../activity/active-connection.js';
import {
  recordDisconnection,
  recordEnd,
  recordFailedConnection,
  recordFailure,
  recordRefusal,
  type ProxyServices,
} from '../activity/proxy-services.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, parseTarget, type Target } from '../http/authority.js';
import { malformed } from '../http/field-lines.js';
import type { RequestHead } from '../http/request-head.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RelayEnd } from '../relay/relay.js';
import type { Route } from '../routing/router.js';
import type { RouteQuery } from '../routing/rules/rule.js';
import { settleRoute } from '../routing/settle-route.js';
import type { Attempt, ConnectOutcome, Upstream } from '../upstream/upstream.js';

/** A client's connection as a tunnel uses it. Its `fail` closes it too (RFC 9931). */
export interface TunnelClient extends ConnectedClient {
  /** How it requests a tunnel, for logs: `CONNECT`, `SOCKS5` or `tunnel`. */
  readonly tunnelMethod: string;
  /** Reports that the tunnel is open, and hands the connection over: bytes after the request are put back into its source. */
  acceptTunnel(): ByteSource;
}

/** The status of a tunnel in the request log. */
const OPENED = 200;

/**
 * Accepts a request for a tunnel, in the protocol of the client.
 *
 *     client ── CONNECT ──▶ router ──▶ upstream (SOCKS5) ──▶ target
 *     client ◀── 200, then bytes both ways; or the failure, and the connection closes (RFC 9931)
 *
 * @param decodeTarget - parses the target
 * @param via - the name of the upstream, if the listener specifies it
 * @returns the tunnel, which the caller begins; undefined if it was refused
 */
export function openTunnel(
  services: ProxyServices,
  client: TunnelClient,
  decodeTarget: () => Target,
  via?: string,
): TunnelOpening | undefined {
  let authority: string | undefined;
  try {
    const target = decodeTarget();
    authority = formatAuthority(target);
    client.countProxied();
    const query = { target, client, listener: via === undefined ? undefined : { via } };
    return new TunnelOpening(services, client, query, services.router.route(query));
  } catch (error) {
    const failure = ProxyFailure.from(error);
    recordFailure(services, { client, method: client.tunnelMethod, requestedTarget: authority }, failure, authority);
    client.fail(failure);
    return undefined;
  }
}

/** Parses the target of a CONNECT, which is in authority-form and has no content (RFC 9110, section 9.3.6). */
export function connectTarget({ target, contentLength }: RequestHead): Target {
  if (contentLength !== undefined && contentLength !== '0') throw malformed('CONNECT with content');
  return parseTarget(Buffer.from(target, 'latin1').toString());
}

/** A tunnel from its request until both sides are joined, or until it has failed. */
export class TunnelOpening implements ConnectOutcome, ActiveConnection {
  readonly client: TunnelClient;
  readonly startedAt = Date.now();
  readonly authority: string;
  upstream: string;
  bytes: ActiveConnection['bytes'] = NO_BYTES;
  readonly #services: ProxyServices;
  readonly #query: RouteQuery;
  #route: Route;
  /** Undefined once it has ended: a tunnel may be idle for days, and an attempt takes more than 2 KiB. */
  #attempt: Attempt | undefined;
  #isRefused = false;
  #isRouted = false;
  /** Whether it was joined or has failed. */
  isFinished = false;

  constructor(services: ProxyServices, client: TunnelClient, query: RouteQuery, route: Route) {
    this.#services = services;
    this.#query = query;
    this.#route = route;
    this.client = client;
    this.authority = formatAuthority(query.target);
    this.upstream = route.name;
  }

  get isGranted(): true | undefined {
    return this.#route.isGranted;
  }

  get rule(): number | undefined {
    return this.#route.rule;
  }

  get method(): string {
    return this.client.tunnelMethod;
  }

  get requestedTarget(): string {
    return this.authority;
  }

  /** Connects. */
  begin(): void {
    contain(this, () => {
      const waiting = settleRoute(this.#query, this.#route, this.#services.chooseRoute, this);
      if (waiting !== undefined) this.#attempt = waiting;
    });
  }

  routed(route: Route): void {
    if (this.isFinished) return;
    contain(this, () => {
      this.#route = route;
      this.#isRouted = true;
      this.upstream = route.name;
      this.#attempt = route.upstream.begin(this.#query, this);
    });
  }

  /** Ends the attempt because no upstream was chosen for it. */
  refused(failure: ProxyFailure): void {
    contain(this, () => {
      this.#isRefused = true;
      this.fail(failure);
    });
  }

  onDefect(error: unknown): void {
    this.client.onDefect(error);
  }

  /** Ends the attempt with a failure, unless it has ended. */
  fail(failure: ProxyFailure): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.#attempt?.abort();
    try {
      if (this.#isRefused) recordRefusal(this.#services, this, failure);
      else recordFailedConnection(this.#services, this, failure);
    } finally {
      // Also after a defect: the client must not wait for an answer.
      this.client.fail(failure);
    }
  }

  /** Ends the attempt because the client disconnected: neither a success nor a failure. */
  abort(): void {
    this.#attempt?.abort();
    if (this.isFinished) return;
    this.isFinished = true;
    recordDisconnection(this.#services, this, this.#isRouted);
  }

  connected(connection: ByteSource, upstream: Upstream): void {
    if (this.isFinished || this.client.socket.destroyed) {
      connection.socket.destroy();
      return;
    }
    try {
      this.#join(connection, upstream);
    } catch (error) {
      connection.socket.destroy();
      this.onDefect(error);
    }
  }

  failed(failure: ProxyFailure, upstream: Upstream): void {
    if (this.client.socket.destroyed) return;
    contain(this, () => {
      this.upstream = upstream.name;
      this.fail(failure);
    });
  }

  #join(connection: ByteSource, upstream: Upstream): void {
    const { relays, stats } = this.#services;
    this.upstream = upstream.name;
    this.bytes = new ByteCount(connection.socket, connection.early);
    const client = this.client.acceptTunnel();
    this.isFinished = true;
    this.#attempt = undefined;
    stats.requestSucceeded(this.client.user);
    relays.join(client, connection, this.#recordEnd());
  }

  #recordEnd(): (end: RelayEnd) => void {
    const { debug } = this.#services;
    const target = this.authority;
    const started = performance.now();
    debug?.({ target }, 'tunnel opened');
    return (end) => {
      recordEnd(this.#services, this, { status: OPENED, relay: end });
      const { sent, received } = this.bytes;
      debug?.({ target, end, sent, received, ms: Math.round(performance.now() - started) }, 'tunnel ended');
    };
  }
}
