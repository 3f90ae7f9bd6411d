import { ProxyFailure } from '../failure/proxy-failure.js';
import { CR, SPACE } from '../forward/wire/char-class.js';
import { ChunkedDecoder, type BodySink } from '../forward/wire/chunked-decoder.js';
import { ResponseFormatError } from '../forward/wire/response-format-error.js';
import { MORE } from '../forward/wire/section-scanner.js';
import { RequestLineCheck } from './request-line-check.js';

/** Bytes that a chunk of a request may have: below 2^31, since parsers before and behind us count in 32 bits. */
const MAX_CHUNK = 0x7fff_ffff;
const HEAD_END = Buffer.from('\r\n\r\n');
const NOWHERE: BodySink = { body: () => undefined };

/** The position of the next control character, such as CR; the last position if there is none. */
function skipText(chunk: Buffer, from: number): number {
  let position = from;
  while (position < chunk.length - 1 && (chunk[position] ?? 0) >= SPACE) position += 1;
  return position;
}

/** The body behind a head: bytes, or `chunked`. */
export type GuardedBody = number | 'chunked';

type State = 'line' | 'fields' | 'head over' | 'counted' | 'chunked';

/**
 * Looks at what a client sends before Node's parser does, for what that one would take: see {@link RequestLineCheck}, and
 * chunks of any size up to 2^64, in any spelling that {@link ChunkedDecoder} refuses. Where a head ends is plain, since the
 * parser takes no line that ends otherwise than in CRLF; what body follows is for the caller to say.
 */
export class RequestGuard {
  readonly #line = new RequestLineCheck();
  readonly #chunks: ChunkedDecoder;
  #state: State = 'line';
  /** Bytes of the end of the head that were the last ones to come. */
  #matched = 0;
  #left = 0;

  /** @param headerBytes - bytes that a trailer section may have */
  constructor(headerBytes: number) {
    this.#chunks = new ChunkedDecoder(headerBytes, MAX_CHUNK);
  }

  /** Whether the bytes so far end with a head: {@link body} has to be called before more are taken. */
  get headOver(): boolean {
    return this.#state === 'head over';
  }

  /** Whether nothing of a message has come that has not ended. */
  get rests(): boolean {
    return this.#state === 'line' && this.#line.rests;
  }

  /** Says what follows the head. */
  body(body: GuardedBody): void {
    if (body === 'chunked') {
      this.#state = 'chunked';
      this.#chunks.reset();
    } else if (body > 0) {
      this.#state = 'counted';
      this.#left = body;
    } else this.#begin();
  }

  /**
   * Takes the bytes of `chunk` from `start` on, up to the end of a head or of a message.
   *
   * @returns where in `chunk` that is; the end of `chunk` if it goes on
   * @throws {@link ProxyFailure} `bad_request`, `request_body_malformed`
   */
  next(chunk: Buffer, start: number): number {
    switch (this.#state) {
      case 'line':
        return this.#requestLine(chunk, start);
      case 'fields':
        return this.#fields(chunk, start);
      case 'counted':
        return this.#counted(chunk, start);
      case 'chunked':
        return this.#chunked(chunk, start);
      case 'head over':
        throw new Error('Nobody has said what follows the head.');
    }
  }

  #begin(): void {
    this.#state = 'line';
    this.#line.reset();
  }

  #requestLine(chunk: Buffer, start: number): number {
    const stop = this.#line.push(chunk, start);
    if (stop === MORE) return chunk.length;
    this.#state = 'fields';
    this.#matched = 2;
    return this.#fields(chunk, stop);
  }

  #fields(chunk: Buffer, start: number): number {
    for (let position = start; position < chunk.length; position += 1) {
      if (this.#matched === 0) position = skipText(chunk, position);
      const byte = chunk[position];
      if (byte === HEAD_END[this.#matched]) this.#matched += 1;
      else this.#matched = byte === CR ? 1 : 0;
      if (this.#matched === HEAD_END.length) {
        this.#state = 'head over';
        return position + 1;
      }
    }
    return chunk.length;
  }

  #counted(chunk: Buffer, start: number): number {
    const stop = Math.min(chunk.length, start + this.#left);
    this.#left -= stop - start;
    if (this.#left === 0) this.#begin();
    return stop;
  }

  #chunked(chunk: Buffer, start: number): number {
    try {
      const stop = this.#chunks.push(chunk, start, chunk.length, NOWHERE);
      if (stop === MORE) return chunk.length;
      this.#begin();
      return stop;
    } catch (error) {
      if (error instanceof ResponseFormatError)
        throw new ProxyFailure('request_body_malformed', { detail: error.message });
      throw error;
    }
  }
}
