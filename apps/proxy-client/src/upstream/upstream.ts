import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { ResponseHead } from '../http/response-reader.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
import type { RouteQuery } from '../routing/rules/rule.js';

/** A running attempt to connect. Both methods have no effect once its outcome was reported. */
export interface Attempt {
  /** Aborts the attempt, because the client has disconnected: no outcome is reported. */
  abort(): void;
  /** Fails the attempt as if its own timeout had expired. */
  expire(): void;
}

/** Receives the outcome of an attempt to connect, in one call, always after {@link Upstream.begin} has returned. */
export interface ConnectOutcome {
  /**
   * The connection to the target is open. Its bytes are metered (bytes_sent, bytes_received) from the end of the handshake
   * until its socket closes; bytes that followed the SOCKS reply are `early`. It reads at most one buffer until it is started. If it is
   * started during this call, which runs in the read that brought the reply, reading continues without a stop.
   *
   * @param upstream - the upstream that connected: the member, if a group was asked
   */
  connected(connection: ByteSource, upstream: Upstream): void;
  /**
   * The attempt failed. The failure has its final category; it is not counted or logged yet.
   *
   * @param upstream - the upstream that failed: the member, if a group was asked
   */
  failed(failure: ProxyFailure, upstream: Upstream): void;
  /** The server has accepted the authentication, so from now on the time is the target's. Called before the other two. */
  authenticated?(): void;
}

/** The use of a connection. */
export interface ConnectQuery extends RouteQuery {
  /** The connection is for plain http requests, which an HTTP proxy may forward: then it leads to that proxy only. */
  readonly mayForward?: boolean;
  /** The URL of a plain http request, for PAC scripts. */
  readonly url?: string | undefined;
  /** The target is the next server of a chain, so the bytes are counted by the upstream at its end. */
  readonly isHop?: true;
}

/** How plain http requests are written on connections to an HTTP proxy that forwards them: in absolute-form. */
export interface Forwarding {
  /** Returns header fields for the proxy, each with its line end: the credentials. Called once for each request. */
  fieldsFor(connection: ConnectionSocket): string;
  /** Whether the credentials are for a connection, so that a refusal on a used one is followed by another attempt on a new one. */
  readonly isPerConnection: boolean;
  /** Returns the failure if a response is the proxy's own refusal of the credentials, which the client must not see. */
  refusalOf(head: ResponseHead): ProxyFailure | undefined;
}

/**
 * A way out: a SOCKS5 server or HTTP proxy with its learned state and credentials, a group of upstreams, or direct
 * connections.
 *
 * Both methods receive the whole query, since the answer may depend on the client: users that are isolated from one another,
 * or what a client may reach directly. An upstream must not retain the query.
 */
export interface Upstream {
  /** The name in the configuration: for logs, metrics and pages. */
  readonly name: string;
  /** Whether it, or a previous hop, is known not to work. */
  readonly isDown: boolean;
  /** Present if it forwards plain http requests itself. */
  readonly forwarding?: Forwarding | undefined;
  /**
   * Returns a pool key. Requests may share connections only if their keys are equal.
   *
   * @param origin - the target as `host:port` in lower case
   */
  keyFor(query: ConnectQuery, origin: string): string;
  /** Starts to connect to the target of the query. */
  begin(query: ConnectQuery, outcome: ConnectOutcome): Attempt;
}
