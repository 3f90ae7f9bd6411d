import type { Target } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';

/** The attempt was cancelled by the one who wanted it: neither a success nor a failure. */
export class ConnectCancelled extends Error {
  constructor() {
    super('The connection attempt was cancelled.');
    this.name = 'ConnectCancelled';
  }
}

/** What a {@link CancelToken} cancels. */
export interface Cancellable {
  cancel(): void;
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
}

/** Is told how an attempt to connect has ended, in one call, which comes after {@link Upstream.begin} has returned. */
export interface ConnectOutcome {
  /**
   * There is a connection to the target. Its bytes are metered (bytes_sent, bytes_received) from the end of the handshake
   * until its socket closes; those that came behind the SOCKS reply are `early`. It reads nothing until it is started:
   * whoever does so during this call, which comes from the read that brought the reply, reads on without a stop.
   */
  connected(connection: ByteSource): void;
  /**
   * There is none: a {@link ProxyFailure} with the category of the failure, already final (it is not counted or logged
   * here), or {@link ConnectCancelled}.
   */
  failed(error: Error): void;
}

/** One way out: a SOCKS5 server with its learned state, credentials and metrics. */
export interface Upstream {
  /** Tells connections of different upstreams or users apart in a pool. */
  readonly key: string;
  /** Begins to connect to `target`; `cancel` ends the attempt when the client leaves. */
  begin(target: Target, outcome: ConnectOutcome, cancel?: CancelToken): void;
  /** Ends what the upstream keeps open for itself (warm connections, an embedded server). */
  close(): Promise<void>;
}

/** Chooses the upstream of a request: constant now, the one place for failover and isolation later. */
export type SelectUpstream = (target: Target, client: { readonly remoteAddress?: string | undefined }) => Upstream;
