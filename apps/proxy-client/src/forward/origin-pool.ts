import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import type { OriginConnection } from './origin-connection.js';

/** A connection that is idle for longer is not used for a request that could not be repeated if the origin just closed it. */
const FRESH_MS = 2000;
/** A connection is not used in the last part of the time that the origin announced, because the request takes time to arrive. */
const MARGIN_MS = 1000;

/**
 * Idle connections to origins, by upstream, user and target. The newest is used first. Its clock advances with {@link sweep}.
 */
export class OriginPool {
  readonly #options: ProxyClientConfig['pool'];
  readonly #idle = new Map<string, OriginConnection[]>();
  #size = 0;
  #now = performance.now();
  #isClosed = false;

  constructor(options: ProxyClientConfig['pool']) {
    this.#options = options;
  }

  /**
   * Removes and returns an idle connection.
   *
   * @param isRepeatable - whether the request can be sent again if the origin has just closed the connection
   */
  take(key: string, isRepeatable: boolean): OriginConnection | undefined {
    const list = this.#idle.get(key);
    while (list !== undefined && list.length > 0) {
      const connection = list.at(-1);
      if (connection === undefined || (!isRepeatable && this.#now - connection.idleSince > FRESH_MS)) return undefined;
      list.pop();
      this.#size -= 1;
      if (connection.isUsable && this.#now < connection.idleUntil) return connection;
      connection.destroy();
    }
    return undefined;
  }

  /**
   * Adds a connection. At the limit the one that is idle for the longest time is closed. (Not the newest: while the others
   * are too old for requests that cannot be repeated, each of those would open a connection and lose it again.)
   *
   * @param keepAlive - the origin's Keep-Alive, which may announce a timeout (RFC 2068, section 19.7.1.1)
   */
  put(connection: OriginConnection, keepAlive: string): void {
    const { idle, perTarget, total } = this.#options;
    const list = this.#idle.get(connection.key) ?? [];
    if (this.#isClosed || !connection.isUsable) {
      connection.destroy();
      return;
    }
    if (list.length >= perTarget) this.#drop(list[0]);
    else if (this.#size >= total) this.#dropOldest();
    connection.idleSince = this.#now;
    connection.idleUntil = this.#now + Math.min(idle, announcedTimeout(keepAlive));
    if (list.length === 0) this.#idle.set(connection.key, list);
    list.push(connection);
    this.#size += 1;
  }

  /** Removes a connection that has closed. */
  readonly remove = (connection: OriginConnection): void => {
    const list = this.#idle.get(connection.key);
    const index = list?.indexOf(connection) ?? -1;
    if (list === undefined || index === -1) return;
    list.splice(index, 1);
    this.#size -= 1;
    if (list.length === 0) this.#idle.delete(connection.key);
  };

  /** Sets the clock, in milliseconds, and closes expired connections. */
  sweep(now: number): void {
    this.#now = now;
    for (const [key, list] of this.#idle) if (list.length === 0) this.#idle.delete(key);
    for (const connection of this.#all()) {
      if (now >= connection.idleUntil) connection.destroy();
      else connection.trim();
    }
  }

  /** Closes all idle connections, and those that become idle from now on. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#all()) connection.destroy();
  }

  #all(): OriginConnection[] {
    return [...this.#idle.values()].flat();
  }

  #dropOldest(): void {
    let oldest: OriginConnection | undefined;
    for (const [connection] of this.#idle.values()) {
      if (connection !== undefined && (oldest === undefined || connection.idleSince < oldest.idleSince)) {
        oldest = connection;
      }
    }
    this.#drop(oldest);
  }

  #drop(connection: OriginConnection | undefined): void {
    if (connection === undefined) return;
    this.remove(connection);
    connection.destroy();
  }
}

function announcedTimeout(keepAlive: string): number {
  const seconds = keepAlive === '' ? null : /\btimeout=(\d{1,6})\b/i.exec(keepAlive);
  return seconds === null ? Infinity : Number(seconds[1]) * 1000 - MARGIN_MS;
}
