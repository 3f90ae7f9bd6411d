import type { Socket } from 'node:net';

/** Pieces up to this size are copied together into one write; larger ones are written in place. */
const COPIED_BYTES = 4096;

/**
 * Writes messages to a socket: responses to the client's, requests to the origin's. The parts that one read produced are
 * collected and written by {@link flush}; small parts in one single write.
 */
export class MessageWriter {
  #socket: Socket | undefined;
  #chunked = false;
  /** Text in latin1 that follows the parts. */
  #text = '';
  #parts: (string | Buffer)[] | undefined;

  /** @param socket - may be set later, before {@link flush} */
  constructor(socket?: Socket) {
    this.#socket = socket;
  }

  set socket(socket: Socket) {
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
   * @param drained - called after `false`, when the socket has accepted everything; not if it closes
   * @returns whether the buffers may be reused and more may be added
   */
  flush(final: boolean, drained: () => void): boolean {
    const socket = this.#socket;
    const parts = this.#parts;
    if (socket === undefined) return false;
    if (parts !== undefined) this.#writeParts(socket, parts);
    else if (this.#text !== '') socket.write(this.#text, 'latin1');
    this.#text = '';
    if (socket.writableLength === 0) return true;
    if (parts === undefined && !final && !socket.writableNeedDrain) return true;
    socket.write('', (error) => {
      // After an error the socket closes, which ends the exchange.
      if (!error) drained();
    });
    return false;
  }

  #inPlace(bytes: Buffer): void {
    this.#parts ??= [];
    if (this.#text !== '') this.#parts.push(this.#text);
    this.#parts.push(bytes);
    this.#text = '';
  }

  #writeParts(socket: Socket, parts: (string | Buffer)[]): void {
    this.#parts = undefined;
    if (this.#text !== '') parts.push(this.#text);
    socket.cork();
    for (const part of parts) socket.write(part, 'latin1');
    socket.uncork();
  }
}
