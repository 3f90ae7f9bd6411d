import { untrack } from 'svelte';
import { api, type LiveConnection, type LiveConnectionList } from './api.ts';

export type Sorting = 'age' | 'sent' | 'received' | 'target' | 'upstream' | 'user';

/** A connection as the table shows it. */
export interface Row extends LiveConnection {
  /** Bytes a second, both ways, since it was asked for before; null the first time. */
  readonly speed: number | null;
  /** It is still shown, because whoever looks points at the table. */
  readonly hasEnded: boolean;
}

const ASK_EVERY_MS = 2000;
/** The server sorts; so many of the first are shown. */
const SHOWN = 100;
const ASCENDING_FIRST: ReadonlySet<Sorting> = new Set(['target', 'upstream', 'user']);

/** The connections of the moment. The rows stand still while somebody points at them: what is pressed is what was meant. */
export class LiveList {
  sort: Sorting = $state('age');
  order: 'asc' | 'desc' = $state('desc');
  find = $state('');
  isHeld = $state(false);
  rows: readonly Row[] | undefined = $state.raw();
  total = $state(0);
  found = $state(0);
  fault: string | undefined = $state();
  readonly #isOn: () => boolean;
  readonly #onUnauthorized: () => void;
  #shownAt = 0;
  /** The question that is on its way. */
  #asking: AbortController | undefined;
  #wantsOthers = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param isOn - whether it is worth asking */
  constructor(isOn: () => boolean, onUnauthorized: () => void) {
    this.#isOn = isOn;
    this.#onUnauthorized = onUnauthorized;
  }

  start(): () => void {
    this.#timer = setInterval(() => {
      // An answer that takes longer than that is waited for: nothing would ever be shown.
      if (this.#isOn() && this.#asking === undefined) void this.ask();
    }, ASK_EVERY_MS);
    return () => {
      clearInterval(this.#timer);
      this.#asking?.abort();
    };
  }

  /** By another column, or the other way round. */
  sortBy(sort: Sorting): void {
    const first = ASCENDING_FIRST.has(sort) ? 'asc' : 'desc';
    this.order = this.sort === sort ? (this.order === 'asc' ? 'desc' : 'asc') : first;
    this.sort = sort;
    void this.ask(true);
  }

  /**
   * Asks, in place of what was asked before and has no answer yet.
   * @param isNew - other rows are wanted, whoever points at these
   */
  async ask(isNew = false): Promise<void> {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#wantsOthers ||= isNew;
    // An effect that asks is not to ask again because somebody types.
    const query = untrack(() => this.#query);
    try {
      const { data, response } = await api.GET('/connections', { params: { query }, signal: asking.signal });
      if (asking.signal.aborted) return;
      this.fault = response.ok ? undefined : `The connections cannot be shown (status ${response.status}).`;
      if (response.status === 401) this.#onUnauthorized();
      if (data !== undefined) this.#show(data);
    } catch {
      // The stream of events tells that the proxy does not answer.
    } finally {
      if (this.#asking === asking) this.#asking = undefined;
    }
  }

  /** @returns what kept it from being ended */
  async end(id: string): Promise<string | undefined> {
    try {
      const { response } = await api.DELETE('/connections/{id}', { params: { path: { id } } });
      // 404: it has ended by itself.
      if (!response.ok && response.status !== 404) return `It was not ended (status ${response.status}).`;
      this.rows = this.rows?.map((row) => (row.id === id ? { ...row, hasEnded: true } : row));
      return undefined;
    } catch {
      return 'It was not ended: the proxy does not answer.';
    }
  }

  get #query() {
    const { sort, order } = this;
    const find = this.find.trim();
    return { sort, order, limit: SHOWN, ...(find !== '' && { find }) };
  }

  #show({ total, found, connections }: LiveConnectionList): void {
    const seconds = (performance.now() - this.#shownAt) / 1000;
    this.#shownAt = performance.now();
    const before = new Map(this.rows?.map((row) => [row.id, row]));
    const rows = connections.map((connection): Row => {
      const known = before.get(connection.id);
      const moved = (each: LiveConnection): number => each.bytes_received + each.bytes_sent;
      const speed = known === undefined ? null : Math.max(0, moved(connection) - moved(known)) / seconds;
      return { ...connection, speed, hasEnded: known?.hasEnded ?? false };
    });
    [this.total, this.found] = [total, found];
    if (!this.isHeld || this.#wantsOthers || this.rows === undefined) {
      this.rows = rows.filter(({ hasEnded }) => !hasEnded);
      this.#wantsOthers = false;
    } else {
      const now = new Map(rows.map((row) => [row.id, row]));
      // Beyond those that were asked for there are others: of such a row nobody knows whether it has ended.
      const isAll = connections.length === found;
      this.rows = this.rows.map((row) => now.get(row.id) ?? { ...row, speed: null, hasEnded: row.hasEnded || isAll });
    }
  }
}
