import { contain } from '#socks5-protocol';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { joinedValues } from '../http/field-lines.js';
import type { ResponseHead } from '../http/response-reader.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
import type { Upstream } from '../upstream/upstream.js';
import { authenticatesConnection } from './forwarded-response.js';
import type { OriginConnection } from './origin-connection.js';

/** A connection that is idle for longer is not used for a request that could not be repeated if the origin just closed it. */
const FRESH_MS = 2000;
/** A connection is not used in the last part of the time that the origin announced, because the request takes time to arrive. */
const MARGIN_MS = 1000;

/** A client's connection, whose requests use connections of the pool. */
export interface PoolClient {
  readonly socket: ConnectionSocket;
  /** Connections to origins that this client has authenticated, by their keys: no other client may use them. */
  ownOrigins: Map<string, OriginConnection> | undefined;
}

/**
 * Idle connections to origins, by upstream, user and target. The newest is used first. Its clock advances with {@link sweep}.
 */
export class OriginPool {
  readonly #options: ProxyClientConfig['pool'];
  /** Whether an upstream is in use: a reload may have removed the one that a connection goes through. */
  readonly #isUsed: (upstream: Upstream) => boolean;
  readonly #byKey = new Map<string, OriginConnection[]>();
  /** All of them, the one that is idle for the longest time first. */
  readonly #idle = new Set<OriginConnection>();
  /** The idle connections of single clients. */
  readonly #owned = new Set<OriginConnection>();
  #now = performance.now();
  #isClosed = false;

  constructor(options: ProxyClientConfig['pool'], isUsed: (upstream: Upstream) => boolean) {
    this.#options = options;
    this.#isUsed = isUsed;
  }

  /**
   * Removes and returns an idle connection: one that the client has authenticated, or one of all clients.
   *
   * @param isRepeatable - see {@link take}
   */
  takeFor({ ownOrigins }: PoolClient, key: string, isRepeatable: boolean): OriginConnection | undefined {
    const own = ownOrigins?.get(key);
    ownOrigins?.delete(key);
    if (own !== undefined) this.#owned.delete(own);
    return own?.isUsable === true ? own : this.take(key, isRepeatable);
  }

  /**
   * Makes a connection available once its response was read to its end; closes it if it cannot serve another request.
   *
   * @param head - of the response
   * @param authenticates - whether the request has authenticated the connection
   */
  reuse(client: PoolClient, connection: OriginConnection, head: ResponseHead, authenticates: boolean): void {
    if (!head.reusable || connection.isSpoiled) {
      connection.close();
      return;
    }
    connection.free(() => {
      connection.isPinned ||= authenticates;
      this.putFor(client, connection, head.lines);
    });
  }

  /**
   * Makes a connection available to all requests, or only to those of this client if it has authenticated the connection, as
   * NTLM and Negotiate do (RFC 4559, section 6).
   *
   * @param lines - the header fields of the last response
   */
  putFor(client: PoolClient, connection: OriginConnection, lines: ResponseHead['lines']): void {
    connection.isPinned ||= authenticatesConnection(joinedValues(lines, 'www-authenticate'));
    if (!connection.isPinned) this.put(connection, joinedValues(lines, 'keep-alive'));
    else if (client.socket.destroyed || !this.#isUsed(connection.upstream)) connection.close();
    else {
      client.ownOrigins ??= new Map();
      client.ownOrigins.get(connection.key)?.close();
      client.ownOrigins.set(connection.key, connection);
      this.#owned.add(connection);
    }
  }

  /**
   * Removes and returns an idle connection of all clients.
   *
   * @param isRepeatable - whether the request can be sent again if the origin has just closed the connection
   */
  take(key: string, isRepeatable: boolean): OriginConnection | undefined {
    const list = this.#byKey.get(key);
    while (list !== undefined && list.length > 0) {
      const connection = list.at(-1);
      if (connection === undefined || (!isRepeatable && this.#now - connection.idleSince > FRESH_MS)) return undefined;
      list.pop();
      this.#idle.delete(connection);
      if (connection.isUsable && this.#now < connection.idleUntil) return connection;
      connection.close();
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
    const list = this.#byKey.get(connection.key) ?? [];
    if (this.#isClosed || !connection.isUsable || !this.#isUsed(connection.upstream)) {
      connection.close();
      return;
    }
    if (list.length >= perTarget) this.#drop(list[0]);
    else if (this.#idle.size >= total) this.#drop(this.#idle.values().next().value);
    connection.idleSince = this.#now;
    connection.idleUntil = this.#now + Math.min(idle, announcedTimeout(keepAlive));
    if (list.length === 0) this.#byKey.set(connection.key, list);
    list.push(connection);
    this.#idle.add(connection);
  }

  /** Removes a connection that has closed. */
  readonly remove = (connection: OriginConnection): void => {
    this.#owned.delete(connection);
    if (!this.#idle.delete(connection)) return;
    const list = this.#byKey.get(connection.key) ?? [];
    list.splice(list.indexOf(connection), 1);
    if (list.length === 0) this.#byKey.delete(connection.key);
  };

  /** Sets the clock, in milliseconds, and closes expired connections. */
  sweep(now: number): void {
    this.#now = now;
    for (const [key, list] of this.#byKey) if (list.length === 0) this.#byKey.delete(key);
    for (const connection of this.#idle) {
      contain(connection, () => {
        if (now >= connection.idleUntil) connection.close();
        else connection.trim();
      });
    }
  }

  /** Closes the idle connections whose upstream is no longer in use. */
  closeUnused(): void {
    for (const connection of [...this.#idle, ...this.#owned]) {
      if (!this.#isUsed(connection.upstream)) this.#drop(connection);
    }
  }

  /** Closes all idle connections, and those that become idle from now on. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle) connection.close();
  }

  #drop(connection: OriginConnection | undefined): void {
    if (connection === undefined) return;
    this.remove(connection);
    connection.close();
  }
}

function announcedTimeout(keepAlive: string): number {
  const seconds = keepAlive === '' ? null : /\btimeout=(\d{1,6})\b/i.exec(keepAlive);
  return seconds === null ? Infinity : Number(seconds[1]) * 1000 - MARGIN_MS;
}
