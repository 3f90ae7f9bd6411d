import type { ActiveConnection } from '../activity/active-connection.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import type { Swept } from '../relay/sweeper.js';
import type { OwnPlace } from '../rules/own-places.js';
import type { ProxyListener } from './proxy-listener.js';

/** The listeners for a configuration: existing ones with their new settings, and new ones. */
export interface PreparedListeners {
  readonly kept: ReadonlyMap<ProxyListener, ListenerConfig>;
  readonly opened: readonly ProxyListener[];
  /** All of them, in the order of the configuration. */
  readonly all: readonly ProxyListener[];
}

/** The listeners of this program, and those that a reload has closed while they still have connections. */
export class Listeners implements Swept {
  readonly #create: (config: ListenerConfig) => ProxyListener;
  #current: readonly ProxyListener[] = [];
  readonly #retired = new Set<ProxyListener>();

  constructor(create: (config: ListenerConfig) => ProxyListener) {
    this.#create = create;
  }

  /** The number of open client connections. */
  get open(): number {
    return this.#all.reduce((sum, { open }) => sum + open, 0);
  }

  /** Yields the current requests and tunnels. */
  *ongoing(): Generator<ActiveConnection> {
    for (const listener of this.#all) yield* listener.ongoing();
  }

  /** The places where they listen, in the order of the configuration. */
  get places(): readonly OwnPlace[] {
    return this.#current.map(({ place }) => place);
  }

  /**
   * Opens the listeners that are not open yet. Connections that they accept wait until {@link use}.
   *
   * @throws {@link ListenError}; then none of them stays open
   */
  async prepare(configs: readonly ListenerConfig[]): Promise<PreparedListeners> {
    const kept = new Map<ProxyListener, ListenerConfig>();
    const opened: ProxyListener[] = [];
    const all: ProxyListener[] = [];
    try {
      for (const config of configs) {
        const known = this.#current.find((each) => each.isFor(config) && !kept.has(each));
        const listener = known ?? this.#create(config);
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

  /** Activates prepared listeners. The other ones stop accepting; their tunnels and requests continue. */
  use({ kept, opened, all }: PreparedListeners): void {
    for (const listener of this.#current) if (!kept.has(listener)) this.#retire(listener);
    for (const [listener, config] of kept) listener.change(config);
    this.#current = all;
    for (const listener of opened) listener.begin();
  }

  /** Closes the listeners that were opened for a configuration that is not used. */
  abandon({ opened }: PreparedListeners): void {
    for (const listener of opened) listener.retire();
  }

  /** Stops accepting, and waits for tunnels and requests until `timeouts.drain`; then cuts the others. */
  async drain(): Promise<void> {
    await Promise.all(this.#all.map((listener) => listener.drain()));
  }

  /** Cuts every client connection. */
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
