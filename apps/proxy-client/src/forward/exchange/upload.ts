import type { IncomingMessage } from 'node:http';
import type { OriginConnection } from '../pool/origin-connection.js';
import type { PreparedRequest } from '../request/prepared-request.js';
import { requestTrailers } from '../wire/trailer-rules.js';

/** Carries the body of a request to the origin, as fast as the origin takes it. */
export class Upload {
  readonly #request: IncomingMessage;
  readonly #chunked: boolean;
  readonly #named: ReadonlySet<string>;
  #connection: OriginConnection | undefined;
  #onComplete: (() => void) | undefined;
  #begun = false;
  #complete = false;
  #waits = false;

  /** @param prepared - how the body goes out, and which of its trailers */
  constructor(request: IncomingMessage, { body, connection }: Pick<PreparedRequest, 'body' | 'connection'>) {
    this.#request = request;
    this.#chunked = body === 'chunked';
    this.#named = connection;
  }

  /** Whether a byte of the body has gone out. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether all of it has gone out. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Whether the client owes bytes: there is somebody to take them, and they are not held up by us. */
  get awaitsClient(): boolean {
    return !this.#complete && !this.#waits && this.#connection !== undefined;
  }

  /**
   * Begins, or begins again on another connection while nothing has gone out.
   *
   * @param onComplete - called when all of it was handed to the connection
   */
  sendOn(connection: OriginConnection, onComplete: () => void): void {
    const first = this.#onComplete === undefined;
    this.#connection = connection;
    this.#onComplete = onComplete;
    if (first) {
      this.#request.on('data', this.#onData);
      this.#request.on('end', this.#onEnd);
    } else this.#request.resume();
  }

  /** Waits for another connection. */
  hold(): void {
    this.#connection = undefined;
    this.#request.pause();
  }

  /** The connection takes more. */
  drained(): void {
    if (!this.#waits) return;
    this.#waits = false;
    this.#request.resume();
  }

  /** Reads what is still to come away: there is nobody left to take it. */
  discard(): void {
    this.#connection = undefined;
    this.#waits = false;
    this.#request.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    const socket = this.#connection?.socket;
    if (socket === undefined) return;
    this.#begun = true;
    if (this.#chunked) {
      socket.cork();
      socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
      socket.write(chunk);
      socket.write('\r\n', 'latin1');
      socket.uncork();
    } else socket.write(chunk);
    if (socket.writableNeedDrain) {
      this.#waits = true;
      this.#request.pause();
    }
  };

  readonly #onEnd = (): void => {
    const socket = this.#connection?.socket;
    if (socket === undefined) return;
    if (this.#chunked) {
      this.#begun = true;
      socket.write(`0\r\n${requestTrailers(this.#request.rawTrailers, this.#named)}`, 'latin1');
    }
    this.#complete = true;
    this.#onComplete?.();
  };
}
