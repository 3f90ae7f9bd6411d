import { readFraming, type BodyFraming } from './body-reader.js';
import { connectionOptions, FormatError, joinedValues, malformed, singleLine, type FieldLines } from './field-lines.js';
import type { Section } from './section.js';

/** How the end of a request's body is found: never by the end of its connection. */
export type RequestFraming = Exclude<BodyFraming, 'close'>;

/** The validated head of a request. */
export interface RequestHead {
  readonly method: string;
  /** As it was sent, in latin1; it contains no control character, blank or `#`, and bytes above 126 for CONNECT only. */
  readonly target: string;
  /** The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1. */
  readonly minor: 0 | 1;
  readonly lines: FieldLines;
  readonly framing: RequestFraming;
  /** Bytes of the body if framing is `length`. */
  readonly length: number;
  /** Content-Length as it was sent. */
  readonly contentLength: string | undefined;
  /** Optional in HTTP/1.0. */
  readonly host: string | undefined;
  /** Options of Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** Whether the client reuses its connection for another request (RFC 9112, section 9.3). */
  readonly keepAlive: boolean;
  /** Upgrade of a GET that asks for WebSocket: once it is granted, what follows the request is not HTTP. */
  readonly switchesTo: string | undefined;
  /** Of OPTIONS and TRACE; for other methods it is an ordinary field (RFC 9110, section 7.6.2). */
  readonly maxForwards: string | undefined;
}

