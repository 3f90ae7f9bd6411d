import { BodyReader } from './body-reader.js';
import { connectionOptions, FormatError, malformed, type FieldLines } from './field-lines.js';
import { checkRequestStart, readRequestHead, type RequestHead } from './request-head.js';
import type { SectionAccount } from './section-memory.js';
import { CR, LF, MORE, SectionReader, type SectionOptions } from './section.js';

type State = 'before' | 'empty line' | 'head' | 'body' | 'finished';

/** The limit of one chunk in bytes: below 2^31, since parsers before and behind this proxy count in 32 bits. */
const MAX_CHUNK = 0x7fff_ffff;
/** Bytes of a request line in addition to its target: method, two blanks, version. */
const LINE_BYTES = 32;

/**
 * An incremental, sans-IO parser of HTTP/1.1 requests. It is at least as strict as Node's own parser without its lenient
 * switches, with one exception: names in UTF-8 in the target of CONNECT. A test compares the two.
 */
export class RequestReader {
  /** The head, if the last {@link push} found its end. */
  head: RequestHead | undefined;
  /** The part of the current request's body that the last {@link push} found. */
  readonly body: BodyReader;
  readonly #headerBytes: number;
  readonly #options: SectionOptions;
  #section: SectionReader;
  #state: State = 'before';
  /** Bytes of empty lines before the request line (RFC 9112, section 2.2). */
  #before = 0;

  /**
   * @param headerBytes - bytes that the target, the names and the values of a head may have together; also of trailers
   * @param memory - is charged for the sections; the caller releases the retained head after the request
   */
  constructor(headerBytes: number, memory?: SectionAccount) {
    this.#headerBytes = headerBytes;
    this.#options = { limit: headerBytes + LINE_BYTES, memory, checkStart: checkRequestStart };
    this.#section = new SectionReader(this.#options, true);
    this.body = new BodyReader(headerBytes, MAX_CHUNK);
  }

  /** Whether no incomplete request was received. */
  get isIdle(): boolean {
    return this.#state === 'before' && this.#before === 0;
  }

  /** Whether a part of a head was received. */
  get inHead(): boolean {
    return this.#state === 'head';
  }

  /** Whether the head of a request was received, and not yet all of its body. */
  get inBody(): boolean {
    return this.#state === 'body';
  }

  /** Whether the next bytes are content. */
  get inContent(): boolean {
    return this.inBody && !this.body.isInTrailer;
  }

  /** Frees the buffer of an incomplete head or trailer section, and forgets the current request. */
  release(): void {
    this.head = undefined;
    this.#section.release();
    this.body.release();
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end`, up to the end of one request.
   *
   * @returns the position in `chunk` after the request, or {@link MORE}
   * @throws {@link FormatError}; the parts before the error were found
   */
  push(chunk: Buffer, start: number, end: number): number {
    this.head = undefined;
    this.body.clear();
    if (this.#state === 'finished') throw malformed('bytes after the last request');
    let position = start;
    if (this.#state === 'before' || this.#state === 'empty line') position = this.#skipEmptyLines(chunk, start, end);
    if (this.#state === 'head' && position < end) {
      position = this.#section.push(chunk, position, end);
      if (position === MORE) return MORE;
      const section = this.#section.take();
      this.#options.memory?.retain(section.memory);
      this.head = readRequestHead(section, this.#headerBytes - this.#before);
      this.#state = 'body';
      this.body.begin(this.head, this.#options.memory);
    }
    if (this.#state !== 'body') return MORE;
    const stop = this.body.push(chunk, position, end);
    if (stop !== MORE) this.#complete(this.body.trailers);
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

  #complete(trailers: FieldLines | undefined): void {
    // It has no meaning in a trailer (RFC 9110, section 6.5.1), but llhttp closes the connection for it.
    const closes = trailers !== undefined && closesConnection(trailers);
    this.#state = closes ? 'finished' : 'before';
    this.#before = 0;
    this.#section = new SectionReader(this.#options, true);
  }
}

/** Whether Connection or, of old clients, Proxy-Connection closes the connection. */
function closesConnection(lines: FieldLines): boolean {
  return connectionOptions(lines).has('close') || connectionOptions(lines, 'proxy-connection').has('close');
}
