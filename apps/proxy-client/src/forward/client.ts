import type { Socket } from 'node:net';
import type { ActiveConnection } from '../activity/active-connection.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteClient } from '../rules/rule.js';
import type { OriginConnection } from './origin-connection.js';

/** A client's connection as forwarding uses it; it serves one request at a time. */
export interface ForwardClient extends RouteClient {
  readonly socket: Socket;
  /** The listener that accepted it: `host:port`. */
  readonly listener: string;
  /** Whether the connection may carry another request after the current one. */
  readonly canKeepAlive: boolean;
  /** Whether the whole request was received. */
  readonly isRequestComplete: boolean;
  /** Connections to origins that this client has authenticated, by their keys: no other client may use them. */
  ownOrigins: Map<string, OriginConnection> | undefined;
  /** Counts the connection in the statistics: its request is valid and has a target. */
  countProxied(): void;
  /** Resumes reading the body after it was stopped. */
  resumeReading(): void;
  /** The exchange has ended. */
  exchangeEnded(): void;
  /** The whole response was written to the socket. */
  responseSent(keepAlive: boolean): void;
  /** Sends a failure as the response; so far only interim responses were written. */
  fail(failure: ProxyFailure): void;
  /** Responds to a request that this proxy handles itself. */
  respond(status: number, fields: string, body: string): void;
  /**
   * Hands the connection over, since it stops speaking HTTP. Bytes behind the request are put back into its source.
   *
   * @param work - what it is used for from now on
   */
  handOver(work: ActiveConnection): ByteSource;
}
