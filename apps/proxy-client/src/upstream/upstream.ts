import type { ByteSource } from '../relay/byte-source.js';
import type { RouteQuery } from '../rules/rule.js';

/** The reason of an attempt that its caller has cancelled: neither a success nor a failure. */
export class ConnectCancelled extends Error {
  constructor() {
    super('The connection attempt was cancelled.');
    this.name = 'ConnectCancelled';
  }
}

/** A running attempt, as a {@link CancelToken} uses it. */
export interface Cancellable {
  /** Aborts the attempt. */
  cancel(): void;
  /** Fails the attempt as if its own timeout had expired. */
  expire(): void;
}

/** The cancellation of one attempt, cheaper than an AbortController (every tunnel creates one). */
export class CancelToken {
  #isCancelled = false;
  #action: Cancellable | undefined;

  get cancelled(): boolean {
    return this.#isCancelled;
  }

  /** Sets the attempt that `cancel` aborts. It is aborted at once if the token is cancelled already. */
  onCancel(action: Cancellable | undefined): void {
    this.#action = action;
    if (this.#isCancelled) {
      action?.cancel();
    }
  }

  cancel(): void {
    if (!this.#isCancelled) {
      this.#isCancelled = true;
      this.#action?.cancel();
    }
  }

  /** Fails the attempt with a timeout, unless it is finished. */
  expire(): void {
    this.#action?.expire();
  }
}

/** Receives the outcome of an attempt to connect, in one call, always after {@link Upstream.begin} has returned. */
export interface ConnectOutcome {
  /**
   * The connection to the target is open. Its bytes are metered (bytes_sent, bytes_received) from the end of the handshake
   * until its socket closes; bytes that followed the SOCKS reply are `early`. It reads nothing until it is started. If it is
   * started during this call, which runs in the read that brought the reply, reading continues without a stop.
   *
   * @param through - the upstream that connected: the member, if a group was asked
   */
  connected(connection: ByteSource, through: Upstream): void;
  /**
   * The attempt failed with a {@link ProxyFailure} that has its final category (it is not counted or logged yet), or with
   * {@link ConnectCancelled}.
   */
  failed(error: Error): void;
  /** The server has accepted the authentication, so from now on the time is the target's. Called before the other two. */
  authenticated?(): void;
}

/**
 * A way out: a SOCKS5 server with its learned state and credentials, a group of upstreams, or direct connections.
 *
 * Both methods receive the whole query, since the answer may depend on the client: users that are isolated from one another,
 * or what a client may reach directly. An upstream must not retain the query.
 */
export interface Upstream {
  /** The name in the configuration: for logs, metrics and pages. */
  readonly name: string;
  /** Returns a pool key. Requests may share connections only if their keys are equal. */
  keyFor(query: RouteQuery): string;
  /** Starts to connect to the target of the query; `cancel` aborts the attempt when the client leaves. */
  begin(query: RouteQuery, outcome: ConnectOutcome, cancel?: CancelToken): void;
  /** Closes the connections that the upstream holds itself: warm ones, for example. */
  close(): Promise<void>;
}

/** Reports a failure after `begin` has returned. */
export function failLater(outcome: ConnectOutcome, error: Error): void {
  queueMicrotask(() => {
    outcome.failed(error);
  });
}
