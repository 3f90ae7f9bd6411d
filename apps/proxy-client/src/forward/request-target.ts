import { ProxyFailure } from '../failure/proxy-failure.js';
import { malformed } from '../http/format-error.js';

/** A request target taken apart, not a byte of it changed. */
export interface RequestTarget {
  /** What goes into Host: `host` or `host:port` as the client wrote it. */
  readonly authority: string;
  /** What goes into the request line to the origin: origin-form or asterisk-form. */
  readonly path: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const HTTP = 'http://';
const SLASH = 0x2f;

/**
 * Takes the target of a request to be forwarded apart: absolute-form (RFC 9112, section 3.2.2), or origin-form and
 * asterisk-form, whose authority is Host.
 *
 * @param host - the value of Host, if the request has one
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` for another scheme than http
 */
export function readTarget(method: string, url: string, host: string | undefined): RequestTarget {
  if (url.includes('#')) throw malformed('fragment in the request target');
  if (url.charCodeAt(0) === SLASH || (url === '*' && method === 'OPTIONS')) {
    if (host === undefined) throw malformed('origin-form without Host');
    return { authority: host, path: url };
  }
  if (!startsWithHttp(url)) {
    throw SCHEME.test(url) ? new ProxyFailure('scheme_not_supported') : malformed('request target in no known form');
  }
  const end = authorityEnd(url);
  return { authority: url.slice(HTTP.length, end), path: originForm(method, url.slice(end)) };
}

function startsWithHttp(url: string): boolean {
  return url.startsWith(HTTP) || url.slice(0, HTTP.length).toLowerCase() === HTTP;
}

function authorityEnd(url: string): number {
  const slash = url.indexOf('/', HTTP.length);
  const end = slash === -1 ? url.length : slash;
  const query = url.indexOf('?', HTTP.length);
  return query === -1 ? end : Math.min(end, query);
}

/** RFC 9112, sections 3.2.1 and 3.2.4: an empty path becomes `/`, or `*` when OPTIONS asks about the whole server. */
function originForm(method: string, rest: string): string {
  if (rest.charCodeAt(0) === SLASH) return rest;
  return rest === '' && method === 'OPTIONS' ? '*' : `/${rest}`;
}
