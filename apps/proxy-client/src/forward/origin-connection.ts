import type { Socket } from 'node:net';
import { FormatError, malformed } from '../http/format-error.js';
import { ResponseReader, type AnsweredRequest, type ResponseHandler } from '../http/response-reader.js';
import { MORE } from '../http/scanner.js';
import type { ByteSource, SocketReader } from '../relay/byte-source.js';

/** The exchange that a connection serves. */
export interface ConnectionUser extends ResponseHandler {
  /**
   * The bytes of one read were handed over.
   *
   * @param rest - bytes behind the answer's end, if it has ended and there are some
   * @returns whether reading goes on at once, see {@link SocketReader}
   */
  taken(rest: Buffer | undefined): boolean;
  /** The answer is malformed, or the connection ended before it did. */
  failed(error: FormatError): void;
}

/** One connection to an origin: what came of it goes to the exchange that uses it at the time. */
export class OriginConnection implements SocketReader {
  /** Upstream, user and target: connections are only ever used again for the same. */
  readonly key: string;
  readonly socket: Socket;
  /** The name of the server that it goes through. */
  through: string | undefined = undefined;
  /** Whether a client has authenticated it: then it serves nobody else. */
  pinned = false;
  /** Whether bytes have come that belong to no answer. */
  spoiled = false;
  /** Requests that it was used for before the present one. */
  served = 0;
  /** The pool's clock when it became idle. */
  idleSince = 0;
  /** The pool's clock when it must no longer be used. */
  idleUntil = Infinity;
  readonly #link: ByteSource;
  readonly #reader: ResponseReader;
  #user: ConnectionUser | undefined;
  readonly #onClose: (connection: OriginConnection) => void;
  #started = false;

  /**
   * @param headerBytes - bytes that the header of an answer may have
   * @param onClose - called once, when the connection has closed
   */
  constructor(link: ByteSource, key: string, headerBytes: number, onClose: (connection: OriginConnection) => void) {
    this.key = key;
    this.socket = link.socket;
    this.#link = link;
    this.#reader = new ResponseReader(headerBytes);
    this.#onClose = onClose;
    this.socket.on('end', this.#ended).on('close', this.#closed);
  }

  /** Whether another request can be sent on it. */
  get usable(): boolean {
    return !this.socket.destroyed && this.socket.writable && !this.socket.readableEnded;
  }

  /** Whether the present answer has come as a whole. */
  get answered(): boolean {
    return this.#reader.idle;
  }

  /** Whether a byte of the present answer has come. */
  get answerBegun(): boolean {
    return this.#reader.begun;
  }

  /** Gives the answer to a request that was written to it, or is being written, to `user`. */
  serve(user: ConnectionUser, request: AnsweredRequest): void {
    this.#user = user;
    this.#reader.begin(request);
    if (this.#started) return;
    this.#started = true;
    if (this.#link.early > 0) this.#fail(malformed('bytes before the request'));
    else this.#link.start(this);
  }

  /**
   * The exchange is over: what comes now belongs to nothing, and ends the connection.
   *
   * @param keep - called when the connection can be used again: at once, or when what the kernel had behind the answer, if
   *   anything, was read. A request that is there already must not be sent before, or it would be answered by that.
   */
  free(keep: () => void): void {
    this.#user = undefined;
    this.served += 1;
    if (this.#link.drained) {
      keep();
      return;
    }
    // Whoever stopped reading has let it go on again. In the first turn of the loop the poll may be over already.
    setImmediate(() => {
      setImmediate(() => {
        if (this.usable) keep();
      });
    });
  }

  /** Reads again after the exchange wanted it to stop. */
  resume(): void {
    this.#link.resume();
  }

  /** To be called now and then: gives a large read buffer back that nothing was read into since the last call. */
  trim(): void {
    this.#link.trim?.();
  }

  /** Gives the connection away, after 101. */
  release(): ByteSource {
    this.#user = undefined;
    this.socket.off('end', this.#ended).off('close', this.#closed);
    return this.#link;
  }

  /** Ends an idle connection. */
  destroy(): void {
    this.#user = undefined;
    this.socket.destroy();
  }

  /**
   * Ends a connection in the middle of an exchange, with a reset: after an ordinary end an origin behind a SOCKS server
   * could go on answering to nobody.
   */
  abort(): void {
    this.#user = undefined;
    this.socket.resetAndDestroy();
  }

  read(chunk: Buffer): boolean {
    const user = this.#user;
    if (user === undefined) {
      this.socket.destroy();
      return true;
    }
    try {
      const stop = this.#reader.push(chunk, 0, chunk.length, user);
      const rest = stop === MORE || stop === chunk.length ? undefined : chunk.subarray(stop);
      this.spoiled ||= rest !== undefined;
      return user.taken(rest);
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  readonly #ended = (): void => {
    const user = this.#user;
    if (user === undefined) {
      this.socket.destroy();
      return;
    }
    try {
      this.#reader.finish(user);
      user.taken(undefined);
    } catch (error) {
      this.#fail(error);
    }
  };

  readonly #closed = (): void => {
    this.#onClose(this);
    this.#user?.failed(new FormatError('incomplete', 'connection broke'));
  };

  #fail(error: unknown): void {
    if (!(error instanceof FormatError)) throw error;
    this.#user?.failed(error);
  }
}
