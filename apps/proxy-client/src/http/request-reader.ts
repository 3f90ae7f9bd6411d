import { BodyReader } from './body-reader.js';
import { CR, LF } from './bytes.js';
import type { BodySink } from './chunked-decoder.js';
import type { FieldLines } from './field-lines.js';
import { FormatError, malformed } from './format-error.js';
import {
  checkMethodBeginning,
  closesConnection,
  readRequestHead,
  readRequestLine,
  type RequestHead,
} from './request-head.js';
import { MORE } from './scanner.js';
import { SectionReader, type SectionMemory } from './section.js';

/** Takes the parts of one request in their order. */
export interface RequestHandler extends BodySink {
  head(head: RequestHead): void;
  /** The end of the request; `trailers` of a chunked body. */
  complete(trailers: FieldLines | undefined): void;
}

type State = 'before' | 'empty line' | 'head' | 'body' | 'over';

/** Bytes that a chunk of a request may have: below 2^31, since parsers before and behind us count in 32 bits. */
const MAX_CHUNK = 0x7fff_ffff;
/** Bytes that a request line may have beside its target: method, two blanks, version. */
const LINE_BYTES = 32;

/**
 * Reads HTTP/1.1 requests from bytes, one at a time, without any input or output of its own. It is at least as strict as
 * Node's own parser without its lenient switches: what that one refuses is refused here too (a test compares the two).
 */
export class RequestReader {
  readonly #headerBytes: number;
  readonly #section: SectionReader;
  readonly #body: BodyReader;
  #state: State = 'before';
  /** Bytes of empty lines before the request line (RFC 9112, section 2.2). */
  #before = 0;

  /**
   * @param headerBytes - bytes that the target, the names and the values of a head may have together; also of trailers
   * @param memory - shared by the readers of all connections
   */
  constructor(headerBytes: number, memory?: SectionMemory) {
    this.#headerBytes = headerBytes;
    const limit = headerBytes + LINE_BYTES;
    this.#section = new SectionReader({
      limit,
      memory,
      checkBeginning: checkMethodBeginning,
      checkStartLine: readRequestLine,
    });
    this.#section.reset(true);
    this.#body = new BodyReader(headerBytes, MAX_CHUNK);
  }

  /** Whether nothing of a request has come that has not ended. */
  get rests(): boolean {
    return this.#state === 'before' && this.#before === 0;
  }

  /** Whether a part of a head has come. */
  get inHead(): boolean {
    return this.#state === 'head';
  }

  /** Whether the head of a request has come, and not yet all of its body. */
  get inBody(): boolean {
    return this.#state === 'body';
  }

  /** The connection has closed: gives back what is held of an unfinished head. */
  release(): void {
    this.#section.release();
  }

  /**
   * Takes the bytes of `chunk` from `start` to `end`, up to the end of one request.
   *
   * @returns where in `chunk` the request has ended: what stands behind is no part of it; or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number, handler: RequestHandler): number {
    if (this.#state === 'over') throw malformed('bytes behind the last request');
    let position = start;
    if (this.#state === 'before' || this.#state === 'empty line') position = this.#skipEmptyLines(chunk, start, end);
    if (this.#state === 'head' && position < end) {
      position = this.#section.push(chunk, position, end);
      if (position === MORE) return MORE;
      this.#head(handler);
    }
    if (this.#state !== 'body') return MORE;
    const stop = this.#body.push(chunk, position, end, handler);
    if (stop !== MORE) this.#complete(handler, this.#body.trailers);
    return stop;
  }

  #skipEmptyLines(chunk: Buffer, start: number, end: number): number {
    let position = start;
    for (; position < end; position += 1) {
      const byte = chunk[position];
      if (this.#state === 'empty line') {
        if (byte !== LF) throw malformed('CR without LF');
        this.#state = 'before';
      } else if (byte === CR) this.#state = 'empty line';
      else {
        this.#state = 'head';
        break;
      }
    }
    this.#before += position - start;
    if (this.#before > this.#headerBytes) throw new FormatError('header_too_large', 'too many empty lines');
    return position;
  }

  #head(handler: RequestHandler): void {
    const head = readRequestHead(this.#section.section, this.#headerBytes - this.#before);
    this.#state = 'body';
    this.#body.begin(head);
    handler.head(head);
  }

  #complete(handler: RequestHandler, trailers: FieldLines | undefined): void {
    // It means nothing there (RFC 9110, section 6.5.1), but llhttp takes it for the end of the connection.
    this.#state = trailers !== undefined && closesConnection(trailers) ? 'over' : 'before';
    this.#before = 0;
    this.#section.reset(true);
    handler.complete(trailers);
  }
}
