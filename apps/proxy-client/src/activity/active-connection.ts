import type { DefectOwner } from '#socks5-protocol';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
import type { RouteClient } from '../routing/rules/rule.js';

/** Why the proxy itself cut a connection in progress. */
export interface Cut {
  readonly reason: 'ended_by_operator' | 'grant_ended';
  /** The address of the client of the admin pages that requested it; undefined if a time was over. */
  readonly by: string | undefined;
}

/** The connection of a client. */
export interface ConnectedClient extends RouteClient, DefectOwner {
  readonly socket: ConnectionSocket;
  /** The listener that accepted it: `host:port`. */
  readonly listener: string;
  /** Why the proxy cut it although neither side had ended; undefined otherwise. */
  cut?: Cut | undefined;
  /** Counts the connection in the statistics: its request is valid and has a target. */
  countProxied(): void;
  /** Sends a failure as the response, or closes the connection; so far no response but interim ones was written. */
  fail(failure: ProxyFailure): void;
}

/** An active request or tunnel. It is queried on demand, so that no list of active connections must be maintained. */
export interface ActiveConnection {
  /** The method of a request; for a tunnel CONNECT, SOCKS5 or `tunnel`. */
  readonly method: string;
  /** `host:port`. */
  readonly authority: string;
  /** The name of the upstream that carries it; until it is connected, the one that the rule selected. */
  readonly upstream: string;
  /** The number of the matching rule, from 1; undefined if none matches. */
  readonly rule: number | undefined;
  /** Whether no rule matches and a grant allows it. */
  readonly isGranted?: true | undefined;
  readonly client: ConnectedClient;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Bytes to and from the target. */
  readonly bytes: Pick<ByteCount, 'sent' | 'received'>;
}

/** The bytes of one request on a connection that may have carried others before. */
export class ByteCount {
  readonly #socket: ConnectionSocket;
  readonly #read: number;
  readonly #written: number;

  /** @param early - bytes that were read already and count too */
  constructor(socket: ConnectionSocket, early = 0) {
    this.#socket = socket;
    this.#read = socket.bytesRead - early;
    this.#written = socket.bytesWritten;
  }

  get sent(): number {
    return Math.max(0, this.#socket.bytesWritten - this.#written);
  }

  get received(): number {
    return Math.max(0, this.#socket.bytesRead - this.#read);
  }
}

/** The count of a request without a connection. */
export const NO_BYTES: Pick<ByteCount, 'sent' | 'received'> = { sent: 0, received: 0 };
