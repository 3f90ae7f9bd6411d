// The types of the library. With config-types.ts they import nothing else, because the package contains them without the sources
// (src/package.mjs).
import type { FileReference, ProxyConfig, Upstream } from './config-types.js';

export type * from './config-types.js';

/** A value, or a file that contains it. */
export type OrFile<T> = T | FileReference;

/** A request or tunnel for which an upstream must be chosen. */
export interface UpstreamRequest {
  /** The authenticated user; undefined if the listener requires no authentication. */
  readonly user: string | undefined;
  /** The host of the target, as the client wrote it: a name or an address. */
  readonly host: string;
  readonly port: number;
}

/**
 * The upstream of a request: a URL (also as an object) or its parts, the name of one of `upstreams`, `direct` or `reject`; undefined for the upstream that
 * the rules have selected.
 */
export type UpstreamChoice = Upstream | URL | undefined;

/** A request or tunnel that has ended. The fields are those of the request log. */
export interface FinishedConnection {
  /** When it began (ISO 8601). */
  readonly time: string;
  /** The listener that accepted it: `host:port`. */
  readonly listener: string;
  /** The address of the client. */
  readonly client: string | undefined;
  readonly user: string | undefined;
  /** The method of a request; for a tunnel `CONNECT`, `SOCKS5` or `tunnel`. */
  readonly method: string | undefined;
  /** The URL of a request, without its query; `host:port` of a tunnel. */
  readonly target: string | undefined;
  /** The HTTP status, also for clients of other protocols. */
  readonly status: number;
  /** The SOCKS5 reply, if the client speaks SOCKS5. */
  readonly reply?: number | undefined;
  /** The category of the failure (docs/errors.md); undefined after a success. */
  readonly error?: string | undefined;
  /** Bytes to the target. */
  readonly sent: number;
  /** Bytes from the target. */
  readonly received: number;
  /** The duration in milliseconds. */
  readonly ms: number;
  /** The upstream; never with its credentials. */
  readonly upstream: string | undefined;
  /** The number of the rule that matched, from 1. */
  readonly rule?: number | undefined;
}

/** A question: may clients reach a target? */
export interface AskedQuestion {
  /** `host:port`; all spellings of an address are one target. */
  readonly target: string;
  /** The address of the client that asked first. */
  readonly client: string | undefined;
  /** Its user; undefined if the listener requires no authentication. */
  readonly user: string | undefined;
  /** The number of the rule that asks, from 1; undefined if no rule matches. */
  readonly rule: number | undefined;
}

/**
 * The answer: `yes` for an hour, `no`, or how long a yes applies (a duration from 1s to 24h, `once` for 60 s, or `day`) and to which host
 * (such as `*.example.com`). Undefined: the question stays open until it expires.
 */
export type AskAnswer =
  | 'yes'
  | 'no'
  | { readonly answer: 'yes' | 'no'; readonly for?: string; readonly host?: string }
  | undefined;

/** A logger such as pino's, or the console. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The functions that a proxy calls. */
export interface ProxyHooks {
  /**
   * Chooses the upstream of a request that the rules do not refuse. The request waits for the answer, and fails with status 500 if the
   * function throws.
   */
  readonly chooseUpstream?: ((request: UpstreamRequest) => UpstreamChoice | Promise<UpstreamChoice>) | undefined;
  /**
   * Answers whether a target is allowed, for requests that ask (`default: ask`, or a rule with `to: ask`). They wait up to
   * `gate.ask.timeout`, and one question is for all requests for the target. Without this function they are refused.
   */
  readonly onAsk?: ((question: AskedQuestion) => AskAnswer | Promise<AskAnswer>) | undefined;
  /** Called once for each request and tunnel, at its end. */
  readonly onEnd?: ((connection: FinishedConnection) => void) | undefined;
  /** Receives the log; silent by default. */
  readonly logger?: Logger | undefined;
}

/** The counters of a proxy, in the form of GET /stats. */
export interface ProxyStatistics {
  readonly start_time: string;
  readonly uptime: string;
  readonly total_connections: number;
  readonly active_connections: number;
  readonly successful_requests: number;
  readonly failed_requests: number;
  readonly bytes_sent: number;
  readonly bytes_received: number;
  readonly socks5_errors: Readonly<Record<string, number>>;
}

/** A proxy that listens. */
export interface RunningProxy extends AsyncDisposable {
  /** The URL of its first listener, such as `http://127.0.0.1:40123`. */
  readonly url: string;
  /** Returns its counters. */
  stats(): ProxyStatistics;
  /**
   * Applies another configuration, completely or not at all. Open connections continue under the previous one.
   *
   * @throws an error with the code `PROXY.CONFIG` or `PROXY.LISTEN`; nothing has changed then
   */
  reload(config: ProxyConfig): Promise<void>;
  /**
   * Closes the proxy. Its connections are reset, unless `drain` is set: then they may finish for up to `timeouts.drain`.
   */
  close(options?: { readonly drain?: boolean }): Promise<void>;
}