/** The methods of llhttp (Node's `http.METHODS`), which rejects all others. */
export const METHODS: readonly string[] = [
  ...['ACL', 'BIND', 'CHECKOUT', 'CONNECT', 'COPY', 'DELETE', 'GET', 'HEAD', 'LINK', 'LOCK', 'M-SEARCH', 'MERGE'],
  ...['MKACTIVITY', 'MKCALENDAR', 'MKCOL', 'MOVE', 'NOTIFY', 'OPTIONS', 'PATCH', 'POST', 'PROPFIND', 'PROPPATCH'],
  ...['PURGE', 'PUT', 'QUERY', 'REBIND', 'REPORT', 'SEARCH', 'SOURCE', 'SUBSCRIBE', 'TRACE', 'UNBIND', 'UNLINK'],
  ...['UNLOCK', 'UNSUBSCRIBE'],
];
const KNOWN: ReadonlySet<string> = new Set(METHODS);
const VERSION = / HTTP\/1\.[01]$/;
const VERSION_LENGTH = ' HTTP/1.1'.length;
const SPACE = ' ';
/** RFC 9112, section 3.2, without fragments and without what only the reg-names of other schemes contain. */
const TARGET = /^(?:[/*]|[A-Za-z]+:\/\/[\w.!~*'()%;:&=+$,[\]-]*(?:@[\w.!~*'()%;:&=+$,[\]-]*)?(?:[/?]|$))[!-"$-~]*$/;
/** The characters of a CONNECT target, names in UTF-8 included; `parseTarget` validates host and port. */
const CONNECT_TARGET = /^[\w.~:[\]\x80-\xff-]+$/;
const WEBSOCKET = /^websocket$/i;
/** RFC 9110, sections 9.3.6 and 9.3.8. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);
const WITH_MAX_FORWARDS: ReadonlySet<string> = new Set(['OPTIONS', 'TRACE']);

/**
 * Checks that a request can begin with this line: a client of another protocol may wait in the middle of a line.
 *
 * @param line - the request line or, if it is not complete, its first characters
 * @throws {@link FormatError}
 */
export function checkRequestStart(line: string, isComplete: boolean): void {
  const blank = line.indexOf(SPACE);
  const isKnown = blank === -1 ? METHODS.some((method) => method.startsWith(line)) : KNOWN.has(line.slice(0, blank));
  if (!isKnown) throw malformed('unknown method');
  if (isComplete) readRequestLine(line);
}

/**
 * Parses the head of a request.
 *
 * @param section - request line and field lines
 * @param limit - bytes that the target, the names and the values may have together
 * @throws {@link FormatError} for a request line, a Host or framing that is invalid or ambiguous
 */
export function readRequestHead({ startLine, lines, fieldBytes }: Section, limit: number): RequestHead {
  const { method, target, minor } = readRequestLine(startLine);
  if (target.length + fieldBytes > limit) throw new FormatError('header_too_large', 'header section over the limit');
  const host = singleLine(lines, 'host')?.value;
  // RFC 9112, section 3.2.
  if (host === undefined && minor === 1) throw malformed('no Host');
  const { framing, length, contentLength } = bodyOf(lines, minor);
  const { connection, keepAlive, switchesTo } = connectionOf(lines, method, minor);
  const hasNoBody = switchesTo !== undefined || WITHOUT_BODY.has(method);
  if (hasNoBody && framing !== 'none') throw malformed('body in a request that has none');
  const maxForwards = WITH_MAX_FORWARDS.has(method) ? singleLine(lines, 'max-forwards')?.value : undefined;
  // Every field by name: spread objects would take a third of the time of reading a short head.
  return {
    method,
    target,
    minor,
    lines,
    host,
    maxForwards,
    framing,
    length,
    contentLength,
    connection,
    keepAlive,
    switchesTo,
  };
}

function bodyOf(lines: FieldLines, minor: number): Pick<RequestHead, 'framing' | 'length' | 'contentLength'> {
  const { framing, contentLength, length } = readFraming(lines, minor);
  return { framing: framing === 'chunked' ? framing : length > 0 ? 'length' : 'none', length, contentLength };
}

/** Returns what happens to the connection after the request (RFC 9112, section 9.3; RFC 9110, section 7.8). */
function connectionOf(
  lines: FieldLines,
  method: string,
  minor: number,
): Pick<RequestHead, 'connection' | 'keepAlive' | 'switchesTo'> {
  const connection = connectionOptions(lines);
  const old = connectionOptions(lines, 'proxy-connection');
  const asks = (option: string): boolean => connection.has(option) || old.has(option);
  const upgrade = method === 'GET' && asks('upgrade') ? joinedValues(lines, 'upgrade') : '';
  return {
    connection,
    keepAlive: minor === 1 ? !asks('close') : asks('keep-alive'),
    switchesTo: WEBSOCKET.test(upgrade) ? upgrade : undefined,
  };
}

/**
 * Parses a request line: `method SP target SP HTTP/1.x` and nothing else (RFC 9112, section 3).
 *
 * @throws {@link FormatError}
 */
function readRequestLine(line: string): Pick<RequestHead, 'method' | 'target' | 'minor'> {
  const blank = line.indexOf(SPACE);
  const method = line.slice(0, Math.max(blank, 0));
  if (!KNOWN.has(method)) throw malformed('unknown method');
  if (!VERSION.test(line)) throw malformed('protocol other than HTTP/1.0 and HTTP/1.1');
  const target = line.slice(blank + 1, -VERSION_LENGTH);
  if (!(method === 'CONNECT' ? CONNECT_TARGET : TARGET).test(target)) throw malformed('malformed request target');
  return { method, target, minor: line.endsWith('1') ? 1 : 0 };
}

/** Whether the client waits for 100: if another response is sent instead, it may send its body or not. */
export function awaitsContinue(request: RequestHead | undefined): boolean {
  return request !== undefined && /\b100-continue\b/i.test(joinedValues(request.lines, 'expect'));
}

const BASIC = /^basic +([A-Za-z0-9+/]*={0,2})$/i;

/**
 * Parses a Proxy-Authorization of the scheme Basic (RFC 7617, section 2), in UTF-8.
 *
 * @returns undefined for another scheme, for several values, and for a value without user name and password
 */
export function readBasic(value: string): { readonly username: string; readonly password: string } | undefined {
  const encoded = BASIC.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
