import type { BodyFraming } from './body-reader.js';
import type { FieldKind, FieldLines } from './field-lines.js';
import { connectionOptions, joinValues, parseContentLength } from './field-values.js';
import { malformed } from './format-error.js';
import type { Section } from './section.js';

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
  /** Value of Upgrade; empty if there is none. */
  readonly upgrade: string;
  /** Value of Keep-Alive; empty if there is none. */
  readonly keepAlive: string;
  /** Values of WWW-Authenticate, joined by commas; empty if there is none. */
  readonly challenge: string;
  readonly hasDate: boolean;
  /** Whether the connection can carry another request after this response. */
  readonly reusable: boolean;
}

interface Fields {
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  connection: string;
  upgrade: string;
  keepAlive: string;
  challenge: string;
  hasDate: boolean;
}

const STATUS_LINE = /^HTTP\/1\.[01] [1-9][0-9]{2}(?: |$)/;
const CHUNKED = /^chunked$/i;

/**
 * Parses the head of a response.
 *
 * @param section - status line and field lines
 * @param toHead - whether the request was a HEAD, whose response has no body
 * @throws {@link FormatError} for a status line or framing that is invalid or ambiguous
 */
export function readResponseHead(section: Section, toHead: boolean): ResponseHead {
  const { startLine } = section;
  if (!STATUS_LINE.test(startLine)) throw malformed('status line that is not HTTP/1.0 or HTTP/1.1');
  const minor = startLine.startsWith('1', 7) ? 1 : 0;
  const status = Number(startLine.slice(9, 12));
  const fields = collect(section.lines);
  checkFraming(fields, minor, status);
  const framing = bodyFraming(fields, status, toHead);
  const length = fields.contentLength === undefined ? 0 : lengthOf(fields.contentLength);
  const connection = connectionOptions(fields.connection);
  const persistent = isPersistent(minor, connection);
  if (status < 200 && !persistent) throw malformed('interim response that closes the connection');
  return {
    minor,
    status,
    reason: startLine.slice(13),
    lines: section.lines,
    framing,
    length,
    connection,
    upgrade: fields.upgrade,
    keepAlive: fields.keepAlive,
    challenge: fields.challenge,
    hasDate: fields.hasDate,
    reusable: persistent && framing !== 'close' && !(framing === 'none' && mayHaveBody(fields, status, length)),
  };
}

function collect(lines: FieldLines): Fields {
  const fields: Fields = {
    contentLength: undefined,
    transferEncoding: undefined,
    connection: '',
    upgrade: '',
    keepAlive: '',
    challenge: '',
    hasDate: false,
  };
  for (let line = 0; line < lines.length; line += 1) {
    const kind = lines.kind(line);
    if (kind !== undefined) addField(fields, kind, lines.value(line));
    if (kind === 'transfer-encoding' && lines.line(line).endsWith('\t\r\n')) {
      // Some parsers read it as a part of the coding.
      throw malformed('tab after Transfer-Encoding');
    }
  }
  return fields;
}

function addField(fields: Fields, kind: FieldKind, value: string): void {
  switch (kind) {
    case 'content-length':
      if (fields.contentLength !== undefined) throw malformed('several Content-Length fields');
      fields.contentLength = value;
      break;
    case 'transfer-encoding':
      if (fields.transferEncoding !== undefined) throw malformed('several Transfer-Encoding fields');
      fields.transferEncoding = value;
      break;
    case 'connection':
      fields.connection = joinValues(fields.connection, value);
      break;
    case 'upgrade':
      fields.upgrade = joinValues(fields.upgrade, value);
      break;
    default:
      addHint(fields, kind, value);
  }
}

function addHint(fields: Fields, kind: FieldKind, value: string): void {
  if (kind === 'date') fields.hasDate = true;
  else if (kind === 'keep-alive') fields.keepAlive = joinValues(fields.keepAlive, value);
  else if (kind === 'www-authenticate') fields.challenge = joinValues(fields.challenge, value);
}

/** Rejects ambiguous framing (RFC 9112, sections 6.1 and 6.3). */
function checkFraming({ contentLength, transferEncoding }: Fields, minor: number, status: number): void {
  if (transferEncoding === undefined) return;
  if (!CHUNKED.test(transferEncoding)) throw malformed('Transfer-Encoding other than chunked');
  if (contentLength !== undefined) throw malformed('Content-Length with Transfer-Encoding');
  if (minor === 0) throw malformed('Transfer-Encoding in HTTP/1.0');
  if (status < 200 || status === 204) throw malformed('Transfer-Encoding in a response without a body');
}

function lengthOf(contentLength: string): number {
  const length = parseContentLength(contentLength);
  if (length === undefined) throw malformed('Content-Length that is not a length');
  return length;
}

function bodyFraming({ contentLength, transferEncoding }: Fields, status: number, toHead: boolean): BodyFraming {
  if (toHead || status < 200 || status === 204 || status === 304) return 'none';
  if (transferEncoding !== undefined) return 'chunked';
  return contentLength === undefined ? 'close' : 'length';
}

function isPersistent(minor: number, connection: ReadonlySet<string>): boolean {
  return minor === 1 ? !connection.has('close') : connection.has('keep-alive');
}

/**
 * Whether some servers send a body although the response has none: responses to HEAD, and 204, that declare one. A 304 may
 * declare the length of the representation that it omits (RFC 9110, section 8.6).
 */
function mayHaveBody({ transferEncoding }: Fields, status: number, length: number): boolean {
  return transferEncoding !== undefined || (status !== 304 && length > 0);
}
