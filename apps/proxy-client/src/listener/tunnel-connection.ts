import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import type { ClientSource } from '../relay/byte-source.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import { ClientConnection, type ClientHost, type Front } from './client-connection.js';

export interface TunnelFrontOptions {
  readonly tunnels: Tunnels;
  readonly to: Target;
  /** The name of the upstream; undefined: as the rules say. */
  readonly via: string | undefined;
}

/**
 * What a listener does that speaks nothing of its own: each connection is a tunnel to one target.
 *
 *     client ── bytes, which wait ──▶ tunnel
 *     client ◀── bytes; or a reset, since there is nobody to tell of a failure
 */
export class TunnelFront implements Front {
  readonly #host: ClientHost;
  readonly #options: TunnelFrontOptions;

  constructor(host: ClientHost, options: TunnelFrontOptions) {
    this.#host = host;
    this.#options = options;
  }

  meet(source: ClientSource, cameOverLimit: boolean): ClientConnection {
    return new TunnelConnection(source, this.#host, cameOverLimit, this);
  }

  /** @internal */
  open(client: TunnelConnection): void {
    const { tunnels, to, via } = this.#options;
    if (this.#host.isTooMany(client)) {
      client.refuse(new ProxyFailure('connection_limit'));
      return;
    }
    const tunnel = tunnels.open(() => to, client, via);
    if (tunnel !== undefined) client.tunnel(tunnel);
  }
}

/** A client whose bytes are for the target from the first one on. */
class TunnelConnection extends ClientConnection {
  readonly asks = 'tunnel';
  readonly #front: TunnelFront;

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean, front: TunnelFront) {
    super(source, host, cameOverLimit);
    this.#front = front;
  }

  /** The target may be the first to speak, so the tunnel does not wait for the client. */
  override start(): void {
    if (!this.listens()) return;
    super.start();
    this.state = 'serving';
    this.#front.open(this);
  }

  /** Whoever has nothing to say, or has said it, may wait for what the target says, as without a proxy in between. */
  override onEnd(): void {
    if (this.state === 'closing') super.onEnd();
  }

  override refuse(failure: ProxyFailure): void {
    super.refuse(failure);
    this.socket.resetAndDestroy();
  }

  override fail(): void {
    this.socket.resetAndDestroy();
  }

  protected rests(): boolean {
    return false;
  }

  protected take(chunk: Buffer, isOurs: boolean): void {
    this.hold(chunk, isOurs);
  }

  protected tell(): void {
    // A reset says it.
  }
}
