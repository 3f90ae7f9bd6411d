import type { BodyPart } from '../http/body-reader.js';
import { trailerSection } from '../http/field-lines.js';
import type { ResponseHead } from '../http/response-reader.js';
import type { ConnectionSocket } from '../relay/connection-socket.js';
import { framingFor, interimHead, responseHead } from './forwarded-response.js';
import { MessageWriter } from './message-writer.js';
import type { PreparedRequest } from './prepared-request.js';

/** The response of an exchange on its way to the client. Its parts are rewritten as they arrive, and written together. */
export class RelayedResponse {
  readonly #request: PreparedRequest;
  readonly #writer = new MessageWriter();
  #head: ResponseHead | undefined;
  #keepAlive = false;

  constructor(request: PreparedRequest) {
    this.#request = request;
  }

  /** The head of the final response; undefined until it has arrived. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** Whether the client's connection stays open after the response. */
  get keepAlive(): boolean {
    return this.#keepAlive;
  }

  /** Whether the response ends with the client's connection (RFC 9112, section 6.3). */
  get endsWithConnection(): boolean {
    return this.#head !== undefined && this.#framingOf(this.#head) === 'close';
  }

  /** Adds an interim response, which clients of HTTP/1.0 do not know. */
  addInterim(head: ResponseHead): void {
    if (this.#request.received.minor === 1) this.#writer.head(interimHead(head), false);
  }

  /**
   * Adds the head of the final response.
   *
   * @param canKeepAlive - whether the client's connection may carry another request
   */
  addHead(head: ResponseHead, canKeepAlive: boolean): void {
    const { received, viaToken } = this.#request;
    const framing = this.#framingOf(head);
    this.#head = head;
    this.#keepAlive = canKeepAlive && framing !== 'close';
    const persistence = received.minor === 0 ? 'keep-alive' : undefined;
    const connection = this.#keepAlive ? persistence : 'close';
    this.#writer.head(responseHead(head, framing, viaToken, connection), framing === 'chunked');
  }

  /** Adds the part of the body that one read produced. */
  addBody(chunk: Buffer, { pieces, isComplete, trailers }: BodyPart): void {
    this.#writer.pieces(chunk, pieces);
    if (isComplete) this.#writer.end(trailers && this.#head && trailerSection(trailers, this.#head.connection));
  }

  /**
   * Writes what was added.
   *
   * @param drained - called when the client has read enough, if the result is false
   * @returns whether the client reads fast enough
   */
  flush(socket: ConnectionSocket, isComplete: boolean, drained: () => void): boolean {
    return this.#writer.flush(socket, isComplete, drained);
  }

  #framingOf(head: ResponseHead): ReturnType<typeof framingFor> {
    return framingFor(head.framing, this.#request.received.minor);
  }
}
