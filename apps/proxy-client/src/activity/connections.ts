import type { LiveConnection, LiveConnectionList } from '../admin/api/activity.responses.js';
import { abort } from '../relay/connection-socket.js';
import { NO_BYTES, type ActiveConnection, type ConnectedClient, type Cut } from './active-connection.js';
import { outcomeOf, type LoggedRequest, type RequestEnd } from './request-line.js';

/** The maximum number of finished connections that are listed. */
const MAX_FINISHED = 500;

/** A request or tunnel that has finished. It holds no socket. */
interface FinishedConnection extends Omit<ActiveConnection, 'client'> {
  readonly id: number;
  readonly client: Pick<ConnectedClient, 'user' | 'remoteAddress'>;
  readonly endedAt: number;
  readonly status: number;
  readonly error: string | null;
  /** The address of the operator who ended it. */
  readonly endedBy: string | undefined;
}

type ListedConnection = ActiveConnection | FinishedConnection;

/** The sort keys of connections, and how each is read. */
const KEYS = {
  age: (connection) => ('endedAt' in connection ? connection.endedAt : Date.now()) - connection.startedAt,
  ended: (connection) => ('endedAt' in connection ? connection.endedAt : 0),
  sent: ({ bytes }) => bytes.sent,
  received: ({ bytes }) => bytes.received,
  target: ({ authority }) => authority,
  upstream: ({ upstream }) => upstream,
  user: ({ client }) => client.user ?? '',
} as const satisfies Record<string, (connection: ListedConnection) => number | string>;

export type Sorting = keyof typeof KEYS;
export const SORTINGS = Object.keys(KEYS) as Sorting[];

/** The states to filter by: active is connecting or open; failed is finished with an error, unless an operator ended it. */
export const ACTIVE_STATES = ['active', 'connecting', 'open'] as const;
export const STATES = [...ACTIVE_STATES, 'finished', 'failed'] as const;

/** Selects connections. Absent fields match everything. */
export interface ConnectionFilter {
  readonly state: (typeof STATES)[number];
  /** Those whose target, upstream or user contains it, ignoring case. */
  readonly find?: string | undefined;
  /** The number of the rule; `none` for those that no rule matched. */
  readonly rule?: string | undefined;
  /** The name of the user; empty for those without a user. */
  readonly user?: string | undefined;
  readonly upstream?: string | undefined;
}

export interface ConnectionQuery extends ConnectionFilter {
  readonly sort: Sorting;
  readonly order: 'asc' | 'desc';
  /** The maximum number of results. */
  readonly limit: number;
}

/**
 * The active requests and tunnels, and the last finished ones. Starting one has no cost here: the listeners are queried on
 * demand, and a connection gets its id when it is first shown, or when it ends.
 */
export class Connections {
  readonly #active: () => Iterable<ActiveConnection>;
  readonly #ids = new WeakMap<ActiveConnection, number>();
  #lastId = 0;
  /** A ring: the next one replaces the oldest, at {@link #next}. */
  readonly #finished: FinishedConnection[] = [];
  #next = 0;

  /** @param active - returns the active ones */
  constructor(active: () => Iterable<ActiveConnection>) {
    this.#active = active;
  }

