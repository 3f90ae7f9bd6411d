import type { Socket } from 'node:net';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { Ongoing } from '../activity/ongoing.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteClient } from '../rules/rule.js';
import type { OriginConnection } from './origin-connection.js';

/** What forwarding needs of a client's connection; it serves one request at a time. */
export interface ForwardClient extends RouteClient {
  readonly socket: Socket;
  /** Where it came in: `host:port`. */
  readonly listener: string;
  /** Whether the connection may carry another request behind the present one. */
  readonly mayGoOn: boolean;
  /** Whether all of the present request has come. */
  readonly requestComplete: boolean;
  /** Connections to origins that this client has authenticated, by their keys: they serve nobody else. */
  ownOrigins: Map<string, OriginConnection> | undefined;
  /** The request was found in order and has a target. */
  proxied(): void;
  /** Gives more of the body, after it was told to stop. */
  readOn(): void;
  /** Nothing more will happen in the exchange: the end of it follows. */
  exchangeOver(): void;
  /** All of an answer was written to the socket. */
  finish(keepAlive: boolean): void;
  /** Answers with a failure; nothing was written but interim answers. */
  fail(failure: ProxyFailure): void;
  /** Answers a request that ends at this proxy. */
  answer(status: number, fields: string, body: string): void;
  /**
   * The connection leaves HTTP: what has come behind the request is put back into its source.
   *
   * @param carries - what it carries from now on
   */
  leave(carries: Ongoing): ByteSource;
}
