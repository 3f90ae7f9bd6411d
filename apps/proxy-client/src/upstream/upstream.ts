import type { Target } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { RouteQuery } from '../rules/rule.js';

/** The attempt was cancelled by the one who wanted it: neither a success nor a failure. */
export class ConnectCancelled extends Error {
  constructor() {
    super('The connection attempt was cancelled.');
    this.name = 'ConnectCancelled';
  }
}

/** An attempt as a {@link CancelToken} knows it. */
export interface Cancellable {
  /** Nobody wants the connection any more. */
  cancel(): void;
  /** It has to be over now: it fails as if its own time had run out. */
  expire(): void;
}

/** One attempt's cancellation, cheaper than an AbortController (one is made for every tunnel). */
export class CancelToken {
  #cancelled = false;
  #action: Cancellable | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Names what `cancel` cancels; one thing at a time. It is cancelled at once on a token that is cancelled already. */
  onCancel(action: Cancellable | undefined): void {
    this.#action = action;
    if (this.#cancelled) {
      action?.cancel();
    }
  }

  cancel(): void {
    if (!this.#cancelled) {
      this.#cancelled = true;
      this.#action?.cancel();
    }
  }

  /** Ends the attempt with the failure that its time has run out, unless it is over. */
  expire(): void {
    this.#action?.expire();
  }
}

/** Is told how an attempt to connect has ended, in one call, which comes after {@link Upstream.begin} has returned. */
export interface ConnectOutcome {
  /**
   * There is a connection to the target. Its bytes are metered (bytes_sent, bytes_received) from the end of the handshake
   * until its socket closes; those that came behind the SOCKS reply are `early`. It reads nothing until it is started:
   * whoever does so during this call, which comes from the read that brought the reply, reads on without a stop.
   *
   * @param through - whose connection it is: the member, where a group was asked
   */
  connected(connection: ByteSource, through: Upstream): void;
  /**
   * There is none: a {@link ProxyFailure} with the category of the failure, already final (it is not counted or logged
   * here), or {@link ConnectCancelled}.
   */
  failed(error: Error): void;
  /** The server has greeted us and let us in, so that what takes time from now on is the target; before either of the others. */
  letIn?(): void;
}

/** One way out: a SOCKS5 server with its learned state and credentials, a group of them, or this machine itself. */
export interface Upstream {
  /** As the configuration names it: for logs, metrics and pages. */
  readonly name: string;
  /** Tells connections of different upstreams or users apart in a pool. */
  readonly key: string;
  /** Begins to connect to `target`; `cancel` ends the attempt when the client leaves. */
  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void;
  /**
   * The way out for this request, with a key of its own, where who asks makes a difference (users that are kept apart, what a
   * client may reach directly); absent where it is the same for all.
   */
  forRequest?(query: RouteQuery): Upstream;
  /** Ends what the upstream keeps open for itself (warm connections, an embedded server). */
  close(): Promise<void>;
}
