import type { OriginConnection } from './origin-connection.js';

export interface OriginPoolOptions {
  /** Milliseconds that an idle connection is kept. */
  readonly idle: number;
  /** Idle connections kept for one target. */
  readonly perTarget: number;
  /** Idle connections kept in all. */
  readonly total: number;
}

/** So long idle, a connection is still taken for a request that could not be repeated if it had just been closed. */
const FRESH_MS = 2000;
/** So much earlier than the origin announced we stop to use a connection: the request has a way to go. */
const MARGIN_MS = 1000;

/**
 * Connections to origins that wait for the next request to the same target through the same upstream as the same user.
 * The newest is taken first. Its clock goes in the steps of {@link sweep}.
 */
export class OriginPool {
  readonly #options: OriginPoolOptions;
  readonly #idle = new Map<string, OriginConnection[]>();
  #size = 0;
  #now = performance.now();
  #closed = false;

  constructor(options: OriginPoolOptions) {
    this.#options = options;
  }

  /**
   * Takes an idle connection.
   *
   * @param repeatable - whether the request can be sent again if the origin has just closed the connection
   */
  take(key: string, repeatable: boolean): OriginConnection | undefined {
    const list = this.#idle.get(key);
    while (list !== undefined && list.length > 0) {
      const connection = list.at(-1);
      if (connection === undefined || (!repeatable && this.#now - connection.idleSince > FRESH_MS)) return undefined;
      list.pop();
      this.#size -= 1;
      if (connection.usable && this.#now < connection.idleUntil) return connection;
      connection.destroy();
    }
    return undefined;
  }

  /**
   * Keeps a connection for later; when enough are kept, the one that has waited longest goes. (The newest must not: while
   * the others are too old for requests that cannot be repeated, each of those would open a connection and lose it again.)
   *
   * @param keepAlive - the origin's Keep-Alive, which may say for how long (RFC 2068, section 19.7.1.1)
   */
  put(connection: OriginConnection, keepAlive: string): void {
    const { idle, perTarget, total } = this.#options;
    const list = this.#idle.get(connection.key) ?? [];
    if (this.#closed || !connection.usable) {
      connection.destroy();
      return;
    }
    if (list.length >= perTarget) this.#drop(list[0]);
    else if (this.#size >= total) this.#dropOldest();
    connection.idleSince = this.#now;
    connection.idleUntil = this.#now + Math.min(idle, announced(keepAlive));
    if (list.length === 0) this.#idle.set(connection.key, list);
    list.push(connection);
    this.#size += 1;
  }

  /** Forgets a connection that has closed. */
  remove(connection: OriginConnection): void {
    const list = this.#idle.get(connection.key);
    const index = list?.indexOf(connection) ?? -1;
    if (list === undefined || index === -1) return;
    list.splice(index, 1);
    this.#size -= 1;
    if (list.length === 0) this.#idle.delete(connection.key);
  }

  /** Sets the clock, in milliseconds, and ends what was idle for too long. */
  sweep(now: number): void {
    this.#now = now;
    for (const [key, list] of this.#idle) if (list.length === 0) this.#idle.delete(key);
    for (const connection of this.#all()) {
      if (now >= connection.idleUntil) connection.destroy();
      else connection.trim();
    }
  }

  /** Ends all idle connections, and those that become idle from now on. */
  close(): void {
    this.#closed = true;
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

function announced(keepAlive: string): number {
  const seconds = keepAlive === '' ? null : /\btimeout=(\d{1,6})\b/i.exec(keepAlive);
  return seconds === null ? Infinity : Number(seconds[1]) * 1000 - MARGIN_MS;
}
