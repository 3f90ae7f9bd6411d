import type { BodyFraming } from '../http/body-reader.js';
import { forwardedLines, HOP_BY_HOP, joinedValues, type FieldKind } from '../http/field-lines.js';
import { httpDate } from '../http/own-response.js';
import type { ResponseHead } from '../http/response-reader.js';

/** Schemes that authenticate a connection instead of a request (RFC 4559, section 6). */
const CONNECTION_SCHEMES = /\b(?:NTLM|Negotiate)\b/i;

/** Fields that are not forwarded. */
const DROPPED: ReadonlySet<FieldKind | undefined> = new Set(HOP_BY_HOP);
const DROPPED_WITH_LENGTH: ReadonlySet<FieldKind | undefined> = new Set<FieldKind>([...HOP_BY_HOP, 'content-length']);

/** Whether WWW-Authenticate or Authorization names a scheme that authenticates the connection. */
export function authenticatesConnection(values: string): boolean {
  return values !== '' && CONNECTION_SCHEMES.test(values);
}

/**
 * Returns the head of a response to the client (latin1): the origin's end-to-end lines, then the lines of this hop.
 *
 * @param framing - of the body towards the client; `length` keeps the origin's Content-Length
 * @param viaToken - this proxy's name in Via; undefined if Via is off
 * @param connection - the option of Connection (RFC 9112, section 9.3), if one is needed
 */
export function responseHead(
  head: ResponseHead,
  framing: BodyFraming,
  viaToken: string | undefined,
  connection: 'close' | 'keep-alive' | undefined,
): string {
  const { status, reason, lines } = head;
  const kept = endToEndLines(head, status === 204 || (framing !== 'length' && framing !== 'none'));
  const date = lines.some(({ kind }) => kind === 'date') ? '' : `Date: ${httpDate()}\r\n`;
  const via = viaToken === undefined ? '' : `Via: 1.${head.minor} ${viaToken}\r\n`;
  const authenticates = authenticatesConnection(joinedValues(lines, 'www-authenticate'));
  const support = authenticates ? 'Proxy-Support: Session-Based-Authentication\r\n' : '';
  const chunked = framing === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
  // RFC 9110, section 15.5.22: 426 names the required protocol in Upgrade.
  const upgrade = status === 426 ? joinedValues(lines, 'upgrade') : '';
  const required = upgrade === '' ? '' : `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  const persistence = connection === undefined ? '' : `Connection: ${connection}\r\n`;
  return `HTTP/1.1 ${status} ${reason}\r\n${kept}${date}${via}${support}${chunked}${required}${persistence}\r\n`;
}

/** Returns the head of an interim response to the client (RFC 9110, section 15.2). */
export function interimHead(head: ResponseHead): string {
  return `HTTP/1.1 ${head.status} ${head.reason}\r\n${endToEndLines(head, true)}\r\n`;
}

/** Returns the head of 101 to the client (RFC 9110, section 7.8). */
export function switchingHead(head: ResponseHead): string {
  const kept = endToEndLines(head, true);
  const upgrade = joinedValues(head.lines, 'upgrade');
  return `HTTP/1.1 101 ${head.reason}\r\n${kept}Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n\r\n`;
}

function endToEndLines({ lines, connection }: ResponseHead, withoutLength: boolean): string {
  return forwardedLines(lines, withoutLength ? DROPPED_WITH_LENGTH : DROPPED, connection);
}

/** Returns the framing towards the client: chunked for a body without a length, up to the end of the connection in HTTP/1.0. */
export function framingFor(framing: BodyFraming, clientMinor: number): BodyFraming {
  if (framing === 'close' || framing === 'chunked') return clientMinor === 1 ? 'chunked' : 'close';
  return framing;
}
