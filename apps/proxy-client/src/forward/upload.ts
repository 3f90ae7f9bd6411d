import type { BodyPart } from '../http/body-reader.js';
import type { SectionMemory } from '../http/section-memory.js';
import { tidied, trailerSection } from '../http/field-lines.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
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

/** Forwards a request with a body to the origin with backpressure. */
export class Upload {
  state: UploadState = 'waiting';
  /** Whether a byte of the body was received. With a connection, it was sent too. */
  hasBegun = false;
  readonly #request: PreparedRequest;
  readonly #resumeReading: () => void;
  #writer = new MessageWriter();
  #socket: ConnectionSocket | undefined;
  readonly #memory: SectionMemory;
  #bufferedBytes = 0;
  #isEnded = false;
  /** The client may wait for 100 before it sends the body. */
  #expectsContinue: boolean;
  /** Reading the client was stopped. */
  #isStopped = false;

  /**
   * @param memory - counts the buffered bytes
   * @param resumeReading - called when the client may read on, after {@link push} returned `false`
   */
  constructor(request: PreparedRequest, memory: SectionMemory, resumeReading: () => void) {
    this.#request = request;
    this.#expectsContinue = request.expectsContinue;
    this.#memory = memory;
    this.#resumeReading = resumeReading;
    this.waitForConnection();
  }

  /** Whether the client may still omit the body: it waits for 100 (RFC 9110, section 10.1.1). */
  get mayBeOmitted(): boolean {
    return this.#expectsContinue && !this.hasBegun;
  }

  /** The client was told by 100 to send the body. */
  continued(): void {
    this.#expectsContinue = false;
  }

  /** Waits for a connection, or for another one; no byte of the body was sent. */
  waitForConnection(): void {
    this.state = 'waiting';
    this.#writer = new MessageWriter();
    // The head depends on the connection.
    this.#writer.head('', this.#request.received.framing === 'chunked');
  }

  /**
   * Forwards the part of the body that one read produced.
   *
   * @returns whether the client may read on at once, into the same memory
   */
  push(chunk: Buffer, { pieces, isComplete, trailers }: BodyPart): boolean {
    this.hasBegun ||= pieces.length > 0 || isComplete;
    this.#isEnded = isComplete;
    if (this.state === 'discarding') return true;
    const socket = this.state === 'waiting' ? undefined : this.#socket;
    this.#writer.pieces(socket === undefined ? Buffer.from(chunk) : chunk, pieces);
    const { connection } = this.#request.received;
    if (isComplete) this.#writer.end(trailers && trailerSection(trailers, connection, tidied));
    const continues = socket === undefined ? this.#hold(chunk.length) : this.#flush(socket);
    this.#isStopped = !continues;
    return continues;
  }

  /**
   * Sends the request, with the buffered part of its body, on a connection.
   *
   * @param head - of the request (latin1)
   */
  sendOn(socket: ConnectionSocket, head: string): void {
    this.#socket = socket;
    this.release();
    this.#writer.prepend(head);
    this.state = 'sending';
    if (this.#flush(socket)) this.#resume();
  }

  /** Reads the rest of the body and drops it. */
  discard(): void {
    if (this.state !== 'complete') this.state = 'discarding';
    this.release();
    this.#resume();
  }

  /** Stops counting the buffered bytes: they were sent, or the request has ended. */
  release(): void {
    this.#memory.releaseHeld(this.#bufferedBytes);
    this.#bufferedBytes = 0;
  }

  /** @returns whether more may be buffered */
  #hold(bytes: number): boolean {
    this.#writer.compact();
    this.#bufferedBytes += bytes;
    return this.#memory.hold(bytes) && this.#bufferedBytes < MAX_BUFFERED;
  }

  /** @returns whether the memory of the client's reads may be reused, and the connection accepts more */
  #flush(socket: ConnectionSocket): boolean {
    const isFlushed = this.#writer.flush(socket, this.#isEnded, () => {
      this.#resume();
    });
    if (this.#isEnded) this.state = 'complete';
    else if (!isFlushed) this.state = 'blocked';
    if (!isFlushed) this.#isStopped = true;
    return isFlushed;
  }

  #resume(): void {
    if (this.state === 'blocked') this.state = 'sending';
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#resumeReading();
  }
}
