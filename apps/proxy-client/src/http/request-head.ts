import type { BodyFraming } from './body-reader.js';
import type { FieldKind, FieldLines } from './field-lines.js';
import { connectionOptions, joinValues, parseContentLength } from './field-values.js';
import { FormatError, malformed } from './format-error.js';
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
  /** The values of each of these fields, joined by commas; empty if there is none. */
  readonly via: string;
  readonly te: string;
  readonly expect: string;
  readonly authorization: string;
  /** Proxy-Authorization: for this proxy only (RFC 9110, section 11.7.2). */
  readonly proxyAuthorization: string;
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
const LONGEST_METHOD = Math.max(...METHODS.map(({ length }) => length));
const VERSION = / HTTP\/1\.[01]$/;
const VERSION_LENGTH = ' HTTP/1.1'.length;
const SPACE = ' ';
/** RFC 9112, section 3.2, without fragments and without what only the reg-names of other schemes contain. */
const TARGET = /^(?:[/*]|[A-Za-z]+:\/\/[\w.!~*'()%;:&=+$,[\]-]*(?:@[\w.!~*'()%;:&=+$,[\]-]*)?(?:[/?]|$))[!-"$-~]*$/;
/** The characters of a CONNECT target, names in UTF-8 included; `parseTarget` validates host and port. */
const CONNECT_TARGET = /^[\w.~:[\]\x80-\xff-]+$/;
const PROXY_CONNECTION = /^proxy-connection$/i;
const WEBSOCKET = /^websocket$/i;
const CHUNKED = /^chunked$/i;
/** RFC 9110, sections 9.3.6 and 9.3.8. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);
const WITH_MAX_FORWARDS: ReadonlySet<string> = new Set(['OPTIONS', 'TRACE']);

/**
 * Checks that a request line can begin with these bytes: a client of another protocol may wait in the middle of a line.
 *
 * @throws {@link FormatError}
 */
export function checkMethodBeginning(buffer: Buffer, start: number, end: number): void {
  const text = buffer.toString('latin1', start, Math.min(end, start + LONGEST_METHOD + 1));
  const blank = text.indexOf(SPACE);
  const isKnown = blank === -1 ? METHODS.some((method) => method.startsWith(text)) : KNOWN.has(text.slice(0, blank));
  if (!isKnown) throw malformed('unknown method');
}

/**
 * Parses the head of a request.
 *
 * @param section - request line and field lines
 * @param limit - bytes that the target, the names and the values may have together
 * @throws {@link FormatError} for a request line, a Host or framing that is invalid or ambiguous
 */
export function readRequestHead(section: Section, limit: number): RequestHead {
  const { startLine, lines, fieldBytes } = section;
  const { method, target, minor } = readRequestLine(startLine);
  if (target.length + fieldBytes > limit) throw new FormatError('header_too_large', 'header section over the limit');
  const fields = collect(lines, method);
  // RFC 9112, section 3.2.
  if (fields.host === undefined && minor === 1) throw malformed('no Host');
  const framing = framingOf(fields, minor);
  const { connection, keepAlive, switchesTo } = connectionOf(fields, method, minor);
  if (framing !== 'none' && (switchesTo !== undefined || WITHOUT_BODY.has(method))) {
    throw malformed('body in a request that has none');
  }
  return {
    method,
    target,
    minor,
    lines,
    framing,
    length: framing === 'length' ? Number(fields.contentLength) : 0,
    contentLength: fields.contentLength,
    host: fields.host,
    connection,
    keepAlive,
    via: fields.via,
    te: fields.te,
    expect: fields.expect,
    authorization: fields.authorization,
    proxyAuthorization: fields.proxyAuthorization,
    switchesTo,
    maxForwards: fields.maxForwards,
  };
}

/** Returns what happens to the connection after the request (RFC 9112, section 9.3; RFC 9110, section 7.8). */
function connectionOf(
  { connection: options, proxyConnection, upgrade }: Fields,
  method: string,
  minor: number,
): Pick<RequestHead, 'connection' | 'keepAlive' | 'switchesTo'> {
  const connection = connectionOptions(options);
  const asked = proxyConnection === '' ? connection : connectionOptions(joinValues(options, proxyConnection));
  const switches = method === 'GET' && asked.has('upgrade') && WEBSOCKET.test(upgrade);
  return {
    connection,
    keepAlive: minor === 1 ? !asked.has('close') : asked.has('keep-alive'),
    switchesTo: switches ? upgrade : undefined,
  };
}

type RequestLine = Pick<RequestHead, 'method' | 'target' | 'minor'>;

/**
 * Parses a request line: `method SP target SP HTTP/1.x` and nothing else (RFC 9112, section 3).
 *
 * @throws {@link FormatError}
 */
export function readRequestLine(line: string): RequestLine {
  const blank = line.indexOf(SPACE);
  const method = line.slice(0, Math.max(blank, 0));
  if (!KNOWN.has(method)) throw malformed('unknown method');
  if (!VERSION.test(line)) throw malformed('protocol other than HTTP/1.0 and HTTP/1.1');
  const target = line.slice(blank + 1, -VERSION_LENGTH);
  if (!(method === 'CONNECT' ? CONNECT_TARGET : TARGET).test(target)) throw malformed('malformed request target');
  return { method, target, minor: line.endsWith('1') ? 1 : 0 };
}

/** Whether Connection or, of old clients, Proxy-Connection closes the connection. */
export function closesConnection(lines: FieldLines): boolean {
  for (let line = 0; line < lines.length; line += 1) {
    if (isConnection(lines, line) && connectionOptions(lines.value(line)).has('close')) return true;
  }
  return false;
}

function isConnection(lines: FieldLines, line: number): boolean {
  const kind = lines.kind(line);
  return kind === 'connection' || (kind === 'proxy' && PROXY_CONNECTION.test(lines.name(line)));
}

/** The fields of a request that determine its framing and how it is forwarded. */
interface Fields {
  host: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
  maxForwards: string | undefined;
  connection: string;
  proxyConnection: string;
  via: string;
  upgrade: string;
  te: string;
  expect: string;
  authorization: string;
  proxyAuthorization: string;
}

/** Fields that may appear once. */
const ONCE = new Map<FieldKind, 'host' | 'contentLength' | 'transferEncoding' | 'maxForwards'>([
  ['host', 'host'],
  ['content-length', 'contentLength'],
  ['transfer-encoding', 'transferEncoding'],
  ['max-forwards', 'maxForwards'],
]);

/** Fields whose lines together are one list. */
const LISTS = new Map<FieldKind, 'connection' | 'via' | 'upgrade' | 'te' | 'expect' | 'authorization'>([
  ['connection', 'connection'],
  ['via', 'via'],
  ['upgrade', 'upgrade'],
  ['te', 'te'],
  ['expect', 'expect'],
  ['authorization', 'authorization'],
]);

/** The same, of the fields of kind `proxy`. */
const PROXY_LISTS = new Map<string, 'proxyConnection' | 'proxyAuthorization'>([
  ['proxy-connection', 'proxyConnection'],
  ['proxy-authorization', 'proxyAuthorization'],
]);

function collect(lines: FieldLines, method: string): Fields {
  const fields: Fields = {
    host: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
    maxForwards: undefined,
    connection: '',
    proxyConnection: '',
    via: '',
    upgrade: '',
    te: '',
    expect: '',
    authorization: '',
    proxyAuthorization: '',
  };
  for (let line = 0; line < lines.length; line += 1) {
    const kind = lines.kind(line);
    if (kind !== undefined) addField(fields, kind, lines, line, method);
  }
  return fields;
}

function addField(fields: Fields, kind: FieldKind, lines: FieldLines, line: number, method: string): void {
  const list = kind === 'proxy' ? PROXY_LISTS.get(lines.name(line).toLowerCase()) : LISTS.get(kind);
  if (list !== undefined) {
    fields[list] = joinValues(fields[list], lines.value(line));
    return;
  }
  const once = ONCE.get(kind);
  if (once === undefined || (once === 'maxForwards' && !WITH_MAX_FORWARDS.has(method))) return;
  // RFC 9112, section 3.2 (Host) and section 6.3 (framing).
  if (fields[once] !== undefined) throw malformed(`repeated ${kind}`);
  // Some parsers read it as a part of the coding.
  if (once === 'transferEncoding' && lines.line(line).endsWith('\t\r\n')) {
    throw malformed('tab after Transfer-Encoding');
  }
  fields[once] = lines.value(line);
}

/** Determines the framing of a request (RFC 9112, sections 6.1 to 6.3). */
function framingOf({ transferEncoding, contentLength }: Fields, minor: number): RequestFraming {
  if (transferEncoding !== undefined) {
    if (!CHUNKED.test(transferEncoding)) throw malformed('Transfer-Encoding other than chunked');
    if (minor !== 1) throw malformed('Transfer-Encoding in HTTP/1.0');
    if (contentLength !== undefined) throw malformed('Content-Length with Transfer-Encoding');
    return 'chunked';
  }
  if (contentLength === undefined) return 'none';
  const length = parseContentLength(contentLength);
  if (length === undefined) throw malformed('Content-Length that is not a length');
  return length === 0 ? 'none' : 'length';
}
