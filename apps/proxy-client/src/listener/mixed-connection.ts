import type { ClientSource } from '../relay/byte-source.js';
import { ClientConnection, type ClientHost, type Front } from './client-connection.js';

/** SOCKS5 and SOCKS4, which is refused in its own words, begin with their version; no method of HTTP begins with either. */
const SOCKS_VERSIONS: ReadonlySet<number | undefined> = new Set([4, 5]);

/** What a listener does that speaks HTTP and SOCKS5: the first byte of a connection tells which. */
export class MixedFront implements Front {
  readonly #host: ClientHost;
  readonly #http: Front;
  readonly #socks5: Front;

  constructor(host: ClientHost, http: Front, socks5: Front) {
    this.#host = host;
    this.#http = http;
    this.#socks5 = socks5;
  }

  meet(source: ClientSource, cameOverLimit: boolean): ClientConnection {
    return new MixedConnection(source, this.#host, cameOverLimit, this);
  }

  /** @internal */
  frontFor(firstByte: number | undefined): Front {
    return SOCKS_VERSIONS.has(firstByte) ? this.#socks5 : this.#http;
  }
}

/** A client that has not said a byte yet. */
class MixedConnection extends ClientConnection {
  readonly asks = '';
  readonly #front: MixedFront;

  constructor(source: ClientSource, host: ClientHost, cameOverLimit: boolean, front: MixedFront) {
    super(source, host, cameOverLimit);
    this.#front = front;
  }

  override read(chunk: Buffer): boolean {
    if (!this.listens()) return true;
    const client = this.#front.frontFor(chunk[0]).meet(this.source, this.cameOverLimit);
    this.state = 'left';
    this.host.became(this, client);
    client.start();
    return client.read(chunk);
  }

  protected rests(): boolean {
    return true;
  }

  protected take(): void {
    // What reads it is chosen before.
  }

  protected tell(): void {
    // Nobody knows in which protocol.
  }
}
