import type { LiveConnection, LiveConnectionList } from '../api/responses.js';
import { closeAbruptly } from '../relay/relay.js';
import type { ActiveConnection } from './active-connection.js';

/** The sort keys of connections, and how each is read. */
const KEYS = {
  age: ({ startedAt }) => -startedAt,
  sent: ({ bytes }) => bytes.sent,
  received: ({ bytes }) => bytes.received,
  target: ({ authority }) => authority,
  upstream: ({ through }) => through,
  user: ({ client }) => client.user ?? '',
} as const satisfies Record<string, (ongoing: ActiveConnection) => number | string>;

export type Sorting = keyof typeof KEYS;
export const SORTINGS = Object.keys(KEYS) as Sorting[];

export interface ConnectionQuery {
  readonly sort: Sorting;
  readonly order: 'asc' | 'desc';
  /** The maximum number of results. */
  readonly limit: number;
  /** Only those whose target, upstream or user contains it, ignoring case. */
  readonly find?: string | undefined;
}

/**
 * The active requests and tunnels. Starting and ending them has no cost here: the listeners are queried on demand, and a
 * connection gets its id when it is first shown.
 */
export class LiveConnections {
  readonly #all: () => Iterable<ActiveConnection>;
  readonly #ids = new WeakMap<ActiveConnection, string>();
  #lastId = 0;

  /** @param all - returns the active ones */
  constructor(all: () => Iterable<ActiveConnection>) {
    this.#all = all;
  }

  /** Returns the matching connections in the form of GET /connections. Only those that are shown are read in full: an address is a system call. */
  list({ sort, order, limit, find = '' }: ConnectionQuery): LiveConnectionList {
    const now = Date.now();
    const all = [...this.#all()];
    const found = find === '' ? all : all.filter((ongoing) => contains(ongoing, find.toLowerCase()));
    const keyed = found.map((ongoing) => ({ ongoing, key: KEYS[sort](ongoing) }));
    const sign = order === 'asc' ? 1 : -1;
    keyed.sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : 0));
    return {
      total: all.length,
      found: found.length,
      connections: keyed.slice(0, limit).map(({ ongoing }) => this.#snapshot(ongoing, now)),
    };
  }

  /**
   * Ends a connection: both sides are reset, so that no peer takes a truncated transfer for a complete one.
   *
   * @returns whether it existed
   */
  end(id: string): boolean {
    for (const ongoing of this.#all()) {
      if (this.#ids.get(ongoing) !== id) continue;
      closeAbruptly(ongoing.client.socket);
      return true;
    }
    return false;
  }

  #snapshot(ongoing: ActiveConnection, now: number): LiveConnection {
    const { method, authority, through, rule, client, startedAt, bytes } = ongoing;
    return {
      id: this.#idOf(ongoing),
      method,
      target: authority,
      upstream: through,
      rule: rule ?? null,
      client: client.remoteAddress ?? null,
      user: client.user ?? null,
      started_at: new Date(startedAt).toISOString(),
      age_ms: Math.max(0, now - startedAt),
      bytes_sent: bytes.sent,
      bytes_received: bytes.received,
    };
  }

  #idOf(ongoing: ActiveConnection): string {
    const known = this.#ids.get(ongoing);
    if (known !== undefined) return known;
    const id = String((this.#lastId += 1));
    this.#ids.set(ongoing, id);
    return id;
  }
}

function contains({ authority, through, client }: ActiveConnection, text: string): boolean {
  return [authority, through, client.user ?? ''].some((each) => each.toLowerCase().includes(text));
}
