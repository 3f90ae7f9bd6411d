import type { Socket } from 'node:net';

/** Pieces up to this size are copied together into one write; larger ones are written from where they lie. */
const COPIED_BYTES = 4096;

/**
 * Writes a message to a socket: an answer to the client's, a request to the origin's. What one read brought is collected and
 * handed over by {@link flush}: if it is small, in one single write.
 */
export class MessageWriter {
  readonly #socket: Socket;
  #chunked = false;
  /** What comes behind the parts, latin1. */
  #text = '';
  #parts: (string | Buffer)[] | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Takes a head that has no body, such as an interim answer (latin1). */
  raw(head: string): void {
    this.#text += head;
  }

  /** Takes the head of a message (latin1), whose body goes out in the chunked coding or as it is. */
  head(head: string, chunked: boolean): void {
    this.#text += head;
    this.#chunked = chunked;
  }

  /** Takes bytes of the body: those of `chunk` from `start` to `end`. */
  body(chunk: Buffer, start: number, end: number): void {
    if (this.#chunked) this.#text += `${(end - start).toString(16)}\r\n`;
    if (end - start <= COPIED_BYTES) this.#text += chunk.toString('latin1', start, end);
    else this.#inPlace(chunk.subarray(start, end));
    if (this.#chunked) this.#text += '\r\n';
  }

  /** The message is complete; `trailers` is a whole section, if there is one. */
  end(trailers = '\r\n'): void {
    if (this.#chunked) this.#text += `0\r\n${trailers}`;
  }

  /**
   * Hands everything over to the socket.
   *
   * @param final - whether it is the end of the message
   * @returns whether the buffers may be used again and more may come; after `false` the socket is to be waited for
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
