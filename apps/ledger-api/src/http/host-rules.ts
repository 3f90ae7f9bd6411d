import { isIP, isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from './errors.js';
import { varyBy } from './preconditions.js';

/** `uri-host [":" port]` of RFC 3986, 3.2.2: a name, an IPv4 address, or an IPv6 address in brackets. */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+))(?::(\d*))?$/;
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
const MAX_PORT = 65_535;

/** Headers of the answer to a preflight request. A browser may cache it for that many seconds. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-API-Key, ' +
    'X-Request-Id, traceparent',
  'access-control-max-age': '600',
};
/** Response headers that a page may read. `X-*` must be listed by name. */
const EXPOSED_HEADERS =
  'ETag, Link, Location, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed, Preference-Applied, WWW-Authenticate, ' +
  'X-Error-Code, X-Request-Id, X-Total-Count, X-Transaction-Id';

/**
 * Rules for the Host and the Origin of requests. Without authentication, they protect the ledger from the pages of other
 * sites in a browser on this machine.
 *
 * Host must be an IP address, `localhost` or a configured name: with a foreign name that resolves to this machine (DNS
 * rebinding), a browser would let a foreign page read the answers. With authentication such a page has no key, and any
 * name is accepted.
 * Writes must come from this API's own pages, those of configured origins, or no page (CSRF): a form or a `fetch` of any
 * page can send them, although it cannot read the answer.
 */
export class HostRules {
  readonly #names: ReadonlySet<string> | undefined;
  readonly #origins: ReadonlySet<string>;

  /**
   * @param names - host names in addition to `localhost`, without ports; undefined accepts any
   * @param origins - origins whose pages may call the API
   */
  constructor(names: readonly string[] | undefined, origins: readonly string[]) {
    this.#names = names && new Set(['localhost', ...names.map(canonical)]);
    this.#origins = new Set(origins);
  }

  /** Returns the error in the Host or the Origin of a request, or undefined. */
  errorOf({ raw: { headers, method = '', url = '' } }: Pick<FastifyRequest, 'raw'>): Error | undefined {
    // In the absolute form the target wins over Host (RFC 9112, section 3.2.2).
    const target = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    const hostError = this.#hostError(headers.host, target);
    if (hostError !== undefined || SAFE_METHODS.includes(method) || this.#allows(headers.origin)) return hostError;
    return isOwnPage(headers) ? undefined : new ApiError('API.CROSS_SITE');
  }

  /**
   * Sets the headers of cross-origin resource sharing (https://fetch.spec.whatwg.org/#http-cors-protocol) in an answer to a
   * page of an allowed origin. Never with credentials: there are no cookies, and a page sends its key itself. Fastify's
   * plugin does not fit: it answers OPTIONS of every path and origin, in part with another error shape.
   * @returns true for a preflight request, whose answer is complete
   */
  setCorsHeaders({ raw: { headers, method } }: FastifyRequest, reply: FastifyReply): boolean {
    if (this.#origins.size === 0) return false;
    // For caches, also in answers to requests without an origin.
    varyBy(reply, 'Origin');
    if (!this.#allows(headers.origin)) return false;
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    reply.header('access-control-allow-origin', headers.origin);
    reply.headers(isPreflight ? PREFLIGHT_HEADERS : { 'access-control-expose-headers': EXPOSED_HEADERS });
    return isPreflight;
  }

  /** Returns the origin of a page whose browser will not let it read the answer; undefined for any other request. */
  blockedOrigin({ raw: { headers } }: Pick<FastifyRequest, 'raw'>): string | undefined {
    return headers.origin === undefined || this.#allows(headers.origin) || isOwnPage(headers)
      ? undefined
      : headers.origin;
  }

  #allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** Two Host lines arrive joined by a comma and a blank, and are invalid (RFC 9112, section 3.2). */
  #hostError(host: string | undefined, target: string | undefined): Error | undefined {
    // HTTP/1.0 without Host. Browsers always send it.
    if (host === undefined) return undefined;
    const [own, addressed] = [hostOf(host), hostOf(target ?? host)];
    if (own === undefined || addressed === undefined) {
      return invalidRequest('The header Host must appear once and be a host, with or without a port.');
    }
    if (this.#names === undefined || isIP(addressed) !== 0 || this.#names.has(canonical(addressed))) return undefined;
    const name = JSON.stringify(addressed.slice(0, 64));
    const advice = 'Use an IP address or localhost, or add the host to LEDGER_API_ALLOWED_HOSTS.';
    return new ApiError('API.FOREIGN_HOST', `The host ${name} is not served. ${advice}`);
  }
}

/** Returns the host of an authority, an IPv6 address without its brackets; undefined if it is malformed. */
export function hostOf(authority: string): string | undefined {
  const [, address, name, port = ''] = AUTHORITY.exec(authority) ?? [];
  if (Number(port) > MAX_PORT || (address !== undefined && !isIPv6(address))) return undefined;
  return address ?? name;
}

/** Returns a host in the form of a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Names are case-insensitive and may end with the dot of the root. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/**
 * Returns whether a request comes from a page of this API or from no page. Browsers state the relation of the page to the
 * server in `Sec-Fetch-Site` (W3C, Fetch Metadata) on trustworthy connections; elsewhere `Origin` names the page. Other
 * programs send neither.
 */
function isOwnPage({ 'sec-fetch-site': site, origin, host = '' }: FastifyRequest['raw']['headers']): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  // The scheme is not compared: a TLS proxy in front of this API uses http.
  return origin === undefined || /^https?:\/\/(.+)$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
}
