import type { FieldLines } from '../wire/field-lines.js';
import type { FieldKind } from '../wire/field-kind.js';
import { originStatus } from './proxy-status.js';
import { httpDate } from './http-date.js';
import { NOT_IN_TRAILER } from '../wire/trailer-rules.js';
import { namesNoField } from '../wire/connection-options.js';
import type { BodyFraming, ResponseHead } from '../wire/response-head.js';

/** How the head of an answer to the client is written. */
export interface AnswerHeadOptions {
  /** How the body goes to the client; `length` keeps the origin's Content-Length. */
  readonly framing: BodyFraming;
  /** The minor version of the client's HTTP/1.x. */
  readonly clientMinor: number;
  /** Whether the client's connection goes on behind the answer. */
  readonly keepAlive: boolean;
  /** This proxy's name in Via; without it none is added. */
  readonly viaToken: string | undefined;
}

/** Schemes that authenticate a connection instead of a request (RFC 4559, section 6). */
const CONNECTION_SCHEMES = /\b(?:NTLM|Negotiate)\b/i;

/** Fields that end at this hop (RFC 9110, section 7.6.1); an origin's Proxy-Status goes on. */
const ENDS_HERE: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'connection',
  'keep-alive',
  'proxy',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Whether the values of WWW-Authenticate or Authorization belong to a scheme that authenticates the connection. */
export function authenticatesConnection(values: string): boolean {
  return values !== '' && CONNECTION_SCHEMES.test(values);
}

/**
 * The head of an answer as it goes to the client (latin1): the origin's lines as they came, without those that end here,
 * then what is written anew.
 */
export function answerHead(head: ResponseHead, options: AnswerHeadOptions): string {
  const withoutLength = options.framing !== 'length' && options.framing !== 'none';
  const kept = keptLines(head, withoutLength || head.status === 204);
  return `HTTP/1.1 ${head.status} ${head.reason}\r\n${kept}${added(head, options)}\r\n`;
}

/** The head of an interim answer as it goes to the client (RFC 9110, section 15.2). */
export function interimHead(head: ResponseHead): string {
  return `HTTP/1.1 ${head.status} ${head.reason}\r\n${keptLines(head, true)}\r\n`;
}

/** The head of 101 (RFC 9110, section 7.8): Connection and Upgrade are written anew. */
export function switchingHead(head: ResponseHead): string {
  return `HTTP/1.1 101 ${head.reason}\r\n${keptLines(head, true)}Connection: Upgrade\r\nUpgrade: ${head.upgrade}\r\n\r\n`;
}

/**
 * The trailer section as it goes to the client, the empty line included.
 *
 * @param named - options of Connection in the header, in lower case: what they name ends here, wherever it stands
 */
export function trailerSection(lines: FieldLines, named: ReadonlySet<string>): string {
  return `${filtered(lines, named, NOT_IN_TRAILER)}\r\n`;
}

function keptLines({ lines, connection }: ResponseHead, withoutLength: boolean): string {
  return filtered(lines, connection, withoutLength ? ENDS_HERE_AND_LENGTH : ENDS_HERE);
}

const ENDS_HERE_AND_LENGTH: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'content-length']);

/** The lines but those of `dropped` kinds and those that are named; neighbours that stay are copied in one piece. */
function filtered(lines: FieldLines, named: ReadonlySet<string>, dropped: ReadonlySet<FieldKind>): string {
  const { text } = lines;
  const nothingNamed = namesNoField(named);
  let kept = '';
  let start = lines.lineStart(0);
  for (let line = 0; line < lines.length; line += 1) {
    const kind = lines.kind(line);
    const ends = kind !== undefined && dropped.has(kind);
    // Framing goes by what was read, never by what Connection names.
    const stays = !ends && (nothingNamed || kind === 'content-length' || !named.has(lines.name(line)));
    if (stays && kind !== 'proxy-status') continue;
    kept += text.slice(start, lines.lineStart(line)) + (stays ? originStatusLine(lines, line) : '');
    start = lines.lineStart(line + 1);
  }
  return kept + text.slice(start, lines.lineStart(lines.length));
}

function originStatusLine(lines: FieldLines, line: number): string {
  const status = originStatus(lines.value(line));
  return status === undefined ? '' : `Proxy-Status: ${status}\r\n`;
}

function added(head: ResponseHead, options: AnswerHeadOptions): string {
  const date = head.hasDate ? '' : `Date: ${httpDate()}\r\n`;
  const via = options.viaToken === undefined ? '' : `Via: 1.${head.minor} ${options.viaToken}\r\n`;
  const support = authenticatesConnection(head.challenge) ? 'Proxy-Support: Session-Based-Authentication\r\n' : '';
  const chunked = options.framing === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
  return date + via + support + chunked + connectionLines(head, options);
}

/** RFC 9112, section 9.3; RFC 9110, section 15.5.22: 426 says in Upgrade what it wants. */
function connectionLines({ status, upgrade }: ResponseHead, { keepAlive, clientMinor }: AnswerHeadOptions): string {
  const required = status === 426 && upgrade !== '' ? `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n` : '';
  if (!keepAlive) return `${required}Connection: close\r\n`;
  return clientMinor === 0 ? `${required}Connection: keep-alive\r\n` : required;
}
