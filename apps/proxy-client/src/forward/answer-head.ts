import type { BodyFraming } from '../http/body-reader.js';
import type { FieldKind } from '../http/field-kind.js';
import type { FieldLines } from '../http/field-lines.js';
import { httpDate } from '../http/answer-parts.js';
import type { ResponseHead } from '../http/response-head.js';
import { originStatus } from './proxy-status.js';

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

function keptLines({ lines, connection }: ResponseHead, withoutLength: boolean): string {
  return lines.without(withoutLength ? ENDS_HERE_AND_LENGTH : ENDS_HERE, connection, withoutOurName);
}

const ENDS_HERE_AND_LENGTH: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'content-length']);

/** What an origin says in Proxy-Status is never taken for this proxy's word. */
export function withoutOurName(lines: FieldLines, line: number, kind: FieldKind | undefined): string | undefined {
  if (kind !== 'proxy-status') return undefined;
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
