import { createServer, type Server, type Socket } from 'node:net';
import { LiveList, type MeteredSocket, type ProxyStats } from '#metrics';
import type { Ongoing } from '../activity/ongoing.js';
import type { ListenerConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import type { RequestLog } from '../activity/request-log.js';
import type { FailureReporter } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { PacScript } from '../rules/pac-script.js';
import type { ClientSource } from '../relay/byte-source.js';
import type { UptakeWatch } from '../relay/uptake.js';
import { formatAuthority } from '../http/authority.js';
import { Networks } from '../rules/networks.js';
import { ownAuthorities, type OwnPlace } from '../rules/own-places.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import { Users } from '../users/users.js';
import { isFrom, type ClientConnection, type ClientHost, type ClientLimits, type Front } from './client-connection.js';
import { HttpFront } from './http-front.js';
import { listen } from './listen.js';
import { MixedFront } from './mixed-connection.js';
import { OwnPages, type Monitoring } from './own-pages.js';
import { pacPage } from './pac-page.js';
import { Socks5Front } from './socks5-connection.js';
import { TunnelFront } from './tunnel-connection.js';

export interface ProxyListenerOptions {
  /** As they are at the moment. */
  readonly config: Pick<ProxyClientConfig, 'timeouts' | 'limits'>;
  readonly listener: ListenerConfig;
  readonly stats: ProxyStats;
  readonly reporter: FailureReporter;
  readonly requestLog: RequestLog;
  readonly monitoring: Monitoring;
  /** What /proxy.pac says at the moment. */
  readonly pac: () => PacScript;
  readonly forwarder: Forwarder;
  readonly tunnels: Tunnels;
  /** Makes a source of a connection that was accepted. */
  readonly adopt: (socket: Socket) => ClientSource;
  readonly uptakes: UptakeWatch;
}

/** Connections beyond the limit that may still ask for /stats; above that they are refused unread. */
const SPARE_CONNECTIONS = 64;

/** One listener: accepts connections, of which its front makes what it speaks, and keeps the limits of all of them. */
export class ProxyListener implements ClientHost {
  readonly limits: ClientLimits;
  readonly uptakes: UptakeWatch;
  users: Users | undefined;
  clients: Networks | undefined;
  readonly #options: ProxyListenerOptions;
  #listener: ListenerConfig;
  #front: Front;
  readonly #server: Server;
  readonly #open = new LiveList<ClientConnection>();
  readonly #waiting: (() => void)[] = [];
  #bound: OwnPlace = { address: '', port: 0 };
  name = '';
  #own: ReadonlySet<string> = new Set();
  /** Connections that came before it was to serve any. */
  #early: Socket[] | undefined = [];
  #draining = false;

  constructor(options: ProxyListenerOptions) {
    this.#options = options;
    this.limits = options.config.timeouts;
    this.uptakes = options.uptakes;
    this.#listener = options.listener;
    this.users = usersOf(options.listener);
    this.clients = clientsOf(options.listener);
    this.#front = this.#makeFront(options.listener);
    this.#server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (socket) => {
      if (!this.#admits(socket)) socket.destroy();
      else if (this.#early === undefined) this.#meet(options.adopt(socket));
      else this.#early.push(socket);
    });
  }

  /** @internal */
  get notesRequests(): boolean {
    return this.#options.requestLog.isOn;
  }

  /** How many connections are open, counted in the statistics or not. */
  get open(): number {
    return this.#open.size;
  }

  /** What its connections are used for at the moment. */
  *ongoing(): Generator<Ongoing> {
    for (const { ongoing } of this.#open) if (ongoing !== undefined) yield ongoing;
  }

  /** What it speaks, and where it listens. */
  get place(): OwnPlace & Pick<ListenerConfig, 'mode'> {
    const { address, port } = this.#bound;
    return { mode: this.#listener.mode, address, port };
  }

  /** Whether it listens where this one is to listen. */
  isFor({ host, port }: ListenerConfig): boolean {
    return host === this.#listener.host && port === this.#listener.port;
  }

  /**
   * Starts to listen; what it accepts waits until it begins to serve.
   *
   * @throws {@link ListenError}
   */
  async listen(): Promise<void> {
    this.#bound = await listen(this.#server, this.#listener, this.#listener.setBy ?? 'the configuration');
    this.name = formatAuthority({ host: this.#bound.address, port: this.#bound.port });
    this.#own = ownAuthorities(this.#listener, this.#bound);
  }

  /** Serves whoever connects, and has connected. */
  begin(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const socket of early) this.#meet(this.#options.adopt(socket));
  }

  /** Goes on as another one at the same place; what was accepted before stays as it is. */
  change(listener: ListenerConfig): void {
    this.#listener = listener;
    this.users = usersOf(listener, this.users);
    this.clients = clientsOf(listener);
    this.#own = ownAuthorities(listener, this.#bound);
    this.#front = this.#makeFront(listener);
  }

  /** Accepts nobody any more; tunnels live on, connections end behind what they carry. */
  retire(): void {
    this.#draining = true;
    this.#server.close();
    for (const socket of this.#early?.splice(0) ?? []) socket.destroy();
    for (const client of this.#open) client.drain();
  }

  /**
   * Stops accepting and lets tunnels and requests finish until `timeouts.drain` (0: as long as they take), then cuts
   * what is left.
   */
  async drain(): Promise<void> {
    this.retire();
    const { drain } = this.#options.config.timeouts;
    const timer = drain > 0 ? setTimeout(this.cut.bind(this), drain) : undefined;
    await this.closedAll();
    clearTimeout(timer);
  }

  /** Cuts every connection that is open. */
  cut(): void {
    for (const { socket } of this.#open) socket.destroy();
  }

  /** Resolves when no connection is open. */
  async closedAll(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** To be called now and then, with the time in milliseconds: ends what stands still. */
  sweep(now: number): void {
    for (const client of this.#open) client.sweep(now);
  }

  /** @internal */
  isTooMany(client: ClientConnection): boolean {
    return client.cameOverLimit && this.#open.size > this.#options.config.limits.connections;
  }

  /** @internal */
  counted(): void {
    this.#options.stats.connectionOpened();
  }

  /** @internal */
  identified({ socket }: ClientConnection, user: string): MeteredSocket {
    return this.#options.stats.trackUser(user, socket);
  }

  /** @internal */
  refused(client: ClientConnection, failure: ProxyFailure): void {
    const { reporter, requestLog } = this.#options;
    const { remoteAddress, user, socket, asked } = client;
    reporter.report(failure, { client: remoteAddress, user });
    // A connection that nothing was asked on for too long is no request.
    const isSilent = failure.category === 'request_timeout' && socket.bytesRead === 0;
    if (!isSilent) requestLog.ended({ client, ...asked }, { failure });
  }

  /** @internal */
  became(client: ClientConnection, other: ClientConnection): void {
    this.#open.delete(client);
    this.#open.add(other);
  }

  /** @internal */
  closed(client: ClientConnection): void {
    if (!this.#open.delete(client)) return;
    if (client.isCounted) this.#options.stats.connectionClosed();
    if (this.#open.size === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #makeFront({ mode, to, via }: ListenerConfig): Front {
    const { tunnels } = this.#options;
    switch (mode) {
      case 'http':
        return this.#makeHttpFront();
      case 'socks5':
        return new Socks5Front(this, tunnels);
      case 'mixed':
        return new MixedFront(this, this.#makeHttpFront(), new Socks5Front(this, tunnels));
      case 'tunnel':
        if (to === undefined) throw new TypeError('The configuration of a tunnel names no target.');
        return new TunnelFront(this, { tunnels, to, via });
    }
  }

  #makeHttpFront(): Front {
    const { config, monitoring, pac, forwarder, tunnels } = this.#options;
    const { allowedHosts, pac: hasPac = false } = this.#listener;
    return new HttpFront(this, {
      headerBytes: config.limits.headerBytes,
      pages: new OwnPages(
        monitoring,
        allowedHosts,
        hasPac ? (authority) => pacPage(pac(), this.#bound, authority) : undefined,
      ),
      forwarder,
      tunnels,
      isOwn: (authority) => this.#own.has(authority.toLowerCase()),
      mayGoOn: () => !this.#draining,
    });
  }

  /** Whoever may not connect gets no answer: whatever it cost would be for others to spend. */
  #admits(socket: Socket): boolean {
    if (this.clients === undefined || isFrom(this.clients, socket)) return true;
    this.#options.reporter.report(new ProxyFailure('client_not_allowed'), { client: socket.remoteAddress });
    return false;
  }

  #meet(source: ClientSource): void {
    const { connections } = this.#options.config.limits;
    const client = this.#front.meet(source, this.#open.size >= connections);
    this.#open.add(client);
    if (this.#open.size > connections + SPARE_CONNECTIONS) client.refuse(new ProxyFailure('connection_limit'));
    client.start();
  }
}

function usersOf({ users }: ListenerConfig, previous?: Users): Users | undefined {
  return users && new Users(users, previous);
}

function clientsOf({ clients }: ListenerConfig): Networks | undefined {
  return clients && new Networks(clients);
}