  /** Returns the matching connections in the form of GET /connections. Only those that are shown are read in full: an address is a system call. */
  list({ sort, order, limit, ...filter }: ConnectionQuery): LiveConnectionList {
    const now = Date.now();
    const isFinished = filter.state === 'finished' || filter.state === 'failed';
    const all: readonly ListedConnection[] = isFinished ? this.#finished : [...this.#active()];
    const found = all.filter(matching(filter));
    const keyed = found.map((connection) => ({ connection, key: KEYS[sort](connection) }));
    const sign = order === 'asc' ? 1 : -1;
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0));
    return {
      total: all.length,
      found: found.length,
      connections: keyed.slice(0, limit).map(({ connection }) => this.#present(connection, now)),
    };
  }

  /**
   * Ends a connection: both sides are reset, so that no peer takes a truncated transfer for a complete one.
   *
   * @param by - the address of the operator
   * @returns whether it existed
   */
  end(id: string, by: string): boolean {
    const hasId = (connection: ActiveConnection): boolean => this.#ids.get(connection)?.toString() === id;
    return this.endWhere(hasId, { reason: 'ended_by_operator', by }) > 0;
  }

  /** Ends the active connections that match. @param by - the address of the operator @returns their number */
  endAll(filter: ConnectionFilter, by: string): number {
    return this.endWhere(matching(filter), { reason: 'ended_by_operator', by });
  }

  /** Ends the active connections that meet a condition. @returns their number */
  endWhere(condition: (connection: ActiveConnection) => boolean, cut: Cut): number {
    const found = [...this.#active()].filter(condition);
    for (const { client } of found) {
      client.cut = cut;
      abort(client.socket);
    }
    return found.length;
  }

  /** Adds a connection that has ended to the finished ones. Only values are copied, since the objects hold sockets and buffers. */
  ended(connection: ActiveConnection & LoggedRequest, end: RequestEnd): void {
    const { method, authority, upstream, rule, client, startedAt, bytes } = connection;
    const { status, error = null, ended_by: endedBy } = outcomeOf(connection, end);
    this.#finished[this.#next] = {
      // Not remembered, since the connection is not shown as an active one any more.
      id: this.#ids.get(connection) ?? (this.#lastId += 1),
      method,
      authority,
      upstream,
      rule,
      client: { user: client.user, remoteAddress: client.remoteAddress },
      startedAt,
      endedAt: Date.now(),
      bytes: { sent: bytes.sent, received: bytes.received },
      status,
      error,
      endedBy,
    };
    this.#next = (this.#next + 1) % MAX_FINISHED;
  }

  #present(connection: ListedConnection, now: number): LiveConnection {
    const { method, authority, upstream, rule, client, startedAt, bytes } = connection;
    return {
      id: String('id' in connection ? connection.id : this.#idOf(connection)),
      state: stateOf(connection),
      method,
      target: authority,
      upstream,
      rule: rule ?? null,
      client: client.remoteAddress ?? null,
      user: client.user ?? null,
      started_at: new Date(startedAt).toISOString(),
      bytes_sent: bytes.sent,
      bytes_received: bytes.received,
      ...endOf(connection, now),
    };
  }

  #idOf(connection: ActiveConnection): number {
    const known = this.#ids.get(connection);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(connection, this.#lastId);
    return this.#lastId;
  }
}

function stateOf(connection: ListedConnection): LiveConnection['state'] {
  if ('endedAt' in connection) return 'finished';
  return connection.bytes === NO_BYTES ? 'connecting' : 'open';
}

function endOf(
  connection: ListedConnection,
  now: number,
): Pick<LiveConnection, 'ended_at' | 'ended_by' | 'age_ms' | 'status' | 'error'> {
  const { startedAt } = connection;
  if (!('endedAt' in connection)) {
    return { ended_at: null, ended_by: null, age_ms: Math.max(0, now - startedAt), status: null, error: null };
  }
  const { endedAt, endedBy, status, error } = connection;
  return {
    ended_at: new Date(endedAt).toISOString(),
    ended_by: endedBy ?? null,
    age_ms: Math.max(0, endedAt - startedAt),
    status,
    error,
  };
}

type Condition = (connection: ListedConnection) => boolean;

/** Returns a predicate for a filter. */
function matching({ state, find = '', rule, user, upstream }: ConnectionFilter): Condition {
  const conditions: Condition[] = [(each) => isIn(each, state)];
  if (rule !== undefined) conditions.push((each) => String(each.rule ?? 'none') === rule);
  if (user !== undefined) conditions.push(({ client }) => (client.user ?? '') === user);
  if (upstream !== undefined) conditions.push((connection) => connection.upstream === upstream);
  if (find !== '') conditions.push((each) => contains(each, find.toLowerCase()));
  return (each) => conditions.every((condition) => condition(each));
}

function isIn(connection: ListedConnection, state: ConnectionFilter['state']): boolean {
  if (state === 'failed') {
    return 'error' in connection && connection.error !== null && connection.endedBy === undefined;
  }
  return state === 'active' || stateOf(connection) === state;
}

function contains({ authority, upstream, client }: ListedConnection, text: string): boolean {
  return [authority, upstream, client.user ?? ''].some((each) => each.toLowerCase().includes(text));
}
