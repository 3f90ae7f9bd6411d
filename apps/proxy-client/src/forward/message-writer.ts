import type { Socket } from 'node:net';

/** Pieces up to this size are copied together into one write; larger ones are written in place. */
const COPIED_BYTES = 4096;

/**
 * Writes messages to a socket: responses to the client's, requests to the origin's. The parts that one read produced are
 * collected and written by {@link flush}; small parts in one single write.
 */
export class MessageWriter {
  readonly #socket: Socket;
  #chunked = false;
  /** Text in latin1 that follows the parts. */
  #text = '';
  #parts: (string | Buffer)[] | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Adds a head without a body, such as an interim response (latin1). */
  raw(head: string): void {
    this.#text += head;
  }

  /** Adds the head of a message (latin1), whose body is written in the chunked coding or unchanged. */
  head(head: string, chunked: boolean): void {
    this.#text += head;
    this.#chunked = chunked;
  }

  /** Adds bytes of the body: those of `chunk` from `start` to `end`. */
  body(chunk: Buffer, start: number, end: number): void {
    if (this.#chunked) this.#text += `${(end - start).toString(16)}\r\n`;
    if (end - start <= COPIED_BYTES) this.#text += chunk.toString('latin1', start, end);
    else this.#inPlace(chunk.subarray(start, end));
    if (this.#chunked) this.#text += '\r\n';
  }

  /** Ends the message; `trailers` is a whole trailer section. */
  end(trailers = '\r\n'): void {
    if (this.#chunked) this.#text += `0\r\n${trailers}`;
  }

  /**
   * Writes everything to the socket.
   *
   * @param final - whether this is the end of the message
   * @returns whether the buffers may be reused and more may be added; after `false` the caller waits for the socket
   */
  flush(final: boolean): boolean {
    const parts = this.#parts;
    if (parts !== undefined) this.#writeParts(parts);
    else if (this.#text !== '') this.#socket.write(this.#text, 'latin1');
    this.#text = '';
    if (this.#socket.writableLength === 0) return true;
    return parts === undefined && !final && !this.#socket.writableNeedDrain;
  }

  #inPlace(bytes: Buffer): void {
    this.#parts ??= [];
    if (this.#text !== '') this.#parts.push(this.#text);
    this.#parts.push(bytes);
    this.#text = '';
  }

  #writeParts(parts: (string | Buffer)[]): void {
    this.#parts = undefined;
    if (this.#text !== '') parts.push(this.#text);
    this.#socket.cork();
    for (const part of parts) this.#socket.write(part, 'latin1');
    this.#socket.uncork();
  }
}
