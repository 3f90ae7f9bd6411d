import type { ActiveConnection } from '../activity/active-connection.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import type { Swept } from '../relay/sweeper.js';
import type { ActivatedSockets } from './activated-sockets.js';
import type { Endpoint } from './endpoint.js';
import type { ProxyListener } from './proxy-listener.js';

/** The listeners for a configuration in its order, existing and new ones, with their settings. */
export type PreparedListeners = ReadonlyMap<ProxyListener, ListenerConfig>;

/** The listeners of this program, and those that a reload has closed while they still have connections. */
export class Listeners implements Swept {
  readonly #create: (config: ListenerConfig) => ProxyListener;
  readonly #activated: ActivatedSockets;
  #current: readonly ProxyListener[] = [];
  readonly #retired = new Set<ProxyListener>();

  constructor(create: (config: ListenerConfig) => ProxyListener, activated: ActivatedSockets) {
    this.#create = create;
    this.#activated = activated;
  }

  /** The number of open client connections. */
  get open(): number {
    return this.#all.reduce((sum, { open }) => sum + open, 0);
  }

  /** Yields the current requests and tunnels. */
  *ongoing(): Generator<ActiveConnection> {
    for (const listener of this.#all) yield* listener.ongoing();
  }

  /** The sockets of each one, in the order of the configuration. */
  get endpoints(): readonly (readonly Endpoint[])[] {
    return this.#current.map(({ endpoints }) => endpoints);
  }

  /**
   * Opens the listeners that are not open yet. Connections that they accept wait until {@link use}.
   *
   * @throws {@link ListenError}; then none of them stays open
   */
  async prepare(configs: readonly ListenerConfig[]): Promise<PreparedListeners> {
    const prepared = new Map<ProxyListener, ListenerConfig>();
    try {
      for (const config of configs) {
        const known = this.#current.find((each) => each.isFor(config) && !prepared.has(each));
        const listener = known ?? this.#create(config);
        if (known === undefined) await listener.listen();
        prepared.set(listener, config);
        listener.check(config);
      }
    } catch (error) {
      this.discard(prepared);
      throw error;
    }
    return prepared;
  }

  /** Activates prepared listeners. The other ones stop accepting; their tunnels and requests continue. */
  use(prepared: PreparedListeners): void {
    for (const listener of this.#current) if (!prepared.has(listener)) this.#retire(listener);
    for (const [listener, config] of prepared) listener.use(config);
    this.#current = [...prepared.keys()];
  }

  /** Closes the listeners that were opened for a configuration that is not used. */
  discard(prepared: PreparedListeners): void {
    for (const listener of prepared.keys()) if (!this.#current.includes(listener)) listener.stopAccepting();
  }

  /** Stops accepting, and waits for tunnels and requests until `timeouts.drain`; then cuts the others. */
  async close(): Promise<void> {
    this.#activated.close();
    await Promise.all(this.#all.map((listener) => listener.close()));
  }

  /** Cuts every client connection. */
  abort(): void {
    for (const listener of this.#all) listener.abort();
  }

  sweep(now: number): void {
    for (const listener of this.#all) listener.sweep(now);
  }

  get #all(): readonly ProxyListener[] {
    return [...this.#current, ...this.#retired];
  }

  #retire(listener: ProxyListener): void {
    this.#retired.add(listener);
    listener.stopAccepting();
    void listener.closedAll().then(() => this.#retired.delete(listener));
  }
}
