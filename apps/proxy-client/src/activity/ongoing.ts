import type { Socket } from 'node:net';
import type { RouteClient } from '../rules/rule.js';

/** A request or a tunnel while it lasts. It says what it is when it is asked, so that nobody has to keep a list of what goes on. */
export interface Ongoing {
  /** The method of a request; how a tunnel was asked for (CONNECT, SOCKS5), or `tunnel`. */
  readonly method: string;
  /** `host:port`. */
  readonly authority: string;
  /** The name of the server that carries it; of the way out that its rule names, while there is none. */
  readonly through: string;
  /** The number of the rule that sent it there, from 1; undefined where none fits. */
  readonly rule: number | undefined;
  readonly client: RouteClient & {
    readonly socket: Socket;
    /** Where it came in: `host:port`. */
    readonly listener: string;
  };
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Bytes to and from the target. */
  readonly bytes: Pick<ByteCount, 'sent' | 'received'>;
}

/** What goes over a connection to a target, of which other things may have been before. */
export class ByteCount {
  readonly #socket: Socket;
  readonly #read: number;
  readonly #written: number;

  /** @param early - bytes that were read already and count all the same */
  constructor(socket: Socket, early = 0) {
    this.#socket = socket;
    this.#read = socket.bytesRead - early;
    this.#written = socket.bytesWritten;
  }

  get sent(): number {
    return Math.max(0, this.#socket.bytesWritten - this.#written);
  }

  get received(): number {
    return Math.max(0, this.#socket.bytesRead - this.#read);
  }
}

/** The count of what has no connection yet. */
export const NO_BYTES: Pick<ByteCount, 'sent' | 'received'> = { sent: 0, received: 0 };
