import { randomBytes } from 'node:crypto';
import { ProxyFailure } from '../failure/proxy-failure.js';
import { formatAuthority, parseAuthority, splitHttpUrl, type Target } from '../http/authority.js';
import { forwardedLines, HOP_BY_HOP, joinedValues, malformed, tidied, type FieldKind } from '../http/field-lines.js';
import type { RequestHead } from '../http/request-head.js';
import type { OriginConnection } from './origin-connection.js';
import { authenticatesConnection } from './forwarded-response.js';

/** A valid request with the head that is sent to the origin. */
export interface PreparedRequest {
  /** The head that the client sent. */
  readonly received: RequestHead;
  /** The requested URL, for the request log. */
  readonly url: string;
  readonly origin: Origin;
  /** This proxy's name in Via; undefined if Via is off. */
  readonly viaToken: string | undefined;
  /** The head to the origin (latin1). */
  readonly head: string;
  /** Whether the method is idempotent (RFC 9110, section 9.2.2). */
  readonly isIdempotent: boolean;
  /** Whether the client may wait for 100 before it sends its body (RFC 9110, section 10.1.1). */
  readonly expectsContinue: boolean;
  /** Whether it authenticates the connection on which it is sent. */
  readonly authenticates: boolean;
  /** Whether an HTTP proxy may forward it: few of them also forward a change of protocols. */
  readonly mayForward: boolean;
}

/** The parts of a request target, byte for byte. */
export interface RequestTarget {
  /** The Host to the origin: `host` or `host:port` as the client wrote it. */
  readonly authority: string;
  /** The target in the request line to the origin: origin-form or asterisk-form. */
  readonly path: string;
}

/** A parsed authority. */
export interface Origin {
  readonly target: Target;
  /** `host:port` in lower case: the target's part of a pool key. */
  readonly authority: string;
}

const HTTP_PORT = 80;
/** The size of the cache of origins; when it is full, it is cleared. */
const MAX_ORIGINS = 4096;

/**
 * Parses authorities. It caches them, so that a busy target costs one look-up per request.
 */
export class Origins {
  readonly #cache = new Map<string, Origin>();
  /** This proxy's name in Via (RFC 9110, section 7.6.3): a pseudonym that only this proxy recognizes. */
  readonly viaToken = randomBytes(8).toString('hex');

  /** @throws {@link FormatError} */
  of(authority: string): Origin {
    const known = this.#cache.get(authority);
    if (known !== undefined) return known;
    // A copy: V8 would retain the whole URL or head that the text was cut out of, up to a megabyte for each entry.
    const copy = Buffer.from(authority).toString();
    const target = parseAuthority(copy, HTTP_PORT);
    const origin = { target, authority: formatAuthority(target).toLowerCase() };
    if (this.#cache.size >= MAX_ORIGINS) this.#cache.clear();
    this.#cache.set(copy, origin);
    return origin;
  }
}

/** Whether `via` (the values of Via, joined by commas) contains `token`. */
export function hasPassed(via: string, token: string): boolean {
  if (!via.includes(token)) return false;
  return via.split(',').some((member) => member.trim().split(/[ \t]+/)[1] === token);
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);
const NUMBER = /^[0-9]{1,10}$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Fields that are not forwarded. */
const DROPPED: ReadonlySet<FieldKind | undefined> = new Set<FieldKind>([
  ...HOP_BY_HOP,
  'content-length',
  'host',
  'proxy-status',
]);

/**
 * Validates a request and rewrites it for its origin.
 *
 * @param via - whether this proxy adds itself to Via
 * @returns undefined if Max-Forwards ends the request at this proxy (RFC 9110, section 7.6.2)
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` or `loop`
 */
export function prepareRequest(head: RequestHead, origins: Origins, via: boolean): PreparedRequest | undefined {
  const { method, minor, host, lines } = head;
  const split = splitRequestTarget(method, head.target, host);
  const { authority, path } = split;
  const origin = origins.of(authority);
  // RFC 9112, section 3.2: an invalid Host makes the request invalid, even if it is replaced.
  if (host !== undefined && host !== authority) origins.of(host);
  const maxForwards = nextMaxForwards(head.maxForwards);
  if (maxForwards === 'here') return undefined;
  const viaToken = via ? origins.viaToken : undefined;
  if (viaToken !== undefined && hasPassed(joinedValues(lines, 'via'), viaToken)) throw new ProxyFailure('loop');
  return {
    received: head,
    url: `http://${authority}${path === '*' ? '' : path}`,
    origin,
    viaToken,
    head: headToOrigin(head, split, viaToken, maxForwards),
    isIdempotent: IDEMPOTENT.has(method),
    expectsContinue: minor === 1 && joinedValues(lines, 'expect').toLowerCase() === '100-continue',
    authenticates: authenticatesConnection(joinedValues(lines, 'authorization')),
    mayForward: head.switchesTo === undefined,
  };
}

/**
 * Splits the target of a request to be forwarded: absolute-form (RFC 9112, section 3.2.2), or origin-form and asterisk-form,
 * whose authority is Host.
 *
 * @param host - the value of Host, if the request has one
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` for another scheme than http
 */
export function splitRequestTarget(method: string, target: string, host: string | undefined): RequestTarget {
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
  viaToken: string | undefined,
  maxForwards: number | undefined,
): string {
  const { method, minor, lines } = head;
  const kept = forwardedLines(lines, DROPPED, head.connection, (line) => {
    const isReplaced = line.kind === 'max-forwards' && maxForwards !== undefined;
    // HTTP/1.0 has no Expect (RFC 9110, section 10.1.1); forwarded, it would ask for a 100 that the client cannot receive.
    return isReplaced || (line.kind === 'expect' && minor === 0) ? '' : tidied(line);
  });
  const forwards = maxForwards === undefined ? '' : `Max-Forwards: ${maxForwards}\r\n`;
  const via = viaToken === undefined ? '' : `Via: 1.${minor} ${viaToken}\r\n`;
  const added = framingLine(head) + forwards + via + connectionLines(head);
  return `${method} ${path} HTTP/1.1\r\nHost: ${authority}\r\n${kept}${added}\r\n`;
}

/** Returns the head of a request to the origin, or in absolute-form to an HTTP proxy (RFC 9112, section 3.2.2). */
export function headFor(
  { received, url, head }: PreparedRequest,
  { forwarding, socket }: Pick<OriginConnection, 'forwarding' | 'socket'>,
): string {
  if (forwarding === undefined) return head;
  const fields = forwarding.fieldsFor(socket);
  return `${received.method} ${url} HTTP/1.1\r\n${fields}${head.slice(head.indexOf('\n') + 1)}`;
}

const ACCEPTS_TRAILERS = /(?:^|,)[ \t]*trailers[ \t]*(?:,|$)/i;

function framingLine({ framing, contentLength }: RequestHead): string {
  if (framing === 'chunked') return 'Transfer-Encoding: chunked\r\n';
  return contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`;
}

/** Builds the hop-by-hop fields that this proxy supports too (RFC 9110, sections 7.6.1, 7.8 and 10.1.4). */
function connectionLines({ lines, switchesTo }: RequestHead): string {
  if (switchesTo !== undefined) return `Connection: Upgrade\r\nUpgrade: ${switchesTo}\r\n`;
  return ACCEPTS_TRAILERS.test(joinedValues(lines, 'te')) ? 'Connection: TE\r\nTE: trailers\r\n' : '';
}
