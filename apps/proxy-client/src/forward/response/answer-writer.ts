import type { Socket } from 'node:net';
import type { FieldLines } from '../wire/field-lines.js';
import type { BodyFraming } from '../wire/response-head.js';
import { trailerSection } from './answer-head.js';

/** Pieces up to this size are copied together into one write; larger ones are written from where they lie. */
const COPIED_BYTES = 4096;

/**
 * Writes an answer to a client's socket. What one read brought is collected and handed over by {@link flush}: if it is
 * small, in one single write.
 */
export class AnswerWriter {
  readonly #socket: Socket;
  #framing: BodyFraming = 'none';
  #named: ReadonlySet<string> = new Set();
  /** What comes behind the parts, latin1. */
  #text = '';
  #parts: (string | Buffer)[] | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Takes a head as it is (latin1). */
  raw(head: string): void {
    this.#text += head;
  }

  /**
   * Takes the head of the final answer (latin1), whose body goes out in that framing.
   *
   * @param named - options of the origin's Connection, in lower case
   */
  head(head: string, framing: BodyFraming, named: ReadonlySet<string>): void {
    this.#text += head;
    this.#framing = framing;
    this.#named = named;
  }

  /** Takes bytes of the body: those of `chunk` from `start` to `end`. */
  body(chunk: Buffer, start: number, end: number): void {
    const chunked = this.#framing === 'chunked';
    if (chunked) this.#text += `${(end - start).toString(16)}\r\n`;
    if (end - start <= COPIED_BYTES) this.#text += chunk.toString('latin1', start, end);
    else this.#inPlace(chunk.subarray(start, end));
    if (chunked) this.#text += '\r\n';
  }

  /** The answer is complete. */
  end(trailers: FieldLines | undefined): void {
    if (this.#framing !== 'chunked') return;
    this.#text += `0\r\n${trailers === undefined ? '\r\n' : trailerSection(trailers, this.#named)}`;
  }

  /**
   * Hands everything over to the socket.
   *
   * @param final - whether it is the end of the answer
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
