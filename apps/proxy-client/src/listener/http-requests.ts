import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import { splitHttpUrl } from '../http/authority.js';
import { joinedValues } from '../http/field-lines.js';
import type { RequestHead } from '../http/request-head.js';
import { SectionMemory } from '../http/section.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import type { ClientHost } from './client-connection.js';
import type { HttpConnection, HttpService } from './http-connection.js';
import type { OwnPages } from './own-pages.js';

export interface HttpRequestsOptions {
  readonly headerBytes: number;
  readonly pages: OwnPages;
  readonly forwarder: Forwarder;
  readonly tunnels: Tunnels;
  /** Whether an authority names this listener. */
  readonly isOwn: (authority: string) => boolean;
  /** Whether connections may carry another request after the current one. */
  readonly canKeepAlive: () => boolean;
}

/** The memory for incomplete heads of more than a few KiB, of all clients of a listener together. */
const HEAD_MEMORY = 64 * 1_048_576;

/**
 * Handles the requests of HTTP clients.
 *
 *     client ── GET /stats ──────────▶ own pages
 *     client ── GET http://… ────────▶ forwarder      client ── CONNECT ──▶ tunnels
 */
export class HttpRequests implements HttpService {
  readonly headerBytes: number;
  readonly headMemory = new SectionMemory(HEAD_MEMORY);
  readonly #host: ClientHost;
  readonly #options: HttpRequestsOptions;

  constructor(host: ClientHost, options: HttpRequestsOptions) {
    this.#host = host;
    this.#options = options;
    this.headerBytes = options.headerBytes;
  }

  get canKeepAlive(): boolean {
    return this.#options.canKeepAlive();
  }

  serve(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    if (!client.isAdmitted) {
      client.refuse(new ProxyFailure('client_not_allowed'));
      return;
    }
    const page = head.method === 'CONNECT' ? undefined : ownPage(head, this.#options);
    if (page === undefined) this.#authenticate(head, client, malformed);
    else if (malformed !== undefined) client.refuse(malformed);
    else this.#options.pages.respond(page.path, page.host, head, client);
  }

  #authenticate(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    const { users } = this.#host;
    if (users === undefined) {
      this.#proxy(head, client, malformed);
      return;
    }
    client.authenticate(users, joinedValues(head.lines, 'proxy-authorization'), (refusal) => {
      if (refusal === undefined) this.#proxy(head, client, malformed);
      else if (malformed !== undefined) client.refuse(malformed);
      else {
        this.#host.refused(client, refusal);
        client.fail(refusal);
      }
    });
  }

  #proxy(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    const { tunnels, forwarder } = this.#options;
    if (this.#host.isTooMany(client)) client.refuse(new ProxyFailure('connection_limit'));
    else if (head.method === 'CONNECT') {
      const tunnel = tunnels.connect(head, client);
      if (tunnel !== undefined) client.openTunnel(tunnel);
    } else {
      const exchange = forwarder.open(head, client, malformed);
      if (exchange !== undefined) client.beginExchange(exchange);
    }
  }
}

/** A request for a page of the listener itself, which may not exist. */
export interface OwnPage {
  readonly path: string;
  /** The authority of the target, if it has one, which overrides Host (RFC 9112, section 3.2.2); otherwise Host. */
  readonly host: string | undefined;
}

/** What distinguishes requests for own pages from the others. */
export interface OwnSpace {
  /** Whether an authority names this listener. */
  readonly isOwn: (authority: string) => boolean;
  readonly pages: { has(path: string): boolean };
}

/**
 * Decides whether a request with any method but CONNECT is for the listener itself. /stats, /health and, if it is served,
 * /proxy.pac in origin-form are, whatever Host is (their own check of Host follows). Every other origin-form target is
 * forwarded to its Host, unless that is this listener. Absolute-form is forwarded, whatever its path, unless its authority is
 * this listener: then it is treated as origin-form.
 *
 * @returns undefined for a request to forward
 */
export function ownPage(
  { target, host }: Pick<RequestHead, 'target' | 'host'>,
  { isOwn, pages }: OwnSpace,
): OwnPage | undefined {
  if (target.startsWith('/') || target === '*') {
    const path = pathOf(target);
    return pages.has(path) || (host !== undefined && isOwn(host)) ? { path, host } : undefined;
  }
  const url = splitHttpUrl(target);
  if (url === undefined || !isOwn(url.authority)) return undefined;
  return { path: pathOf(url.rest.startsWith('/') ? url.rest : `/${url.rest}`), host: url.authority };
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}
