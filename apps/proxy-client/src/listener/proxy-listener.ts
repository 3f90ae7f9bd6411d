import { createServer, type Server, type Socket } from 'node:net';
import { LiveList } from '#metrics';
import type { ActiveConnection } from '../activity/active-connection.js';
import type { ProxyServices } from '../activity/proxy-services.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import { formatAuthority } from '../http/authority.js';
import { SectionMemory } from '../http/section.js';
import { SOCKET_OPTIONS, type ByteSource } from '../relay/byte-source.js';
import { Networks } from '../rules/addresses.js';
import { ownAuthorities, type OwnPlace } from '../rules/own-places.js';
import type { PacScript } from '../rules/pac-script.js';
import { Users } from '../users/users.js';
import { isAdmitted, type ClientConnection, type ClientHost } from './client-connection.js';
import { clientFactory, type ClientFactory } from './client-modes.js';
import { listen } from './listen.js';
import { OwnPages, pacPage, type Monitoring, type PacPage } from './own-pages.js';

/** The parts of the proxy that all listeners share. */
export interface ListenerParts {
  readonly services: ProxyServices;
  readonly monitoring: Monitoring;
  /** Returns the current content of /proxy.pac. */
  readonly pac: () => PacScript;
  readonly forwarder: Forwarder;
  /** Creates a source over an accepted socket. */
  readonly adopt: (socket: Socket) => ByteSource;
}

/** The memory for incomplete heads of more than a few KiB, of all clients of a listener together. */
const HEAD_MEMORY = 64 * 1_048_576;
/** Connections over the limit that may still request /stats; beyond that they are refused without being read. */
const SPARE_CONNECTIONS = 64;

/** A listener: accepts connections, creates clients for its mode, and enforces the limit and the timeouts of all of them. */
export class ProxyListener implements ClientHost {
  readonly services: ProxyServices;
  readonly forwarder: Forwarder;
  readonly headMemory = new SectionMemory(HEAD_MEMORY);
  pages: OwnPages;
  isDraining = false;
  readonly #parts: ListenerParts;
  users: Users | undefined;
  clients: Networks | undefined;
  name = '';
  #listener: ListenerConfig;
  /** Undefined until {@link use}. */
  #createClient: ClientFactory | undefined;
  readonly #server: Server;
  readonly #open = new LiveList<ClientConnection>();
  readonly #waiting: (() => void)[] = [];
  #bound: OwnPlace = { address: '', port: 0 };
  #own: ReadonlySet<string> = new Set();
  /** Connections that were accepted before {@link use}. */
  readonly #early: Socket[] = [];

  constructor(parts: ListenerParts, listener: ListenerConfig) {
    this.#parts = parts;
    this.services = parts.services;
    this.forwarder = parts.forwarder;
    this.#listener = listener;
    this.pages = this.#makePages(listener);
    this.#server = createServer({ ...SOCKET_OPTIONS, pauseOnConnect: true }, (socket) => {
      this.#accept(socket);
    });
  }

  /** The number of open connections, counted in the statistics or not. */
  get open(): number {
    return this.#open.size;
  }

  /** Yields the current requests and tunnels. */
  *ongoing(): Generator<ActiveConnection> {
    for (const { ongoing } of this.#open) if (ongoing !== undefined) yield ongoing;
  }

  /** The mode, and the address and port that it is bound to. */
  get place(): OwnPlace & Pick<ListenerConfig, 'mode'> {
    const { address, port } = this.#bound;
    return { mode: this.#listener.mode, address, port };
  }

  /** Whether a configuration has the same address and port. */
  isFor({ host, port }: ListenerConfig): boolean {
    return host === this.#listener.host && port === this.#listener.port;
  }

  /**
   * Binds the port. Accepted connections wait until {@link use}.
   *
   * @throws {@link ListenError}
   */
  async listen(): Promise<void> {
    this.#bound = await listen(this.#server, this.#listener, this.#listener.setBy ?? 'the configuration');
    this.name = formatAuthority({ host: this.#bound.address, port: this.#bound.port });
    this.#own = ownAuthorities(this.#listener, this.#bound);
  }

  /**
   * Serves the clients that have connected, and those that connect from now on, by a configuration with the same address and
   * port. Open connections keep their mode.
   */
  use(listener: ListenerConfig): void {
    this.#listener = listener;
    this.users = listener.users && new Users(listener.users, this.users);
    this.clients = listener.clients && new Networks(listener.clients);
    this.#own = ownAuthorities(listener, this.#bound);
    this.pages = this.#makePages(listener);
    this.#createClient = clientFactory(listener);
    for (const socket of this.#early.splice(0)) this.#accept(socket);
  }

  /** Stops accepting. Tunnels stay open; other connections close after their current request. */
  retire(): void {
    this.isDraining = true;
    this.#server.close();
    for (const socket of this.#early.splice(0)) socket.destroy();
    for (const client of this.#open) client.drain();
  }

  /** Stops accepting and waits for tunnels and requests until `timeouts.drain` (0 means no limit), then cuts the others. */
  async drain(): Promise<void> {
    this.retire();
    const { drain } = this.services.config.timeouts;
    const timer = drain > 0 ? setTimeout(this.cut.bind(this), drain) : undefined;
    await this.closedAll();
    clearTimeout(timer);
  }

  /** Cuts every open connection. */
  cut(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /** Resolves when no connection is open. */
  async closedAll(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Called periodically with the time in milliseconds: enforces the timeouts. */
  sweep(now: number): void {
    for (const client of this.#open) client.sweep(now);
  }

  isTooMany(client: ClientConnection): boolean {
    return client.accepted.isOverLimit && this.#open.size > this.services.config.limits.connections;
  }

  replace(client: ClientConnection, other: ClientConnection): void {
    this.#open.delete(client);
    this.#open.add(other);
  }

  closed(client: ClientConnection): void {
    if (!this.#open.delete(client)) return;
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #makePages({ allowedHosts, pac }: ListenerConfig): OwnPages {
    const { monitoring, pac: script } = this.#parts;
    const makePac = (authority: string | undefined): PacPage => pacPage(script(), this.#bound, authority);
    const isOwn = (authority: string): boolean => this.#own.has(authority.toLowerCase());
    return new OwnPages({ monitoring, allowedHosts, pac: pac === true ? makePac : undefined, isOwn });
  }

  #accept(socket: Socket): void {
    if (this.#createClient === undefined) {
      this.#early.push(socket);
      return;
    }
    if (!isAdmitted(socket.remoteAddress, this.clients)) {
      // It gets no response, whose cost would be at the expense of others.
      this.services.reporter.report(new ProxyFailure('client_not_allowed'), { client: socket.remoteAddress });
      socket.destroy();
      return;
    }
    const source = this.#parts.adopt(socket);
    const { connections } = this.services.config.limits;
    const client = this.#createClient({ source, host: this, isOverLimit: this.#open.size >= connections });
    this.#open.add(client);
    if (this.#open.size > connections + SPARE_CONNECTIONS) client.refuse(new ProxyFailure('connection_limit'));
    client.start();
  }
}
