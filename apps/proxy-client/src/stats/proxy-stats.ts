import { ByteMeter, type MeteredSocket, type SocketCounters } from './byte-meter.js';

/** The categories of the failing reply codes of RFC 1928, section 6, from 1. */
export const REPLY_KEYS = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
] as const;

/** The categories of upstream failures: those of the reply codes, then failures without a reply. */
export const SOCKS_ERROR_KEYS = [
  ...REPLY_KEYS,
  'auth_failed',
  'connection_failed',
  'timeout',
  'protocol_error',
] as const;

/** A category of {@link SOCKS_ERROR_KEYS}. */
export type SocksErrorKey = (typeof SOCKS_ERROR_KEYS)[number];

/** The values of {@link ProxyStats} at one moment. */
export interface ProxyStatsSnapshot {
  readonly startTime: Date;
  /** Milliseconds since the start, from a monotonic clock. */
  readonly uptime: number;
  readonly totalConnections: number;
  readonly activeConnections: number;
  readonly successfulRequests: number;
  readonly failedRequests: number;
  /** Requests rejected by a rule, which are neither successes nor failures. */
  readonly rejectedRequests: number;
  /** Bytes to the upstreams after their handshakes. */
  readonly bytesSent: number;
  /** Bytes from the upstreams after their handshakes. */
  readonly bytesReceived: number;
  /** Contains every category, also those at 0. */
  readonly socks5Errors: Readonly<Record<SocksErrorKey, number>>;
  /** Users that have sent requests, in the order of their first one. */
  readonly users: readonly UserSnapshot[];
}

/** The counters of one user. */
export interface UserSnapshot {
  readonly name: string;
  readonly successfulRequests: number;
  readonly failedRequests: number;
  /** Bytes that the user's clients sent to the proxy. */
  readonly bytesSent: number;
  /** Bytes that the proxy sent to them. */
  readonly bytesReceived: number;
}

/** The number of users counted by name. Names stay after a reload removed them, so the number must be bounded. */
const MAX_USERS = 1000;
const OTHERS = 'others';

class UserCounters {
  succeeded = 0;
  failed = 0;
  readonly bytes = new ByteMeter();
}

/** The proxy's counters. Each update is one synchronous step on one thread, so no concurrent update is lost. */
export class ProxyStats {
  readonly #bytes = new ByteMeter();
  readonly #socks5Errors = Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, 0])) as Record<SocksErrorKey, number>;
  readonly #users = new Map<string, UserCounters>();
  readonly #startTime = new Date();
  readonly #clock: () => number;
  readonly #started: number;
  #total = 0;
  #active = 0;
  #succeeded = 0;
  #failed = 0;
  #rejected = 0;

  /** @param clock - a monotonic clock in milliseconds */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#started = clock();
  }

  /** Counts a client connection at its first proxied request. */
  connectionOpened(): void {
    this.#total += 1;
    this.#active += 1;
  }

  /** Counts the end of a connection; call it once for each {@link connectionOpened}. */
  connectionClosed(): void {
    this.#active -= 1;
  }

  /** Counts a request whose answer was relayed completely, or a tunnel that was opened. */
  requestSucceeded(user?: string): void {
    this.#succeeded += 1;
    if (user !== undefined) this.#user(user).succeeded += 1;
  }

  /** Counts a request that the proxy answered with an error or whose answer it cut off. */
  requestFailed(user?: string): void {
    this.#failed += 1;
    if (user !== undefined) this.#user(user).failed += 1;
  }

  /** Counts the bytes of a client connection for a user until {@link MeteredSocket.end} is called. */
  trackUser(user: string, socket: SocketCounters): MeteredSocket {
    return this.#user(user).bytes.track(socket);
  }

  /** Counts a request that a rule rejected. */
  requestRejected(): void {
    this.#rejected += 1;
  }

  /** Counts a failure caused by an upstream. */
  socksError(key: SocksErrorKey): void {
    this.#socks5Errors[key] += 1;
  }

  /**
   * Counts the bytes of a connection to an upstream until {@link MeteredSocket.end} is called, which must happen while the
   * socket's counters can still be read.
   *
   * @param baseline - the connection's counters at the end of its handshake
   */
  trackUpstream(socket: SocketCounters, baseline: SocketCounters): MeteredSocket {
    return this.#bytes.track(socket, baseline);
  }

  /** The number of connections that are open. */
  get activeConnections(): number {
    return this.#active;
  }

  /** The number of connections that were opened so far plus the number of those that were closed. */
  get connectionChanges(): number {
    return 2 * this.#total - this.#active;
  }

  snapshot(): ProxyStatsSnapshot {
    const { sent, received } = this.#bytes.totals();
    return {
      startTime: this.#startTime,
      uptime: this.#clock() - this.#started,
      totalConnections: this.#total,
      activeConnections: this.#active,
      successfulRequests: this.#succeeded,
      failedRequests: this.#failed,
      rejectedRequests: this.#rejected,
      bytesSent: sent,
      bytesReceived: received,
      socks5Errors: { ...this.#socks5Errors },
      users: Array.from(this.#users, ([name, { succeeded, failed, bytes }]) => {
        const { sent: bytesReceived, received: bytesSent } = bytes.totals();
        return { name, successfulRequests: succeeded, failedRequests: failed, bytesSent, bytesReceived };
      }),
    };
  }

  #user(name: string): UserCounters {
    const known = this.#users.get(name) ?? (this.#users.size < MAX_USERS ? undefined : this.#users.get(OTHERS));
    if (known !== undefined) return known;
    const counters = new UserCounters();
    this.#users.set(this.#users.size < MAX_USERS ? name : OTHERS, counters);
    return counters;
  }
}

/**
 * Formats a duration as Go's `time.Duration` does, in whole seconds: `0s`, `59s`, `1m0s`, `2h30m15s`. Days are not split off
 * (`49h0m0s`).
 *
 * @param milliseconds - fractions of a second are cut off, negative values count as 0
 */
export function durationText(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const seconds = total % 60;
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/** Returns the percentage of requests that succeeded, with two decimals; 100 before the first request has ended. */
export function successRate(succeeded: number, failed: number): number {
  const ended = succeeded + failed;
  return ended === 0 ? 100 : Math.round((succeeded / ended) * 10_000) / 100;
}
