import { COLON, CR, LF, SPACE, TAB, skipFieldText, skipToken } from '../forward/wire/char-class.js';
import { kindOf, type FieldKind } from '../forward/wire/field-kind.js';

// What the readers of ordinary requests share; see there for what ordinary is.

const VERSION = Buffer.from(' HTTP/1.1\r\n');

/** Fields that say more than what passes through: framing, and what is to happen with the connection. */
const NOT_ORDINARY: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'content-length',
  'expect',
  'transfer-encoding',
  'upgrade',
]);
const KEEP_ALIVE: ReadonlySet<string> = new Set(['keep-alive', 'Keep-Alive']);
const PROXY_CONNECTION = 'proxy-connection';

/** The length of `wanted` if `chunk` has it at `start`, else 0. */
export function startsWith(chunk: Buffer, start: number, wanted: Buffer): number {
  for (let index = 0; index < wanted.length; index += 1) {
    if (chunk[start + index] !== wanted[index]) return 0;
  }
  return wanted.length;
}

/** What host and port are made of; whether they are in order is for whoever takes the target apart. */
const AUTHORITY = new Uint8Array(256);
for (const char of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~:[]')
  AUTHORITY[char.charCodeAt(0)] = 1;

/** Where the bytes that host and port are made of end. */
export function skipHost(chunk: Buffer, start: number): number {
  let position = start;
  while (AUTHORITY[chunk[position] ?? 0] === 1) position += 1;
  return position;
}

/** A head that is there as a whole. */
export interface OrdinaryHead {
  /** All of it (latin1). */
  readonly text: string;
  /** Names and values, one after the other. */
  readonly rawHeaders: readonly string[];
}

/**
 * Reads the head that begins at `start` and whose target ends at `targetEnd`: on from there, that is ` HTTP/1.1` and the
 * fields.
 *
 * @param limit - bytes that it may have; one of as many or more is not ordinary
 * @returns undefined if it is not there as a whole, or is not ordinary
 */
export function readHead(chunk: Buffer, start: number, targetEnd: number, limit: number): OrdinaryHead | undefined {
  const marks: number[] = [];
  const length = skipFields(chunk, targetEnd, marks) - start;
  if (length <= 0 || length >= limit) return undefined;
  const text = chunk.toString('latin1', start, start + length);
  const rawHeaders = readFields(text, marks, start);
  return rawHeaders && { text, rawHeaders };
}

/**
 * Reads on behind the target, that is ` HTTP/1.1` and the fields, and notes three offsets for each field: its name, its
 * value and the end of the line.
 *
 * @returns the end of the head; 0 if it is not there, or something is written in another way
 */
function skipFields(chunk: Buffer, targetEnd: number, marks: number[]): number {
  let position = targetEnd + startsWith(chunk, targetEnd, VERSION);
  if (position === targetEnd) return 0;
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

/** The names and values that {@link skipFields} has noted; undefined if one of them is not ordinary. */
function readFields(text: string, marks: readonly number[], start: number): string[] | undefined {
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
