import { BodyReader } from './body-reader.js';
import type { BodySink } from './chunked-decoder.js';
import type { FieldLines } from './field-lines.js';
import { FormatError, malformed } from './format-error.js';
import { readResponseHead, type ResponseHead } from './response-head.js';
import { SectionReader } from './section.js';
import { MORE } from './scanner.js';

/** Takes the parts of one answer in their order. */
export interface ResponseHandler extends BodySink {
  /** A 1xx answer, 101 excepted; the final one is still to come. */
  informational(head: ResponseHead): void;
  /** 101 (Switching Protocols) to a request that asked for it: HTTP ends here. */
  switched(head: ResponseHead): void;
  /** The head of the final answer. */
  head(head: ResponseHead): void;
  /** The end of the answer. */
  complete(trailers: FieldLines | undefined): void;
}

/** What an answer belongs to. */
export interface AnsweredRequest {
  readonly method: string;
  /** The protocol that the request asked for in Upgrade; absent if it asked for none. */
  readonly upgrade?: string | undefined;
}

/** Interim answers before a final one: a server that says `102 Processing` every 20 seconds may do so for an hour. */
const MAX_INTERIM = 200;

type State = 'idle' | 'head' | 'body';

/** How every status line begins (RFC 9112, section 4). */
const BEGINNING = Buffer.from('HTTP/');

/** A server of another protocol greets and then waits, like SSH: no line of it need ever end. */
function checkStatusLine(buffer: Buffer, start: number, end: number): void {
  const length = Math.min(end - start, BEGINNING.length);
  if (buffer.compare(BEGINNING, 0, length, start, start + length) !== 0) throw malformed('no status line');
}

/**
 * Reads HTTP/1.1 answers from bytes, without any input or output of its own. It is at least as strict as Node's own
 * parser without its lenient switches: what that one refuses is refused here too (a test compares the two).
 */
export class ResponseReader {
  readonly #section: SectionReader;
  readonly #body: BodyReader;
  #state: State = 'idle';
  #request: AnsweredRequest = { method: '' };
  #interim = 0;
  #begun = false;

  /** @param headerBytes - bytes that a header section, and a trailer section, may have */
  constructor(headerBytes: number) {
    this.#section = new SectionReader({ limit: headerBytes, checkBeginning: checkStatusLine });
    this.#body = new BodyReader(headerBytes);
  }

  /** Awaits the answer to a request that is about to be sent. */
  begin(request: AnsweredRequest): void {
    this.#request = request;
    this.#state = 'head';
    this.#begun = false;
    this.#interim = 0;
    this.#section.reset(true);
  }

  /** Whether no answer is awaited: none was yet, or it has come as a whole. */
  get idle(): boolean {
    return this.#state === 'idle';
  }

  /** Whether a byte of the awaited answer has come. */
  get begun(): boolean {
    return this.#begun;
  }

  /**
   * Takes the bytes of `chunk` from `start` to `end`.
   *
   * @returns where in `chunk` the answer has ended: what stands behind is no part of it; or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number, handler: ResponseHandler): number {
    let position = start;
    while (position < end && this.#state === 'head') {
      this.#begun = true;
      const next = this.#section.push(chunk, position, end);
      if (next === MORE) return MORE;
      position = next;
      this.#head(handler);
    }
    if (this.#state === 'head') return MORE;
    if (this.#state === 'idle') return position;
    const stop = this.#body.push(chunk, position, end, handler);
    if (stop !== MORE) this.#complete(handler, this.#body.trailers);
    return stop;
  }

  /**
   * The connection has ended in order.
   *
   * @throws {@link FormatError} `incomplete` unless the answer ends with the connection
   */
  finish(handler: ResponseHandler): void {
    if (this.#state === 'idle') return;
    if (this.#state === 'head' || !this.#body.endsWithConnection)
      throw new FormatError('incomplete', 'connection ended too early');
    this.#complete(handler, undefined);
  }

  #head(handler: ResponseHandler): void {
    const head = readResponseHead(this.#section.section, this.#request.method === 'HEAD');
    if (head.status === 101) this.#switch(head, handler);
    else if (head.status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) throw malformed('too many interim answers');
      this.#section.reset(true);
      handler.informational(head);
    } else {
      this.#state = 'body';
      this.#body.begin(head);
      handler.head(head);
    }
  }

  /** RFC 9110, section 7.8: only the protocol that was asked for can be switched to. */
  #switch(head: ResponseHead, handler: ResponseHandler): void {
    const { upgrade } = this.#request;
    const agreed = upgrade?.toLowerCase() === head.upgrade.toLowerCase() && head.connection.has('upgrade');
    if (!agreed) throw malformed('101 for an upgrade that was not asked for');
    this.#state = 'idle';
    handler.switched(head);
  }

  #complete(handler: ResponseHandler, trailers: FieldLines | undefined): void {
    this.#state = 'idle';
    handler.complete(trailers);
  }
}
