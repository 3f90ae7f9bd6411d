import { untrack } from 'svelte';
import { api, type LiveConnection, type LiveConnectionList } from './api.ts';
import type { ProxyState } from './proxy-state.svelte.ts';
import { ViewParameter } from './view.svelte.ts';

const SORT_KEYS = ['age', 'ended', 'sent', 'received', 'target', 'upstream', 'user'] as const;
export type SortKey = (typeof SORT_KEYS)[number];
type Order = 'asc' | 'desc';
const STATES = ['active', 'finished', 'failed'] as const;
/** Connections in progress, the last finished ones, or those of them that failed. */
export type ListedState = (typeof STATES)[number];

/** A row of the table of connections. */
export interface Row extends LiveConnection {
  /** Bytes per second in both directions since the last request; null the first time. */
  readonly speed: number | null;
  /** Whether the connection has ended. Its row stays while the list is paused. */
  readonly hasEnded: boolean;
}

const POLL_INTERVAL_MS = 2000;
/** The number of rows at first. */
const FEW_ROWS = 20;
/** The number of rows that the proxy returns at most. */
export const MAX_ROWS = 1000;
const ASCENDING_FIRST: ReadonlySet<SortKey> = new Set(['target', 'upstream', 'user']);

/** The connections, polled. The rows do not move while the list is paused, so that a click hits the intended row. */
export class ConnectionList {
  readonly find = new ViewParameter<string>('find', '');
  /** The name of an upstream; empty for all. */
  readonly upstream = new ViewParameter<string>('upstream', '');
  /** The number of a rule, or `none`; empty for all. */
  readonly rule = new ViewParameter<string>('rule', '');
  /** The name of a user; empty for all. */
  readonly user = new ViewParameter<string>('user', '');
  readonly #state = new ViewParameter<ListedState>('state', 'active', STATES);
  /** Empty for the usual order of the state. */
  readonly #sort = new ViewParameter<SortKey | ''>('sort', '', SORT_KEYS);
  readonly #order = new ViewParameter<Order>('order', 'desc', ['asc', 'desc']);
  readonly #rows = new ViewParameter<'' | 'all'>('rows', '', ['all']);
  isPaused = $state(false);
  rows: readonly Row[] | undefined = $state.raw();
  total = $state(0);
  found = $state(0);
  error: string | undefined = $state();
  readonly #proxy: ProxyState;
  #loadedAt = 0;
  #request: AbortController | undefined;
  /** Whether the next response replaces the rows although the list is paused. */
  #replaceRows = false;
  #pollTimer: ReturnType<typeof setInterval> | undefined;

  constructor(proxy: ProxyState) {
    this.#proxy = proxy;
  }

  get state(): ListedState {
    return this.#state.value;
  }

  get sort(): SortKey {
    const { value } = this.#sort;
    if (value !== '') return value;
    return this.state === 'active' ? 'age' : 'ended';
  }

  get order(): Order {
    return this.#order.value;
  }

  /** Whether all rows are shown. */
  get isExpanded(): boolean {
    return this.#rows.value === 'all';
  }

