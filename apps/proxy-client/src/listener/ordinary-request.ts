import { COLON, CR, LF, SPACE, TAB, skipFieldText, skipToken } from '../forward/wire/char-class.js';
import { kindOf, type FieldKind } from '../forward/wire/field-kind.js';

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
const VERSION = Buffer.from(' HTTP/1.1\r\n');
const HASH = 0x23;
const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;
const DELETE = 0x7f;

/** Fields that say more than what passes through: framing, and what is to happen with the connection. */
const NOT_ORDINARY: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'content-length',
  'expect',
  'transfer-encoding',
  'upgrade',
]);
const KEEP_ALIVE: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);
const PROXY_CONNECTION = 'proxy-connection';

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
  const fields = targetEnd + startsWith(chunk, targetEnd, VERSION);
  if (fields === targetEnd) return undefined;
  const marks: number[] = [];
  const length = skipFields(chunk, fields, marks) - start;
  if (length <= 0 || length >= limit) return undefined;
  const text = chunk.toString('latin1', start, start + length);
  const rawHeaders = ordinaryFields(text, marks, start);
  if (rawHeaders === undefined) return undefined;
  const method = begin === GET.length ? 'GET' : 'HEAD';
  const url = text.slice(method.length + 1, targetEnd - start);
  const authority = text.slice(begin, authorityEnd - start);
  return { method, url, authority, httpVersionMajor: 1, httpVersionMinor: 1, rawHeaders, length };
}

/** The length of `wanted` if `chunk` has it at `start`, else 0. */
function startsWith(chunk: Buffer, start: number, wanted: Buffer): number {
  for (let index = 0; index < wanted.length; index += 1) {
    if (chunk[start + index] !== wanted[index]) return 0;
  }
  return wanted.length;
}

/** What host and port are made of; whether they are in order is for whoever takes the target apart. */
const AUTHORITY = new Uint8Array(256);
for (const char of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~:[]')
  AUTHORITY[char.charCodeAt(0)] = 1;

/** Where the authority ends; the end of `chunk` if there is none, or other bytes are in it. */
function skipAuthority(chunk: Buffer, start: number): number {
  let position = start;
  while (AUTHORITY[chunk[position] ?? 0] === 1) position += 1;
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

/**
 * Notes three offsets for each field: its name, its value and the end of the line.
 *
 * @returns the end of the head; 0 if it is not there, or a field is written in another way
 */
function skipFields(chunk: Buffer, start: number, marks: number[]): number {
  let position = start;
  while (chunk[position] !== CR) {
    const nameEnd = skipToken(chunk, position, chunk.length);
    if (nameEnd === position || chunk[nameEnd] !== COLON || chunk[nameEnd + 1] !== SPACE) return 0;
    const value = nameEnd + 2;
    const lineEnd = skipValue(chunk, value);
    if (lineEnd === 0) return 0;
    marks.push(position, value, lineEnd);
    position = lineEnd + 2;
  }
  return chunk[position + 1] === LF ? position + 2 : 0;
}

/** Where the value that begins at `start` ends, with no blanks around it and a CRLF behind it; 0 if it does not. */
function skipValue(chunk: Buffer, start: number): number {
  const end = skipFieldText(chunk, start, chunk.length);
  if (chunk[end] !== CR || chunk[end + 1] !== LF) return 0;
  return end === start || isBlank(chunk[start]) || isBlank(chunk[end - 1]) ? 0 : end;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** The names and values; undefined if one of them is not ordinary. */
function ordinaryFields(text: string, marks: readonly number[], start: number): string[] | undefined {
  const fields: string[] = [];
  for (let index = 0; index < marks.length; index += 3) {
    const valueStart = (marks[index + 1] ?? 0) - start;
    const name = text.slice((marks[index] ?? 0) - start, valueStart - 2);
    const value = text.slice(valueStart, (marks[index + 2] ?? 0) - start);
    if (!isOrdinary(name, value)) return undefined;
    fields.push(name, value);
  }
  return fields;
}

function isOrdinary(name: string, value: string): boolean {
  const kind = kindOf(name);
  if (kind === undefined) return true;
  if (kind === 'connection' || (kind === 'proxy' && name.toLowerCase() === PROXY_CONNECTION)) {
    return KEEP_ALIVE.has(value);
  }
  return !NOT_ORDINARY.has(kind);
}
