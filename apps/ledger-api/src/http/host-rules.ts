import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './errors.js';
import { CrossOrigin } from './cross-origin.js';

/** `uri-host [":" port]` of RFC 3986, 3.2.2: a name, an IPv4 address, or an IPv6 address in brackets. */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+))(?::(\d*))?$/;
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
const MAX_PORT = 65_535;

/**
 * Rules for the Host and the Origin of requests. Without authentication, they protect the ledger from the pages of other
 * sites in a browser on this machine.
 *
 * Host must be an IP address, `localhost` or a configured name: with a foreign name that resolves to this machine (DNS
 * rebinding), a browser would let a foreign page read the answers. With authentication such a page has no key, and any
 * name is accepted.
 * Writes must come from this API's own pages or from no page (CSRF): a form or a `fetch` of any page can send them,
 * although it cannot read the answer.
 */
export class HostRules {
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #pages: CrossOrigin;

  /** @param names - host names in addition to `localhost`, without ports; undefined accepts any */
  constructor(names: readonly string[] | undefined, pages = new CrossOrigin([])) {
    this.#allowed = names && new Set(['localhost', ...names.map(canonical)]);
    this.#pages = pages;
  }

  /** Returns the error in the Host or the Origin of a request, or undefined. */
  errorOf(request: FastifyRequest): Error | undefined {
    const { raw } = request;
    const { headers, method = '', url = '' } = raw;
    // In the absolute form the target wins over Host (RFC 9112, section 3.2.2).
    const target = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    const hostError = this.#hostError(headers.host, target);
    if (hostError !== undefined || SAFE_METHODS.includes(method) || this.#pages.allows(request)) return hostError;
    return pageError(headers);
  }

  /** Two Host lines arrive joined by a comma and a blank, and are invalid (RFC 9112, section 3.2). */
  #hostError(host: string | undefined, target: string | undefined): Error | undefined {
    // HTTP/1.0 without Host. Browsers always send it.
    if (host === undefined) return undefined;
    const [own, addressed] = [hostOf(host), hostOf(target ?? host)];
    if (own === undefined || addressed === undefined) {
      return new ApiError(
        'API.INVALID_REQUEST',
        'The header Host must appear once and be a host, with or without a port.',
      );
    }
    return this.#isAllowed(addressed) ? undefined : foreignHost(addressed);
  }

  #isAllowed(host: string): boolean {
    return this.#allowed === undefined || isIP(host) !== 0 || this.#allowed.has(canonical(host));
  }
}

function foreignHost(host: string): ApiError {
  const shown = JSON.stringify(host.slice(0, 64));
  const advice = 'Use an IP address or localhost, or add the host to LEDGER_API_ALLOWED_HOSTS.';
  return new ApiError('API.FOREIGN_HOST', `The host ${shown} is not served. ${advice}`);
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

type Headers = FastifyRequest['raw']['headers'];

/**
 * Browsers state the relation of the page to the server in `Sec-Fetch-Site` (W3C, Fetch Metadata) on trustworthy
 * connections; elsewhere `Origin` names the page. Other programs send neither.
 */
function pageError(headers: Headers): Error | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? undefined : new ApiError('API.CROSS_SITE');
  const { origin, host = '' } = headers;
  // The scheme is not compared: a TLS proxy in front of this API uses http.
  const isOwn = origin === undefined || /^https?:\/\/(.+)$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
  return isOwn ? undefined : new ApiError('API.CROSS_SITE');
}