  get isFiltered(): boolean {
    return Object.keys(this.#filter).length > 1;
  }

  /** Starts polling. @returns a function that stops it */
  start(): () => void {
    this.#pollTimer = setInterval(() => {
      // A response may take longer than the interval: a new request would abort it.
      if (this.#proxy.stream === 'live' && this.#request === undefined) void this.load();
    }, POLL_INTERVAL_MS);
    return () => {
      clearInterval(this.#pollTimer);
      this.#request?.abort();
    };
  }

  /** Lists connections in another state, in their usual order. */
  show(state: ListedState): void {
    this.#state.value = state;
    [this.#sort.value, this.#order.value] = ['', 'desc'];
    // The columns differ.
    this.rows = undefined;
    void this.load(true);
  }

  /** Sorts by a column; reverses the order if it is sorted by this column already. */
  sortBy(sort: SortKey): void {
    const first = ASCENDING_FIRST.has(sort) ? 'asc' : 'desc';
    this.#order.value = this.sort === sort ? (this.order === 'asc' ? 'desc' : 'asc') : first;
    this.#sort.value = sort;
    void this.load(true);
  }

  /** Shows all rows, or only the first. */
  toggle(): void {
    this.#rows.value = this.isExpanded ? '' : 'all';
    void this.load(true);
  }

  clearFilters(): void {
    for (const filter of [this.find, this.upstream, this.rule, this.user]) filter.value = '';
    void this.load(true);
  }

  /**
   * Loads the rows, and aborts a request in flight.
   * @param replaceRows - replaces the rows also while the list is paused
   */
  async load(replaceRows = false): Promise<void> {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    this.#replaceRows ||= replaceRows;
    // The query must not become a dependency of an effect that loads.
    const query = untrack(() => {
      const { sort, order, isExpanded } = this;
      return { ...this.#filter, sort, order, limit: isExpanded ? MAX_ROWS : FEW_ROWS };
    });
    try {
      const { data, response } = await api.GET('/connections', { params: { query }, signal: request.signal });
      if (request.signal.aborted) return;
      this.error = response.ok ? undefined : `The connections are unavailable (status ${response.status}).`;
      if (response.status === 401) void this.#proxy.requestToken(response);
      if (data !== undefined) this.#update(data);
    } catch {
      // The event stream detects that the proxy is unreachable.
    } finally {
      if (this.#request === request) this.#request = undefined;
    }
  }

  /** Ends a connection. @returns the error; undefined on success */
  async end(id: string): Promise<string | undefined> {
    try {
      const { response } = await api.DELETE('/connections/{id}', { params: { path: { id } } });
      // 404: the connection has already ended.
      if (!response.ok && response.status !== 404) return `The connection was not ended (status ${response.status}).`;
      this.rows = this.rows?.map((row) => (row.id === id ? { ...row, hasEnded: true } : row));
      return undefined;
    } catch {
      return 'The connection was not ended: the proxy is unreachable.';
    }
  }

  /** Ends all open connections that match the filters, also those that are not shown. @returns the number, or the error */
  async endAll(): Promise<number | string> {
    try {
      const { data, response } = await api.DELETE('/connections', {
        params: { query: { ...this.#filter, state: 'active' } },
      });
      if (data === undefined) return `The connections were not ended (status ${response.status}).`;
      void this.load(true);
      return data.ended;
    } catch {
      return 'The connections were not ended: the proxy is unreachable.';
    }
  }

  get #filter() {
    const [find, user] = [this.find.value.trim(), this.user.value.trim()];
    const [upstream, rule] = [this.upstream.value, this.rule.value];
    return {
      state: this.state,
      ...(find !== '' && { find }),
      ...(upstream !== '' && { upstream }),
      ...(rule !== '' && { rule }),
      ...(user !== '' && { user }),
    };
  }

  #update({ total, found, connections }: LiveConnectionList): void {
    const seconds = (performance.now() - this.#loadedAt) / 1000;
    this.#loadedAt = performance.now();
    const previous = new Map(this.rows?.map((row) => [row.id, row]));
    const rows = connections.map((connection): Row => {
      const before = previous.get(connection.id);
      const bytes = (each: LiveConnection): number => each.bytes_received + each.bytes_sent;
      const speed = before === undefined ? null : Math.max(0, bytes(connection) - bytes(before)) / seconds;
      return { ...connection, speed, hasEnded: before?.hasEnded ?? false };
    });
    [this.total, this.found] = [total, found];
    if (!this.isPaused || this.#replaceRows || this.rows === undefined) {
      this.rows = rows.filter(({ hasEnded }) => !hasEnded);
      this.#replaceRows = false;
    } else if (this.state === 'active') {
      const current = new Map(rows.map((row) => [row.id, row]));
      // A connection that is missing has ended only if the response lists all matches.
      const isComplete = connections.length === found;
      this.rows = this.rows.map(
        (row) => current.get(row.id) ?? { ...row, speed: null, hasEnded: row.hasEnded || isComplete },
      );
    }
  }
}
