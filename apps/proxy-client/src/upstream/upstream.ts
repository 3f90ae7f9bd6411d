import type { Target } from '../http/authority.js';
import type { ByteSource } from '../relay/byte-source.js';
import type { CancelToken } from './cancel-token.js';

export type { Target } from '../http/authority.js';

/**
 * A connection to a target through an upstream. Its bytes are metered (bytes_sent, bytes_received) from the end of the
 * handshake until its socket closes. It reads nothing until `start`.
 */
export interface UpstreamConnection extends ByteSource {
  /** Bytes that came behind the SOCKS reply: they belong to the target's stream, before everything `start` delivers. */
  readonly rest: Buffer;
}

export interface ConnectOptions {
  /** Ends the attempt when the client leaves; the promise is then rejected with {@link ConnectCancelled}. */
  readonly cancel?: CancelToken;
}

/** Is told how an attempt to connect has ended, in one call. */
export interface ConnectOutcome {
  /**
   * Called during the read that brought the upstream's reply: whoever starts the connection now reads on without a stop.
   */
  connected(connection: UpstreamConnection): void;
  /** With what {@link Upstream.connect} throws; maybe before {@link Upstream.begin} has returned. */
  failed(error: Error): void;
}

/** One way out: a SOCKS5 server with its learned state, credentials and metrics. */
export interface Upstream {
  /** Tells connections of different upstreams or users apart in a pool. */
  readonly key: string;
  /**
   * Connects to `target`.
   *
   * @throws {@link ProxyFailure} with the category of the failure, already final: it is not counted or logged here
   * @throws {@link ConnectCancelled} when `options.cancel` was cancelled
   */
  connect(target: Target, options?: ConnectOptions): Promise<UpstreamConnection>;
  /** The same for whoever is in a hurry: without a promise. */
  begin(target: Target, outcome: ConnectOutcome, options?: ConnectOptions): void;
  /** Ends what the upstream keeps open for itself (warm connections, an embedded server). */
  close(): Promise<void>;
}

/** Chooses the upstream of a request: constant now, the one place for failover and isolation later. */
export type SelectUpstream = (target: Target, client: { readonly remoteAddress?: string | undefined }) => Upstream;
