import { ByteMeter, type MeteredSocket, type SocketCounters } from './byte-meter.js';

/**
 * The categories under which failures of the SOCKS5 upstream are counted: the eight reply codes of RFC 1928 section 6
 * in their order, then what goes wrong without a reply.
 */
export const SOCKS_ERROR_KEYS = [
  'general_failure',
  'not_allowed',
  'network_unreachable',
  'host_unreachable',
  'connection_refused',
  'ttl_expired',
  'command_not_supported',
  'address_not_supported',
  'auth_failed',
  'connection_failed',
  'timeout',
  'protocol_error',
] as const;

/** A category of {@link SOCKS_ERROR_KEYS}. */
export type SocksErrorKey = (typeof SOCKS_ERROR_KEYS)[number];

/** What a {@link ProxyStats} holds at one moment. */
export interface ProxyStatsSnapshot {
  readonly startTime: Date;
  /** Milliseconds since the start, from a clock that never jumps. */
  readonly uptime: number;
  readonly totalConnections: number;
  readonly activeConnections: number;
  readonly successfulRequests: number;
  readonly failedRequests: number;
  /** What the configuration lets nothing out for: neither a success nor a failure. */
  readonly rejectedRequests: number;
  /** Bytes to the upstreams after their handshakes. */
  readonly bytesSent: number;
  /** Bytes from the upstreams after their handshakes. */
  readonly bytesReceived: number;
  /** Every category is there, at 0 too. */
  readonly socks5Errors: Readonly<Record<SocksErrorKey, number>>;
  /** Of the users that listeners know, those who have come, in that order. */
  readonly users: readonly UserSnapshot[];
}

/** What one user did. */
export interface UserSnapshot {
  readonly name: string;
  readonly successfulRequests: number;
  readonly failedRequests: number;
  /** Bytes that the user's clients sent to the proxy. */
  readonly bytesSent: number;
  /** Bytes that they got. */
  readonly bytesReceived: number;
}

/** So many users are counted by name; configurations change, and a name that came once stays. */
const MAX_USERS = 1000;
const OTHERS = 'others';

class UserCounters {
  succeeded = 0;
  failed = 0;
  readonly bytes = new ByteMeter();
}

/**
 * The proxy's counters. Each update is one synchronous step on the event loop's thread, so concurrent connections
 * cannot lose one another's counts.
 */
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

  /** @param clock - milliseconds that only grow; the default is the process's monotonic clock */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#started = clock();
  }

  /** A client connection carries its first proxied request. */
  connectionOpened(): void {
    this.#total += 1;
    this.#active += 1;
  }

  /** A client connection that was opened here has closed: to be called once for each {@link connectionOpened}. */
  connectionClosed(): void {
    this.#active -= 1;
  }

  /** The origin's answer was relayed whole, or a tunnel was opened. */
  requestSucceeded(user?: string): void {
    this.#succeeded += 1;
    if (user !== undefined) this.#user(user).succeeded += 1;
  }

  /** The proxy had to answer itself, or cut an answer off. */
  requestFailed(user?: string): void {
    this.#failed += 1;
    if (user !== undefined) this.#user(user).failed += 1;
  }

  /** Counts the bytes of a client's connection as those of a user; its end is to be told. */
  trackUser(user: string, socket: SocketCounters): MeteredSocket {
    return this.#user(user).bytes.track(socket);
  }

  /** The configuration lets nothing out for a request. */
  requestRejected(): void {
    this.#rejected += 1;
  }

  /** The upstream was the cause of a failure. */
  socksError(key: SocksErrorKey): void {
    this.#socks5Errors[key] += 1;
  }

  /**
   * Counts the bytes of a connection to an upstream; its end is to be told when it closes, while its counters can still
   * be read.
   *
   * @param baseline - the connection's counters at the end of its handshake
   */
  trackUpstream(socket: SocketCounters, baseline: SocketCounters): MeteredSocket {
    return this.#bytes.track(socket, baseline);
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
