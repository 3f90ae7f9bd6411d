import type { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { LiveList } from '../stats/live-list.js';
import { contain } from '#socks5-protocol';
import type { ActiveConnection } from '../activity/active-connection.js';
import type { ProxyServices } from '../activity/proxy-services.js';
import { isOpenToAll, OPEN_TO_ALL, requiresTls } from '../config/listener-setting.js';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import { PlainSource, type ByteSource } from '../relay/byte-source.js';
import { Networks } from '../routing/rules/addresses.js';
import { ownAuthorities, UNIX_CLIENT } from '../routing/rules/own-addresses.js';
import type { PacScript } from '../routing/rules/pac-script.js';
import type { PasswordChecks } from '../users/password-checks.js';
import { Users } from '../users/users.js';
import type { ActivatedSockets } from './activated-sockets.js';
import { isAdmitted } from './admission.js';
import type { AcceptedClient, ClientConnection, ClientHost } from './client-connection.js';
import { clientFactory } from './client-modes.js';
import { type Accept, Endpoint } from './endpoint.js';
import { ListenError } from './listen-error.js';
import { OwnPages, pacPage, type Monitoring, type PacPage, type PacAddress } from './own-pages.js';
import { TlsClients, UndecidedConnection } from './tls-clients.js';
import { UnixSocket } from './unix-socket.js';

/** The parts of the proxy that all listeners share. */
export interface ListenerParts {
  readonly services: ProxyServices;
  readonly monitoring: Monitoring;
  /** Returns the current content of /proxy.pac. */
  readonly pac: () => PacScript;
  readonly forwarder: Forwarder;
  /** Creates a source over an accepted socket. */
  readonly adopt: (socket: Socket) => ByteSource;
  readonly passwordChecks: PasswordChecks;
  readonly activated: ActivatedSockets;
}

/** Creates the connection of an accepted client, which the caller starts. */
type CreateClient = (socket: Socket, accepted: Omit<AcceptedClient, 'source'>) => ClientConnection;

/** Connections over the limit that may still request /stats; beyond that they are refused without being read. */
const SPARE_CONNECTIONS = 64;

/** The time for a client that has just connected to send its first request after the listener has stopped to accept. */
const NEW_CLIENT_MS = 1000;

/** A listener: accepts connections, creates clients for its mode, and enforces the limit and the timeouts of all of them. */
export class ProxyListener implements ClientHost {
  readonly services: ProxyServices;
  readonly forwarder: Forwarder;
  pages: OwnPages;
  isDraining = false;
  readonly #parts: ListenerParts;
  users: Users | undefined;
  clients: Networks | undefined;
  name = '';
  #listener: ListenerConfig;
  /** Undefined until {@link use}. */
  #createClient: CreateClient | undefined;
  #tls: TlsClients | undefined;
  /** Several only if systemd has passed several sockets of one name. */
  #endpoints: readonly Endpoint[] = [];
  readonly #open = new LiveList<ClientConnection>();
  readonly #waiting: (() => void)[] = [];
  #own: ReadonlySet<string> = new Set();
  /** Connections that were accepted before {@link use}. */
  readonly #early: (readonly [Socket, Endpoint])[] = [];

  constructor(parts: ListenerParts, listener: ListenerConfig) {
    this.#parts = parts;
    this.services = parts.services;
    this.forwarder = parts.forwarder;
    this.#listener = listener;
    this.pages = this.#makePages(listener);
  }

  /** The number of open connections, counted in the statistics or not. */
  get open(): number {
    return this.#open.size;
  }

  /** Yields the current requests and tunnels. */
  *ongoing(): Generator<ActiveConnection> {
    for (const { ongoing } of this.#open) if (ongoing !== undefined) yield ongoing;
  }

  /** The sockets that it listens on. */
  get endpoints(): readonly Endpoint[] {
    return this.#endpoints;
  }

  /** Whether a configuration has the same address. */
  isFor(config: ListenerConfig): boolean {
    return isDeepStrictEqual(addressOf(config), addressOf(this.#listener));
  }

  /**
   * Starts to listen. Accepted connections wait until {@link use}.
   *
   * @throws {@link ListenError}
   */
  async listen(): Promise<void> {
    this.#endpoints = await this.#openEndpoints(this.#listener);
    this.name = this.#endpoints.map(({ name }) => name).join(', ');
  }

  /**
   * Checks whether the sockets that systemd has passed may be used by a configuration. The addresses of others are checked when
   * the configuration is read.
   *
   * @throws {@link ListenError}
   */
  check({ setBy = 'the configuration', ...config }: ListenerConfig): void {
    const { systemd } = config;
    if (systemd === undefined || config.open === true) return;
    const isOpen = this.#endpoints.some(({ bound }) => bound && isOpenToAll({ ...config, host: bound.address }));
    if (isOpen) throw new ListenError({ systemd }, setBy, { code: 'EACCES' }, OPEN_TO_ALL);
  }

  /**
   * Serves the clients that have connected, and those that connect from now on, by a configuration with the same
   * address. Open connections keep their mode.
   */
  use(listener: ListenerConfig): void {
    this.#listener = listener;
    this.users = listener.users && new Users(listener.users, this.#parts.passwordChecks, this.users);
    this.clients = listener.clients && new Networks(listener.clients);
    this.#own = this.#ownAuthorities(listener);
    this.pages = this.#makePages(listener);
    if (!isDeepStrictEqual(this.#tls?.config, listener.tls)) this.#tls = listener.tls && new TlsClients(listener.tls);
    this.#createClient = this.#factoryOf(listener, this.#tls);
    for (const [socket, endpoint] of this.#early.splice(0)) this.#accept(socket, endpoint);
  }

  /** Stops accepting. Tunnels stay open; other connections close after their current request. */
  stopAccepting(): void {
    this.isDraining = true;
    for (const endpoint of this.#endpoints) endpoint.close();
    for (const [socket] of this.#early.splice(0)) socket.destroy();
    for (const client of this.#open) client.closeIfIdle(false);
    const timer = setTimeout(() => {
      for (const client of this.#open) client.closeIfIdle(true);
    }, NEW_CLIENT_MS).unref();
    void this.closedAll().then(() => {
      clearTimeout(timer);
    });
  }

  /** Stops accepting and waits for tunnels and requests until `timeouts.drain` (0 means no limit), then cuts the others. */
  async close(): Promise<void> {
    this.stopAccepting();
    const { drain } = this.services.config.timeouts;
    const timer = drain > 0 ? setTimeout(this.abort.bind(this), drain) : undefined;
    await this.closedAll();
    clearTimeout(timer);
  }

  /** Cuts every open connection. */
  abort(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /** Resolves when no connection is open. */
  async closedAll(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Called periodically with the time in milliseconds: enforces the timeouts. */
  sweep(now: number): void {
    for (const client of this.#open) {
      contain(client, () => {
        client.sweep(now);
      });
    }
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

  async #openEndpoints({
    host,
    port,
    socket,
    systemd,
    setBy = 'the configuration',
  }: ListenerConfig): Promise<readonly Endpoint[]> {
    const accept: Accept = (socket, endpoint) => {
      try {
        this.#accept(socket, endpoint);
      } catch (error) {
        socket.destroy();
        this.services.reporter.report(new ProxyFailure('internal', {}, error), { client: socket.remoteAddress });
      }
    };
    if (systemd !== undefined) return this.#parts.activated.open(systemd, setBy, accept);
    if (socket !== undefined) {
      const unix = new UnixSocket(accept);
      await unix.open(socket, setBy);
      return [unix];
    }
    const endpoint = new Endpoint(accept);
    await endpoint.listen({ host, port }).catch((error: unknown) => {
      throw new ListenError({ host, port }, setBy, error);
    });
    return [endpoint];
  }

  #factoryOf(listener: ListenerConfig, tls: TlsClients | undefined): CreateClient {
    const { adopt } = this.#parts;
    const create = clientFactory(listener);
    if (tls === undefined) return (socket, accepted) => create({ ...accepted, source: adopt(socket) });
    const choice = { tls, isRequired: requiresTls(listener), create, adopt };
    return (socket, accepted) => {
      return new UndecidedConnection({ ...accepted, source: new PlainSource(socket) }, socket, choice);
    };
  }

  #ownAuthorities(listener: ListenerConfig): ReadonlySet<string> {
    const addresses = this.#endpoints.map(({ bound }) => bound).filter((bound) => bound !== undefined);
    return new Set(addresses.flatMap((bound) => [...ownAuthorities(listener, bound)]));
  }

  #makePages(listener: ListenerConfig): OwnPages {
    const { allowedHosts, pac } = listener;
    const { monitoring, pac: script } = this.#parts;
    const makePac = (authority: string | undefined): PacPage => {
      return pacPage(script(), pacAddressOf(listener, this.#endpoints), authority);
    };
    const isOwn = (authority: string): boolean => this.#own.has(authority.toLowerCase());
    return new OwnPages({ monitoring, allowedHosts, pac: pac === true ? makePac : undefined, isOwn });
  }

  #accept(socket: Socket, endpoint: Endpoint): void {
    if (this.#createClient === undefined) {
      this.#early.push([socket, endpoint]);
      return;
    }
    const remoteAddress = endpoint.bound === undefined ? UNIX_CLIENT : socket.remoteAddress;
    if (!isAdmitted(remoteAddress, this.clients)) {
      // It gets no response, whose cost would be at the expense of others.
      this.services.reporter.report(new ProxyFailure('client_not_allowed'), { client: remoteAddress });
      socket.destroy();
      return;
    }
    const { connections } = this.services.config.limits;
    const isOverLimit = this.#open.size >= connections;
    const client = this.#createClient(socket, { remoteAddress, host: this, isOverLimit });
    this.#open.add(client);
    contain(client, () => {
      if (this.#open.size > connections + SPARE_CONNECTIONS) client.refuse(new ProxyFailure('connection_limit'));
      client.start();
    });
  }
}

/** Returns the settings of the address: a listener with the same ones stays open at a reload. */
function addressOf({ host, port, socket, systemd }: ListenerConfig): object {
  return { host, port, socket, systemd };
}

/** Returns the address that a PAC file names for a listener; undefined if it has only Unix sockets. */
export function pacAddressOf(listener: ListenerConfig, endpoints: readonly Endpoint[]): PacAddress | undefined {
  const bound = endpoints.map((endpoint) => endpoint.bound).find((each) => each !== undefined);
  return bound && { ...bound, requiresTls: requiresTls(listener) };
}
