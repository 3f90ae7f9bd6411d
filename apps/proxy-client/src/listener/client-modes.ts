import type { ListenerConfig, ListenerMode } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import { abort } from '../relay/connection-socket.js';
import { ClientConnection, type AcceptedClient } from './client-connection.js';
import { HttpConnection } from './http-connection.js';
import { Socks5Connection } from './socks5-connection.js';

/** Creates the connection of a client that was accepted; the caller starts it. */
export type ClientFactory = (accepted: AcceptedClient) => ClientConnection;

/** Returns whether listeners of a mode accept HTTP. */
export function acceptsHttp(mode: ListenerMode): boolean {
  return mode === 'http' || mode === 'mixed';
}

/** Returns the factory for the connections of a listener, by its mode. */
export function clientFactory({ mode, to, via }: ListenerConfig): ClientFactory {
  const socks5: ClientFactory = (accepted) => new Socks5Connection(accepted);
  const http: ClientFactory = (accepted) => new HttpConnection(accepted);
  switch (mode) {
    case 'socks5':
      return socks5;
    case 'http':
      return http;
    case 'mixed':
      return (accepted) => new MixedConnection(accepted, (first) => (SOCKS_VERSIONS.has(first) ? socks5 : http));
    case 'tunnel':
      if (to === undefined) throw new TypeError('The configuration of a tunnel has no target.');
      return (accepted) => new TunnelConnection(accepted, to, via);
  }
}

/** The first bytes of SOCKS5 and SOCKS4 connections. No HTTP method begins with either. */
const SOCKS_VERSIONS: ReadonlySet<number | undefined> = new Set([4, 5]);

/** The connection of a client whose protocol is not known until its first byte. */
class MixedConnection extends ClientConnection {
  readonly tunnelMethod = '';
  readonly #factoryFor: (firstByte: number | undefined) => ClientFactory;

  constructor(accepted: AcceptedClient, factoryFor: (firstByte: number | undefined) => ClientFactory) {
    super(accepted);
    this.#factoryFor = factoryFor;
  }

  override read(chunk: Buffer): boolean {
    if (!this.isReading()) return super.read(chunk);
    const client = this.#factoryFor(chunk[0])(this.accepted);
    this.state = { name: 'handed over', work: undefined };
    this.host.replace(this, client);
    client.start();
    return client.read(chunk);
  }

  protected isIdle(): boolean {
    return true;
  }

  protected consume(): void {
    // The first byte replaces this object.
  }

  protected writeFailure(): void {
    // The protocol is not known.
  }
}

/**
 * The connection of a client of a tunnel listener: all its bytes are for one target.
 *
 *     client ── bytes, which are held ──▶ tunnel
 *     client ◀── bytes; or a reset, the only way to report a failure
 */
class TunnelConnection extends ClientConnection {
  readonly tunnelMethod = 'tunnel';
  readonly #to: Target;
  readonly #via: string | undefined;

  constructor(accepted: AcceptedClient, to: Target, via: string | undefined) {
    super(accepted);
    this.#to = to;
    this.#via = via;
  }

  /** Opens the tunnel at once, since the target may send first. */
  override start(): void {
    if (!this.isReading()) return;
    super.start();
    this.state = { name: 'opening' };
    if (this.host.isTooMany(this)) this.refuse(new ProxyFailure('connection_limit'));
    else this.openTunnel(() => this.#to, this.#via);
  }

  /** Ignores that the client has finished sending: as without a proxy, it may wait for the target's bytes. */
  override onEnd(): void {
    if (this.state.name === 'closing') super.onEnd();
  }

  /** Resets the connection at once: after an orderly end libuv refuses to reset it, and it would stay open. */
  override refuse(failure: ProxyFailure): void {
    this.recordRefusal(failure);
    abort(this.socket);
  }

  override fail(): void {
    abort(this.socket);
  }

  protected isIdle(): boolean {
    return false;
  }

  protected consume(chunk: Buffer, isOwned: boolean): void {
    this.hold(chunk, isOwned);
  }

  protected writeFailure(): void {
    // The connection is reset.
  }
}
