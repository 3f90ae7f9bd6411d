import { BodyReader, readFraming, type BodyFraming } from './body-reader.js';
import { connectionOptions, FormatError, joinedValues, malformed, type FieldLines } from './field-lines.js';
import type { RequestHead } from './request-head.js';
import type { SectionAccount } from './section-memory.js';
import { MORE, SectionReader, type Section, type SectionOptions } from './section.js';

/** The validated head of a response. */
export interface ResponseHead {
  /** The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1. */
  readonly minor: 0 | 1;
  readonly status: number;
  readonly reason: string;
  readonly lines: FieldLines;
  readonly framing: BodyFraming;
  /** Bytes of the body if framing is `length`. */
  readonly length: number;
  /** Options of Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** Whether the connection can carry another request after this response. */
  readonly reusable: boolean;
}

/** The request that a response belongs to. */
export type AnsweredRequest = Pick<RequestHead, 'method'> & Partial<Pick<RequestHead, 'switchesTo'>>;

/** Interim responses before a final one: a server that sends `102 Processing` every 20 seconds may do so for an hour. */
const MAX_INTERIM = 200;

type State = 'idle' | 'head' | 'body';

/** The beginning of every status line (RFC 9112, section 4). */
const BEGINNING = 'HTTP/';

/** Rejects a server of another protocol, like SSH, which sends a greeting and then waits. */
function checkStart(line: string, isComplete: boolean): void {
  const expected = isComplete ? BEGINNING : BEGINNING.slice(0, line.length);
  if (!line.startsWith(expected)) throw malformed('no status line');
}

/**
 * An incremental, sans-IO parser of HTTP/1.1 responses. It is at least as strict as Node's own parser without its lenient
 * switches: a test compares the two.
 */
export class ResponseReader {
  /**
   * The heads that the last {@link push} found: of interim responses, and of the final one or of 101 (Switching Protocols) to
   * a request that asked for it, after which nothing is HTTP.
   */
  heads: ResponseHead[] = [];
  /** The part of the response's body that the last {@link push} found. */
  readonly body: BodyReader;
  /** Whether a byte of the expected response was received. */
  hasBegun = false;
  #options: SectionOptions;
  #section: SectionReader;
  #state: State = 'idle';
  #request: AnsweredRequest = { method: '' };
  #interim = 0;

  /** @param headerBytes - the limit of a header section, and of a trailer section */
  constructor(headerBytes: number) {
    this.#options = { limit: headerBytes, checkStart };
    this.#section = new SectionReader(this.#options, true);
    this.body = new BodyReader(headerBytes);
  }

  /**
   * Expects the response to a request that is about to be sent.
   *
   * @param memory - is charged for the sections; the caller releases the retained head after the response
   */
  begin(request: AnsweredRequest, memory?: SectionAccount): void {
    this.#options = { ...this.#options, memory };
    // Not the whole head of the request: an idle connection would retain it.
    this.#request = { method: request.method, switchesTo: request.switchesTo };
    this.#state = 'head';
    this.hasBegun = false;
    this.#interim = 0;
    this.#section = new SectionReader(this.#options, true);
  }

  /** Whether the next bytes are content. */
  get inContent(): boolean {
    return this.#state === 'body' && !this.body.isInTrailer;
  }

  /** Frees the buffer of an incomplete head or trailer section, and forgets the current response. */
  release(): void {
    this.heads = [];
    this.#section.release();
    this.body.release();
  }

