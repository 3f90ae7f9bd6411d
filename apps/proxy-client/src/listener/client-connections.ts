import type { Socket } from 'node:net';
import type { ProxyStats } from '#metrics';

interface Entry {
  /** Whether it was counted: it has carried a proxied request. */
  counted: boolean;
  readonly forget: () => void;
}

/**
 * The client connections that are open, whoever reads them at the moment: node:http, or a tunnel that took one over.
 * The proxy's statistics count one from its first proxied request until it closes.
 */
export class ClientConnections {
  readonly #open = new Map<Socket, Entry>();
  readonly #waiting: (() => void)[] = [];
  readonly #stats: ProxyStats;

  constructor(stats: ProxyStats) {
    this.#stats = stats;
  }

  /** How many are open, counted or not. */
  get open(): number {
    return this.#open.size;
  }

  /** A client has connected. */
  add(socket: Socket): void {
    this.#enter(socket, false);
  }

  /** The connection carries a proxied request; its first one counts it. */
  proxied(socket: Socket): void {
    const entry = this.#open.get(socket);
    if (entry === undefined || entry.counted) return;
    entry.counted = true;
    this.#stats.connectionOpened();
  }

  /**
   * The same connection goes on as another socket object (its handle was given to a new one). To be called before the
   * old object is destroyed.
   */
  transfer(from: Socket, to: Socket): void {
    const entry = this.#open.get(from);
    if (entry === undefined) return;
    from.off('close', entry.forget);
    this.#open.delete(from);
    this.#enter(to, entry.counted);
  }

  /** Resolves when none is open. */
  async closed(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Cuts every connection that is open. */
  destroyAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  #enter(socket: Socket, counted: boolean): void {
    const forget = (): void => {
      this.#leave(socket);
    };
    this.#open.set(socket, { counted, forget });
    socket.once('close', forget);
  }

  #leave(socket: Socket): void {
    const entry = this.#open.get(socket);
    if (entry === undefined) return;
    this.#open.delete(socket);
    if (entry.counted) this.#stats.connectionClosed();
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
