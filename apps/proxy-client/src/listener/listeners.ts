import type { Ongoing } from '../activity/ongoing.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import type { Swept } from '../relay/sweeper.js';
import type { OwnPlace } from '../rules/own-places.js';
import type { ProxyListener } from './proxy-listener.js';

/** Listeners for a configuration: those that go on, with what they are to be now, and those that were opened for it. */
export interface PreparedListeners {
  readonly kept: ReadonlyMap<ProxyListener, ListenerConfig>;
  readonly opened: readonly ProxyListener[];
  /** All of them, in the order of the configuration. */
  readonly all: readonly ProxyListener[];
}

/** The listeners of this program, and those that a reload has closed, whose connections live on. */
export class Listeners implements Swept {
  readonly #make: (config: ListenerConfig) => ProxyListener;
  #current: readonly ProxyListener[] = [];
  readonly #retired = new Set<ProxyListener>();

  constructor(make: (config: ListenerConfig) => ProxyListener) {
    this.#make = make;
  }

  /** How many connections of clients are open. */
  get open(): number {
    return this.#all.reduce((sum, { open }) => sum + open, 0);
  }

  /** What connections of clients are used for at the moment. */
  *ongoing(): Generator<Ongoing> {
    for (const listener of this.#all) yield* listener.ongoing();
  }

  /** Where they listen, in the order of the configuration. */
  get places(): readonly OwnPlace[] {
    return this.#current.map(({ place }) => place);
  }

  /**
   * Opens those that are not open yet; what they accept waits until they are used.
   *
   * @throws {@link ListenError}; none of them is left open then
   */
  async prepare(configs: readonly ListenerConfig[]): Promise<PreparedListeners> {
    const kept = new Map<ProxyListener, ListenerConfig>();
    const opened: ProxyListener[] = [];
    const all: ProxyListener[] = [];
    try {
      for (const config of configs) {
        const known = this.#current.find((each) => each.isFor(config) && !kept.has(each));
        const listener = known ?? this.#make(config);
        all.push(listener);
        if (known !== undefined) kept.set(known, config);
        else {
          await listener.listen();
          opened.push(listener);
        }
      }
    } catch (error) {
      this.abandon({ kept, opened, all });
      throw error;
    }
    return { kept, opened, all };
  }

  /** From now on these listen; the others accept nobody any more, and what they have begun goes on. */
  use({ kept, opened, all }: PreparedListeners): void {
    for (const listener of this.#current) if (!kept.has(listener)) this.#retire(listener);
    for (const [listener, config] of kept) listener.change(config);
    this.#current = all;
    for (const listener of opened) listener.begin();
  }

  /** Closes those that were opened in vain. */
  abandon({ opened }: PreparedListeners): void {
    for (const listener of opened) listener.retire();
  }

  /** Stops accepting, and lets tunnels and requests finish until `timeouts.drain`; then cuts what is left. */
  async drain(): Promise<void> {
    await Promise.all(this.#all.map((listener) => listener.drain()));
  }

  /** Cuts every connection of a client. */
  cut(): void {
    for (const listener of this.#all) listener.cut();
  }

  sweep(now: number): void {
    for (const listener of this.#all) listener.sweep(now);
  }

  get #all(): readonly ProxyListener[] {
    return [...this.#current, ...this.#retired];
  }

  #retire(listener: ProxyListener): void {
    this.#retired.add(listener);
    listener.retire();
    void listener.closedAll().then(() => this.#retired.delete(listener));
  }
}
