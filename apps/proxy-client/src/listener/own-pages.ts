import { durationText, type ProxyStatsSnapshot, successRate } from '../stats/proxy-stats.js';
import type { Health, Stats } from '../admin/api/monitoring.responses.js';
import { formatAuthority, hostOf, isTrustedHost, splitHttpUrl } from '../http/authority.js';
import type { ResponseFields } from '../http/own-response.js';
import type { RequestHead } from '../http/request-head.js';
import { isUnspecified, type BoundAddress } from '../routing/rules/own-addresses.js';
import { MAX_PAC_BYTES, type PacScript } from '../routing/rules/pac-script.js';

/** The content of /stats and /health at the time of the call. */
export interface Monitoring {
  stats(): object;
  health(): object;
}

/** The response to a request for a page. */
export interface PacPage {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Creates /proxy.pac for a client that requests it under a trusted authority. */
export type MakePac = (authority: string | undefined) => PacPage;

/** Sends a response, and closes the connection if `closes`. */
type Respond = (status: number, fields: ResponseFields, body: string, closes?: boolean) => void;

const PAC_PATH = '/proxy.pac';
/** The media type of proxy auto-configuration files. */
export const PAC_TYPE = 'application/x-ns-proxy-autoconfig';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';
const GUARDED = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** A request for a page of the listener itself, which may not exist. */
export interface OwnPage {
  readonly path: string;
  /** The authority of the target, if it has one, which overrides Host (RFC 9112, section 3.2.2); otherwise Host. */
  readonly host: string | undefined;
}

/** The pages of a listener and who may request them. */
export interface OwnPagesOptions {
  readonly monitoring: Monitoring;
  /** Names that are trusted in addition to addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** Undefined if there is no /proxy.pac. */
  readonly pac: MakePac | undefined;
  /** Whether an authority names this listener. */
  readonly isOwn: (authority: string) => boolean;
}

/**
 * The pages of the listener itself: /stats, /health and, if it is configured, /proxy.pac. They are read-only, and served only
 * under a trusted Host, because DNS rebinding can make a browser on this machine send any request here. They have no CORS
 * headers: web pages must not read them.
 */
export class OwnPages {
  readonly #pages: ReadonlyMap<string, MakePac>;
  readonly #trusted: ReadonlySet<string>;
  readonly #isOwn: OwnPagesOptions['isOwn'];

  constructor({ monitoring, allowedHosts, pac, isOwn }: OwnPagesOptions) {
    const pages = new Map<string, MakePac>([
      ['/stats', () => jsonPage(monitoring.stats())],
      ['/health', () => jsonPage(monitoring.health())],
    ]);
    if (pac !== undefined) pages.set(PAC_PATH, pac);
    this.#pages = pages;
    this.#trusted = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.#isOwn = isOwn;
  }

  /**
   * Decides whether a request with any method but CONNECT is for the listener itself. /stats, /health and, if it is served,
   * /proxy.pac in origin-form are, whatever Host is (their own check of Host follows). Every other origin-form target is
   * forwarded to its Host, unless that is this listener. Absolute-form is forwarded, whatever its path, unless its authority
   * is this listener: then it is treated as origin-form.
   *
   * @returns undefined for a request to forward
   */
  find({ target, host }: Pick<RequestHead, 'target' | 'host'>): OwnPage | undefined {
    if (target.startsWith('/') || target === '*') {
      const path = pathOf(target);
      return this.#pages.has(path) || (host !== undefined && this.#isOwn(host)) ? { path, host } : undefined;
    }
    const url = splitHttpUrl(target);
    if (url === undefined || !this.#isOwn(url.authority)) return undefined;
    return { path: pathOf(url.rest.startsWith('/') ? url.rest : `/${url.rest}`), host: url.authority };
  }

  /** Responds to a request. */
  respond({ path, host }: OwnPage, method: string, respond: Respond): void {
    const page = this.#pages.get(path);
    const refuse = (status: number, text: string, fields: ResponseFields = {}): void => {
      respond(status, { 'Content-Type': TEXT_TYPE, ...GUARDED, ...fields }, `${text}\n`, true);
    };
    if (page === undefined) {
      refuse(404, `This is a proxy. Its own pages are ${[...this.#pages.keys()].join(' and ')}.`);
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(405, 'Only GET and HEAD are allowed.', { Allow: 'GET, HEAD' });
    } else if (isTrustedHost(host, this.#trusted)) {
      const { status, type, text } = page(host);
      respond(status, { 'Content-Type': type, ...GUARDED }, text);
    } else {
      refuse(403, 'Request this page by IP address or as localhost, or add the name to listen.allowedHosts.');
    }
  }
}

function jsonPage(content: object): PacPage {
  return { status: 200, type: JSON_TYPE, text: JSON.stringify(content) };
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

const NO_LISTENER = 'No listener of this proxy speaks HTTP (mode http or mixed), so the file has no proxy to name.\n';
const TOO_LONG =
  `The rules up to the last direct one need a file of more than ${MAX_PAC_BYTES} bytes, which browsers do not read. ` +
  'Put the rules to direct first, or name fewer hosts in the rules before them.\n';

/** A listener that a PAC file may name. */
export interface PacAddress extends BoundAddress {
  /** Whether clients must use TLS. */
  readonly requiresTls: boolean;
}

/**
 * Creates the page. It names a listener by the address that it is bound to or, if that is every address, by the name under
 * which the page was requested.
 *
 * @param pacAddress - undefined if there is no listener to name
 * @param authority - the Host, which is trusted
 */
export function pacPage(script: PacScript, pacAddress: PacAddress | undefined, authority: string | undefined): PacPage {
  if (pacAddress === undefined) return { status: 404, type: TEXT_TYPE, text: NO_LISTENER };
  if (!script.fits) return { status: 500, type: TEXT_TYPE, text: TOO_LONG };
  const { address, port, requiresTls } = pacAddress;
  const type = requiresTls ? 'HTTPS' : 'PROXY';
  const requested = authority === undefined ? undefined : hostOf(authority);
  const host = isUnspecified(address) && requested !== undefined ? requested : address;
  return { status: 200, type: PAC_TYPE, text: script.naming(formatAuthority({ host, port }), type) };
}

/** Returns the response of /stats. */
export function presentStats(snapshot: ProxyStatsSnapshot): Stats {
  return {
    start_time: snapshot.startTime.toISOString(),
    uptime: durationText(snapshot.uptime),
    total_connections: snapshot.totalConnections,
    active_connections: snapshot.activeConnections,
    successful_requests: snapshot.successfulRequests,
    failed_requests: snapshot.failedRequests,
    bytes_sent: snapshot.bytesSent,
    bytes_received: snapshot.bytesReceived,
    socks5_errors: snapshot.socks5Errors,
  };
}

/** Returns the response of /health. */
export function presentHealth(snapshot: ProxyStatsSnapshot): Health {
  return {
    status: 'healthy',
    uptime: durationText(snapshot.uptime),
    active_connections: snapshot.activeConnections,
    success_rate: successRate(snapshot.successfulRequests, snapshot.failedRequests),
  };
}