  /** Whether no response is expected: there was no request yet, or its response is complete. */
  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end`.
   *
   * @returns the position in `chunk` after the response, or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number): number {
    this.#clear();
    let position = start;
    while (position < end && this.#state === 'head') {
      this.hasBegun = true;
      const next = this.#section.push(chunk, position, end);
      if (next === MORE) return MORE;
      position = next;
      this.#head();
    }
    if (this.#state === 'head') return MORE;
    if (this.#state === 'idle') return position;
    const stop = this.body.push(chunk, position, end);
    if (stop !== MORE) this.#state = 'idle';
    return stop;
  }

  /**
   * Handles the orderly end of the connection.
   *
   * @throws {@link FormatError} `incomplete` unless the response ends with the connection
   */
  finish(): void {
    this.#clear();
    if (this.#state === 'idle') return;
    const isComplete = this.#state === 'body' && this.body.endsWithConnection;
    if (!isComplete) throw new FormatError('incomplete', 'connection ended too early');
    this.#state = 'idle';
    this.body.isComplete = true;
  }

  #clear(): void {
    this.heads = [];
    this.body.clear();
  }

  #head(): void {
    const section = this.#section.take();
    const head = readResponseHead(section, this.#request.method);
    if (head.status >= 200) this.#options.memory?.retain(section.memory);
    if (head.status === 101) this.#switch(head);
    else if (head.status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) throw malformed('too many interim responses');
      this.#section = new SectionReader(this.#options, true);
    } else {
      this.#state = 'body';
      this.body.begin(head, this.#options.memory);
    }
    this.heads.push(head);
  }

  /** Accepts only the protocol that the request named (RFC 9110, section 7.8). */
  #switch(head: ResponseHead): void {
    const { switchesTo } = this.#request;
    const granted = joinedValues(head.lines, 'upgrade').toLowerCase();
    const isAgreed = switchesTo?.toLowerCase() === granted && head.connection.has('upgrade');
    if (!isAgreed) throw malformed('101 for an upgrade that was not asked for');
    this.#state = 'idle';
  }
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-9][0-9]{2}(?: |$)/;

/**
 * Parses the head of a response.
 *
 * @param section - status line and field lines
 * @param method - of the request: the response to a HEAD has no body, and after that to a CONNECT nothing is HTTP
 * @throws {@link FormatError} for a status line or framing that is invalid or ambiguous
 */
function readResponseHead({ startLine, lines }: Section, method: string): ResponseHead {
  if (!STATUS_LINE.test(startLine)) throw malformed('status line that is not HTTP/1.0 or HTTP/1.1');
  const minor = startLine.startsWith('1', 7) ? 1 : 0;
  const status = Number(startLine.slice(9, 12));
  const framing = framingOf(lines, minor, status, method);
  const connection = connectionOptions(lines);
  const persistent = minor === 1 ? !connection.has('close') : connection.has('keep-alive');
  if (status < 200 && !persistent) throw malformed('interim response that closes the connection');
  return {
    minor,
    status,
    reason: startLine.slice(13),
    lines,
    connection,
    framing: framing.framing,
    length: framing.length,
    reusable: persistent && framing.isCertain,
  };
}

/** @returns also whether the next response on the connection certainly begins where this one ends */
function framingOf(lines: FieldLines, minor: number, status: number, method: string) {
  // RFC 9110, section 9.3.6: framing fields in a successful response to CONNECT are ignored.
  if (method === 'CONNECT' && status >= 200 && status < 300) {
    return { framing: 'none', length: 0, isCertain: false } as const;
  }
  return framingOfContent(lines, minor, status, method);
}

function framingOfContent(lines: FieldLines, minor: number, status: number, method: string) {
  const { framing, length } = readFraming(lines, minor);
  const isBodiless = status < 200 || status === 204;
  if (framing === 'chunked' && isBodiless) throw malformed('Transfer-Encoding in a response without a body');
  if (isBodiless || method === 'HEAD' || status === 304) {
    // Some servers send a body although the response has none: to HEAD, and of 204, if they declare one. A 304 may declare
    // the length of the representation that it omits (RFC 9110, section 8.6).
    const isCertain = framing !== 'chunked' && (length === 0 || status === 304);
    return { framing: 'none', length, isCertain } as const;
  }
  return { framing, length, isCertain: framing !== 'close' };
}
