import type { ConnectionSocket } from '../relay/connection-socket.js';

/** Pieces up to this size are copied together into one write; larger ones are written in place. */
const COPIED_BYTES = 4096;

/**
 * Writes messages to a socket: responses to the client's, requests to the origin's. The parts that one read produced are
 * collected and written by {@link flush}; small parts in one single write.
 */
export class MessageWriter {
  #chunked = false;
  /** Text in latin1 that follows the parts. */
  #text = '';
  #parts: (string | Buffer)[] | undefined;

  /** Adds the head of a message (latin1), whose body is written in the chunked coding or unchanged. */
  head(head: string, chunked: boolean): void {
    this.#text += head;
    this.#chunked = chunked;
  }

  /** Adds text (latin1) before everything else. */
  prepend(text: string): void {
    if (this.#parts === undefined) this.#text = text + this.#text;
    else this.#parts.unshift(text);
  }

  /** Adds the pieces of `chunk` that belong to the body: the start and end of each, one after the other. */
  pieces(chunk: Buffer, bounds: readonly number[]): void {
    for (let index = 0; index < bounds.length; index += 2)
      this.#piece(chunk, bounds[index] ?? 0, bounds[index + 1] ?? 0);
  }

  #piece(chunk: Buffer, start: number, end: number): void {
    if (this.#chunked) this.#text += `${(end - start).toString(16)}\r\n`;
    if (end - start <= COPIED_BYTES) this.#text += chunk.toString('latin1', start, end);
    else this.#inPlace(chunk.subarray(start, end));
    if (this.#chunked) this.#text += '\r\n';
  }

  /** Joins the text that was added: until then V8 needs more than 30 bytes for each of its parts, which may have one character. */
  compact(): void {
    this.#text = Buffer.from(this.#text, 'latin1').toString('latin1');
  }

  /** Ends the message; `trailers` is a whole trailer section. */
  end(trailers = '\r\n'): void {
    if (this.#chunked) this.#text += `0\r\n${trailers}`;
  }

  /**
   * Writes everything to a socket.
   *
   * @param final - whether this is the end of the message
   * @param drained - called after `false`, when the socket has accepted everything; not if it closes
   * @returns whether the buffers may be reused and more may be added
   */
  flush(socket: ConnectionSocket, final: boolean, drained: () => void): boolean {
    const parts = this.#parts;
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

  #writeParts(socket: ConnectionSocket, parts: (string | Buffer)[]): void {
    this.#parts = undefined;
    if (this.#text !== '') parts.push(this.#text);
    socket.cork();
    for (const part of parts) socket.write(part, 'latin1');
    socket.uncork();
  }
}
