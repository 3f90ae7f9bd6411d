import { SPACE } from '../forward/wire/char-class.js';
import { readHead, skipHost, startsWith } from './ordinary-head.js';

/** A request that {@link readOrdinaryRequest} has read, in the words of node:http's IncomingMessage. */
export interface OrdinaryRequest {
  readonly method: 'GET' | 'HEAD';
  /** In absolute-form. */
  readonly url: string;
  /** The authority in it. */
  readonly authority: string;
  readonly httpVersionMajor: 1;
  readonly httpVersionMinor: 1;
  /** Names and values, one after the other, as they came (latin1). */
  readonly rawHeaders: readonly string[];
  /** Bytes that it has. */
  readonly length: number;
}

const GET = Buffer.from('GET http://');
const HEAD = Buffer.from('HEAD http://');
const HASH = 0x23;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const DELETE = 0x7f;

/**
 * Reads the request that begins at `start` if it is an ordinary one and lies whole in `chunk`: GET or HEAD of an http
 * target in absolute-form, HTTP/1.1, on a connection that is to be kept, without a body, each field written
 * `name: value`. Ordinary is only what node:http takes as well, and reads in the very same way (a test compares the two);
 * all the rest is left to it.
 *
 * @param limit - bytes that a head may have; one of as many or more is not ordinary
 */
export function readOrdinaryRequest(chunk: Buffer, start: number, limit: number): OrdinaryRequest | undefined {
  const begin = startsWith(chunk, start, GET) + startsWith(chunk, start, HEAD);
  if (begin === 0) return undefined;
  const authorityEnd = skipAuthority(chunk, start + begin);
  const targetEnd = skipTarget(chunk, authorityEnd);
  const head = readHead(chunk, start, targetEnd, limit);
  if (head === undefined) return undefined;
  const { text, rawHeaders } = head;
  const method = begin === GET.length ? 'GET' : 'HEAD';
  const url = text.slice(method.length + 1, targetEnd - start);
  const authority = text.slice(begin, authorityEnd - start);
  return { method, url, authority, httpVersionMajor: 1, httpVersionMinor: 1, rawHeaders, length: text.length };
}

/** Where the authority ends; the end of `chunk` if there is none, or other bytes are in it. */
function skipAuthority(chunk: Buffer, start: number): number {
  const position = skipHost(chunk, start);
  const byte = chunk[position];
  return position > start && (byte === SLASH || byte === QUESTION_MARK || byte === SPACE) ? position : chunk.length;
}

function skipTarget(chunk: Buffer, start: number): number {
  let position = start;
  while (position < chunk.length && isVisible(chunk[position] ?? 0)) position += 1;
  return position;
}

function isVisible(byte: number): boolean {
  return byte > SPACE && byte < DELETE && byte !== HASH;
}
