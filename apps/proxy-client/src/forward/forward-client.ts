import type { ActiveConnection, ConnectedClient } from '../activity/active-connection.js';
import type { ResponseFields } from '../http/own-response.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { PoolClient } from './origin-pool.js';

/** A client's connection as forwarding uses it; it serves one request at a time. */
export interface ForwardClient extends ConnectedClient, PoolClient {
  /** Whether the connection may carry another request after the current one. */
  readonly canKeepAlive: boolean;
  /** Whether the whole request was received. */
  readonly isRequestComplete: boolean;
  /** Resumes reading the body after it was stopped. */
  resumeReading(): void;
  /** The exchange has ended. */
  exchangeEnded(): void;
  /** The whole response was written to the socket. */
  responseSent(keepAlive: boolean): void;
  /** Responds to a request that this proxy handles itself. */
  respond(status: number, fields: ResponseFields, body: string): void;
  /**
   * Hands the connection over, since it is no longer HTTP. Bytes after the request are put back into its source.
   *
   * @param work - what it is used for from now on
   */
  handOver(work: ActiveConnection): ByteSource;
}
