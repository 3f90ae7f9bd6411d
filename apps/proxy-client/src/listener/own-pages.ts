import { formatAuthority, hostOf, isTrustedHost } from '../http/authority.js';
import type { RequestHead } from '../http/request-head.js';
import { isUnspecified, type OwnPlace } from '../rules/own-places.js';
import { MAX_PAC_BYTES, type PacScript } from '../rules/pac-script.js';
import type { HttpConnection } from './http-connection.js';

/** The content of /stats and /health at the time of the call. */
export interface Monitoring {
  stats(): object;
  health(): object;
}

/** Creates the page for a client that requests it under a trusted authority. */
export type MakePac = (authority: string | undefined) => PacPage;

const JSON_TYPE = 'cache-control: no-store\r\ncontent-type: application/json; charset=utf-8\r\n';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const GUARDED = 'Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n';

/**
 * The pages of the listener itself: /stats, /health and, if it is configured, /proxy.pac. They are read-only, and served only
 * under a trusted Host, because DNS rebinding can make a browser on this machine send any request here. They have no CORS
 * headers: web pages must not read them.
 */
export class OwnPages {
  readonly #monitoring: Monitoring;
  readonly #trusted: ReadonlySet<string>;
  readonly #pac: MakePac | undefined;
  readonly #paths: ReadonlySet<string>;

  /**
   * @param allowedHosts - names that are trusted in addition to addresses and localhost
   * @param pac - undefined if there is no /proxy.pac
   */
  constructor(monitoring: Monitoring, allowedHosts: readonly string[], pac: MakePac | undefined) {
    this.#monitoring = monitoring;
    this.#pac = pac;
    this.#paths = new Set(pac === undefined ? ['/stats', '/health'] : ['/stats', '/health', PAC_PATH]);
    this.#trusted = new Set(allowedHosts.map((host) => host.toLowerCase()));
  }

  /** Whether a page exists. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /**
   * Responds to a request.
   *
   * @param host - the authority that was requested
   */
  respond(path: string, host: string | undefined, { method }: RequestHead, client: HttpConnection): void {
    if (!this.has(path)) {
      refuse(client, 404, `This is a proxy. Its own pages are ${[...this.#paths].join(' and ')}.`);
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(client, 405, 'Only GET and HEAD are allowed.', 'Allow: GET, HEAD\r\n');
    } else if (isTrustedHost(host, this.#trusted)) {
      this.#show(path, host, client);
    } else {
      const advice = 'Request this page by IP address or as localhost, or add the name to listen.allowedHosts.';
      refuse(client, 403, advice);
    }
  }

  #show(path: string, host: string | undefined, client: HttpConnection): void {
    if (path === PAC_PATH && this.#pac !== undefined) {
      const { status, type, text } = this.#pac(host);
      client.respond(status, `Content-Type: ${type}\r\nContent-Length: ${text.length}\r\n${GUARDED}`, text);
    } else {
      const shown = JSON.stringify(path === '/stats' ? this.#monitoring.stats() : this.#monitoring.health());
      client.respond(200, `${JSON_TYPE}content-length: ${shown.length}\r\n`, shown);
    }
  }
}

function refuse(client: HttpConnection, status: number, text: string, fields = ''): void {
  const body = `${text}\n`;
  const type = `Content-Type: ${TEXT_TYPE}\r\nContent-Length: ${body.length}\r\n`;
  client.respond(status, `${type}${GUARDED}Connection: close\r\n${fields}`, body, true);
}

export const PAC_PATH = '/proxy.pac';
/** The media type of proxy auto-configuration files. */
export const PAC_TYPE = 'application/x-ns-proxy-autoconfig';

/** The response to a request for /proxy.pac. */
export interface PacPage {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const NO_LISTENER: PacPage = {
  status: 404,
  type: TEXT_TYPE,
  text: 'No listener of this proxy speaks HTTP (mode http or mixed), so the file has no proxy to name.\n',
};
const TOO_LONG: PacPage = {
  status: 500,
  type: TEXT_TYPE,
  text:
    `The rules up to the last direct one need a file of more than ${MAX_PAC_BYTES} bytes, which browsers do not read. ` +
    'Put the rules to direct first, or name fewer hosts in the rules before them.\n',
};

/**
 * Creates the page. It names a listener by the address that it is bound to or, if that is every address, by the name under
 * which the page was requested.
 *
 * @param place - undefined if there is no listener to name
 * @param authority - the Host, which is trusted
 */
export function pacPage(script: PacScript, place: OwnPlace | undefined, authority: string | undefined): PacPage {
  if (place === undefined) return NO_LISTENER;
  if (!script.fits) return TOO_LONG;
  const { address, port } = place;
  const requested = authority === undefined ? undefined : hostOf(authority);
  const host = isUnspecified(address) && requested !== undefined ? requested : address;
  return { status: 200, type: PAC_TYPE, text: script.naming(formatAuthority({ host, port })) };
}
