import { ProxyFailure } from '../failure/proxy-failure.js';
import { splitHttpUrl, type Target } from '../http/authority.js';
import { tidied, type FieldKind } from '../http/field-lines.js';
import { malformed } from '../http/format-error.js';
import type { RequestFraming, RequestHead } from '../http/request-head.js';
import { authenticatesConnection } from './forwarded-response.js';
import { hasPassed, type Origin, type Origins } from './origins.js';

/** A valid request with the head that is sent to the origin. */
export interface PreparedRequest {
  readonly method: string;
  /** The minor version of the client's HTTP/1.x. */
  readonly minor: number;
  readonly target: Target;
  readonly asked: RequestTarget;
  readonly origin: Origin;
  readonly framing: RequestFraming;
  /** The head to the origin (latin1). */
  readonly head: string;
  /** The options of the client's Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** The protocol that the client asks to switch to. */
  readonly upgrade: string | undefined;
  /** Whether the method is idempotent (RFC 9110, section 9.2.2). */
  readonly isIdempotent: boolean;
  /** Whether the client may wait for 100 before it sends its body (RFC 9110, section 10.1.1). */
  readonly expectsContinue: boolean;
  /** Whether it authenticates the connection on which it is sent. */
  readonly authenticates: boolean;
}

/** The parts of a request target, byte for byte. */
export interface RequestTarget {
  /** The Host to the origin: `host` or `host:port` as the client wrote it. */
  readonly authority: string;
  /** The target in the request line to the origin: origin-form or asterisk-form. */
  readonly path: string;
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);
const NUMBER = /^[0-9]{1,10}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Hop-by-hop fields (RFC 9110, section 7.6.1), and fields that are replaced. */
const NOT_FORWARDED: readonly FieldKind[] = [
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy',
  'proxy-status',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** Fields that are not forwarded, by the minor version of the request and whether its Max-Forwards is replaced. */
const DROPPED = [0, 1].map((minor) => {
  // HTTP/1.0 has no Expect (RFC 9110, section 10.1.1); forwarded, it would ask for a 100 that the client cannot receive.
  const kinds: readonly FieldKind[] = minor === 0 ? [...NOT_FORWARDED, 'expect'] : NOT_FORWARDED;
  return { plain: new Set(kinds), limited: new Set<FieldKind>([...kinds, 'max-forwards']) };
});

/**
 * Validates a request and rewrites it for its origin.
 *
 * @returns undefined if Max-Forwards ends the request at this proxy (RFC 9110, section 7.6.2)
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` or `loop`
 */
export function prepareRequest(head: RequestHead, origins: Origins): PreparedRequest | undefined {
  const { method, minor, host, framing, via } = head;
  const asked = readTarget(method, head.target, host);
  const origin = origins.of(asked.authority);
  // RFC 9112, section 3.2: an invalid Host makes the request invalid, even if it is replaced.
  if (host !== undefined && host !== asked.authority) origins.check(host);
  const maxForwards = nextMaxForwards(head.maxForwards);
  if (maxForwards === 'here') return undefined;
  if (via !== '' && origin.viaToken !== undefined && hasPassed(via, origin.viaToken)) throw new ProxyFailure('loop');
  return {
    method,
    minor,
    target: origin.target,
    asked,
    origin,
    framing,
    head: headToOrigin(head, asked, origin, maxForwards),
    connection: head.connection,
    upgrade: head.switchesTo,
    isIdempotent: IDEMPOTENT.has(method),
    expectsContinue: minor === 1 && head.expect.toLowerCase() === '100-continue',
    authenticates: authenticatesConnection(head.authorization),
  };
}

/**
 * Splits the target of a request to be forwarded: absolute-form (RFC 9112, section 3.2.2), or origin-form and asterisk-form,
 * whose authority is Host.
 *
 * @param host - the value of Host, if the request has one
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` for another scheme than http
 */
export function readTarget(method: string, target: string, host: string | undefined): RequestTarget {
  if (target.includes('#')) throw malformed('fragment in the request target');
  if (target.startsWith('/') || (target === '*' && method === 'OPTIONS')) {
    if (host === undefined) throw malformed('origin-form without Host');
    return { authority: host, path: target };
  }
  const url = splitHttpUrl(target);
  if (url === undefined) {
    throw SCHEME.test(target) ? new ProxyFailure('scheme_not_supported') : malformed('request target of no known form');
  }
  return { authority: url.authority, path: originForm(method, url.rest) };
}

/** RFC 9112, sections 3.2.1 and 3.2.4: an empty path becomes `/`, or `*` if OPTIONS asks about the whole server. */
function originForm(method: string, rest: string): string {
  if (rest.startsWith('/')) return rest;
  return rest === '' && method === 'OPTIONS' ? '*' : `/${rest}`;
}

function nextMaxForwards(value: string | undefined): number | 'here' | undefined {
  if (value === undefined) return undefined;
  if (!NUMBER.test(value)) throw malformed('Max-Forwards that is not a number');
  const left = Number(value);
  return left === 0 ? 'here' : left - 1;
}

/**
 * Builds the head of a request to the origin (latin1): Host, then the client's end-to-end lines in their order and case, then
 * the lines of this hop. Those are last, so that no option of the client's Connection can remove them.
 */
function headToOrigin(
  head: RequestHead,
  { authority, path }: RequestTarget,
  { viaToken }: Origin,
  maxForwards: number | undefined,
): string {
  const { method, minor, lines } = head;
  const dropped = DROPPED[minor]?.[maxForwards === undefined ? 'plain' : 'limited'] ?? new Set();
  const kept = lines.without(dropped, head.connection, tidied);
  const forwards = maxForwards === undefined ? '' : `Max-Forwards: ${maxForwards}\r\n`;
  const via = viaToken === undefined ? '' : `Via: 1.${minor} ${viaToken}\r\n`;
  const added = framingLine(head) + forwards + via + connectionLines(head);
  return `${method} ${path} HTTP/1.1\r\nHost: ${authority}\r\n${kept}${added}\r\n`;
}

function framingLine({ framing, contentLength }: RequestHead): string {
  if (framing === 'chunked') return 'Transfer-Encoding: chunked\r\n';
  return contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`;
}

/** Builds the hop-by-hop fields that this proxy supports too (RFC 9110, sections 7.6.1, 7.8 and 10.1.4). */
function connectionLines({ te, switchesTo }: RequestHead): string {
  if (switchesTo !== undefined) return `Connection: Upgrade\r\nUpgrade: ${switchesTo}\r\n`;
  return te !== '' && acceptsTrailers(te) ? 'Connection: TE\r\nTE: trailers\r\n' : '';
}

function acceptsTrailers(te: string): boolean {
  return te
    .toLowerCase()
    .split(',')
    .some((coding) => coding.trim() === 'trailers');
}
