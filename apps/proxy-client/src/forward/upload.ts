import type { Socket } from 'node:net';
import { tidied, trailerSection, type FieldLines } from '../http/field-lines.js';
import { MessageWriter } from './message-writer.js';
import type { PreparedRequest } from './prepared-request.js';

/** Bytes of a body that are buffered while there is no connection; beyond that, reading stops. */
const MAX_BUFFERED = 65_536;

/**
 * - `waiting`: there is no connection yet; the body is buffered
 * - `sending`: the body is written as it arrives; the next bytes are due from the client
 * - `blocked`: the origin does not read fast enough
 * - `complete`: all of it was written
 * - `discarding`: nothing needs the rest
 */
export type UploadState = 'waiting' | 'sending' | 'blocked' | 'complete' | 'discarding';

/** The end of a body. */
export interface BodyEnd {
  readonly trailers: FieldLines | undefined;
}

/** Forwards the body of a request to the origin with backpressure. */
export class Upload {
  readonly #request: PreparedRequest;
  readonly #resumeReading: () => void;
  #state: UploadState = 'waiting';
  #writer: MessageWriter | undefined;
  #socket: Socket | undefined;
  #buffered: Buffer[] = [];
  #bufferedBytes = 0;
  #end: BodyEnd | undefined;
  #hasBegun = false;
  /** Reading the client was stopped. */
  #isStopped = false;

  /** @param resumeReading - called when the client may read on, after {@link push} returned `false` */
  constructor(request: PreparedRequest, resumeReading: () => void) {
    this.#request = request;
    this.#resumeReading = resumeReading;
  }

  /** Whether a byte of the body was received. With a connection, it was sent too. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get state(): UploadState {
    return this.#state;
  }

  /**
   * Forwards the part of the body that one read produced.
   *
   * @param pieces - the start and end of each piece in `chunk`, one after the other
   * @param end - if the body ends with them
   * @returns whether the client may read on at once, into the same memory
   */
  push(chunk: Buffer, pieces: readonly number[], end: BodyEnd | undefined): boolean {
    this.#hasBegun ||= pieces.length > 0 || end !== undefined;
    this.#end = end;
    if (this.#state === 'discarding') return true;
    const goesOn = this.#state === 'waiting' ? this.#buffer(chunk, pieces) : this.#send(chunk, pieces);
    this.#isStopped = !goesOn;
    return goesOn;
  }

  /** Sends the head of the request, and the buffered part of its body, on a connection. */
  sendOn(socket: Socket): void {
    this.#socket = socket;
    this.#writer = new MessageWriter(socket);
    this.#writer.head(this.#request.head, this.#request.received.framing === 'chunked');
    this.#state = 'sending';
    for (const bytes of this.#buffered) this.#writer.body(bytes, 0, bytes.length);
    this.#buffered = [];
    this.#bufferedBytes = 0;
    if (this.#flush() && this.#isStopped) this.#resume();
  }

  /** Waits for another connection; no byte of the body was sent. */
  waitForConnection(): void {
    this.#state = 'waiting';
  }

  /** Reads the rest of the body and drops it. */
  discard(): void {
    if (this.#state !== 'complete') this.#state = 'discarding';
    this.#buffered = [];
    this.#resume();
  }

  #buffer(chunk: Buffer, pieces: readonly number[]): boolean {
    for (let index = 0; index < pieces.length; index += 2) {
      const bytes = Buffer.from(chunk.subarray(pieces[index], pieces[index + 1]));
      this.#buffered.push(bytes);
      this.#bufferedBytes += bytes.length;
    }
    return this.#bufferedBytes < MAX_BUFFERED;
  }

  #send(chunk: Buffer, pieces: readonly number[]): boolean {
    for (let index = 0; index < pieces.length; index += 2) {
      this.#writer?.body(chunk, pieces[index] ?? 0, pieces[index + 1] ?? 0);
    }
    return this.#flush();
  }

  /** @returns whether the memory of the client's reads may be reused, and the connection accepts more */
  #flush(): boolean {
    const end = this.#end;
    const { trailers } = end ?? {};
    if (end !== undefined)
      this.#writer?.end(trailers && trailerSection(trailers, this.#request.received.connection, tidied));
    const isFlushed = this.#writer?.flush(end !== undefined) === true;
    if (end !== undefined) this.#state = 'complete';
    else if (!isFlushed) this.#state = 'blocked';
    if (!isFlushed) {
      this.#isStopped = true;
      // After an error the connection closes, which ends the exchange.
      this.#socket?.write('', (error) => {
        if (!error) this.#resume();
      });
    }
    return isFlushed;
  }

  #resume(): void {
    if (this.#state === 'blocked') this.#state = 'sending';
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#resumeReading();
  }
}
