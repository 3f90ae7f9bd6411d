import { isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { CrossSiteError, ForeignHostError, InvalidRequestError } from './api.errors.js';
import { CrossOrigin } from './cross-origin.js';

/** `uri-host [":" port]` of RFC 3986, 3.2.2: a name, an IPv4 address, or an IPv6 address in brackets. */
const AUTHORITY = /^(?:\[([0-9A-Fa-f:.]+)\]|((?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+))(?::(\d*))?$/;
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
const MAX_PORT = 65_535;

/**
 * Who may be addressed here, and by whom. While nobody has to log in, what keeps the pages of strangers, open in a browser
 * on this machine, from the ledger is what a browser tells about them.
 *
 * Host has to be an IP address, `localhost` or a configured name: a stranger's name that was made to resolve to this
 * machine (DNS rebinding) would be an origin of its own to the browser, which then lets its page read the answers. Where
 * callers log in, such a page has no key, and any name will do.
 * Requests that change something have to come from this API's own pages or from no page: a form or a `fetch` of any page
 * can send them, though it cannot read the answer.
 */
export class HostRules {
  readonly #allowed: ReadonlySet<string> | undefined;
  readonly #pages: CrossOrigin;

  /** @param names - host names beside `localhost`, without ports; undefined: any will do */
  constructor(names: readonly string[] | undefined, pages = new CrossOrigin([])) {
    this.#allowed = names && new Set(['localhost', ...names.map(canonical)]);
    this.#pages = pages;
  }

  /** What is wrong with where a request is addressed to and comes from; undefined when nothing is. */
  faultOf(request: FastifyRequest): Error | undefined {
    const { raw } = request;
    const { headers, method = '', url = '' } = raw;
    // In the absolute form the target says where to, whatever Host is (RFC 9112, 3.2.2).
    const target = url.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(url)?.[1];
    const faultOfHost = this.#faultOfHost(headers.host, target);
    if (faultOfHost !== undefined || SAFE_METHODS.includes(method) || this.#pages.allows(request)) return faultOfHost;
    return faultOfPage(headers);
  }

  /** RFC 9112, 3.2: two Host lines, which come joined by a comma and a blank, are as invalid as any other text. */
  #faultOfHost(host: string | undefined, target: string | undefined): Error | undefined {
    // HTTP/1.0 without Host; browsers always send it.
    if (host === undefined) return undefined;
    const [own, addressed] = [hostOf(host), hostOf(target ?? host)];
    if (own === undefined || addressed === undefined) {
      return new InvalidRequestError('The header Host must stand once and be a host with or without a port.');
    }
    return this.#isAllowed(addressed) ? undefined : new ForeignHostError(addressed);
  }

  #isAllowed(host: string): boolean {
    return this.#allowed === undefined || isIP(host) !== 0 || this.#allowed.has(canonical(host));
  }
}

/** The host of an authority, an IPv6 address without its brackets; undefined for what is none. */
export function hostOf(authority: string): string | undefined {
  const [, address, name, port = ''] = AUTHORITY.exec(authority) ?? [];
  if (Number(port) > MAX_PORT || (address !== undefined && !isIPv6(address))) return undefined;
  return address ?? name;
}

/** A host as it stands in a URL: IPv6 addresses in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Names are the same in any case and with the dot of the root behind them. */
function canonical(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

type Headers = FastifyRequest['raw']['headers'];

/**
 * Browsers say by `Sec-Fetch-Site` whose page sends a request (W3C, Fetch Metadata), where they trust the connection;
 * elsewhere `Origin` names the page. Other programs send neither.
 */
function faultOfPage(headers: Headers): Error | undefined {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none' ? undefined : new CrossSiteError();
  const { origin, host = '' } = headers;
  // The scheme is not compared: what ends TLS in front of this API speaks http to it.
  const isOwn = origin === undefined || /^https?:\/\/(.+)$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
  return isOwn ? undefined : new CrossSiteError();
}
