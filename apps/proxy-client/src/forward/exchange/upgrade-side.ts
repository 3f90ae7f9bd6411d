import type { Socket } from 'node:net';
import { answerFailure } from '../../failure/answer-failure.js';
import type { ProxyFailure } from '../../failure/proxy-failure.js';
import { DISCARD, type ByteSource, type SocketReader } from '../../relay/byte-source.js';
import type { Relays } from '../../tunnel/relays.js';
import type { UpstreamConnection } from '../../upstream/upstream.js';
import type { ClientSide } from './client-side.js';

/** What a client may send before protocols are switched; beyond it, its bytes wait in the kernel. */
const MAX_EARLY = 65_536;

/**
 * A connection that node:http has let go of for an upgrade. Protocols are switched on it, or it ends with the answer. What
 * comes before that is held back: it belongs to the new protocol, if there will be one.
 */
export class UpgradeSide implements ClientSide, SocketReader {
  readonly socket: Socket;
  readonly mayGoOn = false;
  readonly requestComplete = true;
  readonly #relays: Relays;
  readonly #source: ByteSource;
  #early: Buffer = Buffer.alloc(0);

  constructor(relays: Relays, socket: Socket) {
    this.#relays = relays;
    this.#source = relays.adopt(socket);
    this.socket = this.#source.socket;
    this.socket.once('end', this.#left);
    this.#source.start(this);
  }

  read(chunk: Buffer): boolean {
    this.#early = Buffer.concat([this.#early, chunk]);
    return this.#early.length < MAX_EARLY;
  }

  finish(): void {
    this.#source.start(DISCARD);
    this.socket.destroySoon();
  }

  fail(failure: ProxyFailure): void {
    this.#source.start(DISCARD);
    answerFailure(this.socket, failure);
  }

  /** Protocols were switched: from here on bytes pass as they are. */
  join(upstream: UpstreamConnection, toClient: Buffer): void {
    this.socket.off('end', this.#left);
    this.socket.write(toClient);
    if (this.#early.length > 0) upstream.socket.write(this.#early);
    this.#relays.join(this.#source, upstream);
  }

  /** A client that has finished sending cannot speak the new protocol any more. */
  readonly #left = (): void => {
    this.socket.destroy();
  };
}
