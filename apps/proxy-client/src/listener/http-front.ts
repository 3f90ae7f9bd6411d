import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { RequestHead } from '../http/request-head.js';
import { SectionMemory } from '../http/section.js';
import type { ClientSource } from '../relay/byte-source.js';
import type { Tunnels } from '../tunnel/tunnels.js';
import type { ClientHost, Front } from './client-connection.js';
import { HttpConnection, type HttpService } from './http-connection.js';
import type { OwnPages } from './own-pages.js';
import { ownPage } from './request-route.js';

export interface HttpFrontOptions {
  readonly headerBytes: number;
  readonly pages: OwnPages;
  readonly forwarder: Forwarder;
  readonly tunnels: Tunnels;
  /** Whether an authority names this listener. */
  readonly isOwn: (authority: string) => boolean;
  /** Whether connections may carry another request behind the present one. */
  readonly mayGoOn: () => boolean;
}

/** What unfinished heads of more than a few KiB are held in, of all clients of a listener together. */
const HEAD_MEMORY = 64 * 1_048_576;

/**
 * What a listener does that speaks HTTP.
 *
 *     client ── GET /stats ──────────▶ own pages
 *     client ── GET http://… ────────▶ forward      client ── CONNECT ──▶ tunnel
 */
export class HttpFront implements Front, HttpService {
  readonly headerBytes: number;
  readonly headMemory = new SectionMemory(HEAD_MEMORY);
  readonly #host: ClientHost;
  readonly #options: HttpFrontOptions;

  constructor(host: ClientHost, options: HttpFrontOptions) {
    this.#host = host;
    this.#options = options;
    this.headerBytes = options.headerBytes;
  }

  get mayGoOn(): boolean {
    return this.#options.mayGoOn();
  }

  meet(source: ClientSource, cameOverLimit: boolean): HttpConnection {
    return new HttpConnection(source, this.#host, cameOverLimit, this);
  }

  /** @internal */
  serve(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    if (!client.isAdmitted) {
      client.refuse(new ProxyFailure('client_not_allowed'));
      return;
    }
    const page = head.method === 'CONNECT' ? undefined : ownPage(head, this.#options);
    if (page === undefined) this.#admit(head, client, malformed);
    else if (malformed !== undefined) client.refuse(malformed);
    else this.#options.pages.answer(page.path, page.host, head, client);
  }

  #admit(head: RequestHead, client: HttpConnection, malformed: ProxyFailure | undefined): void {
    const { users } = this.#host;
    if (users === undefined) {
      this.#proxy(head, client, malformed);
      return;
    }
    client.authenticate(users, head.proxyAuthorization, (refusal) => {
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
      if (tunnel !== undefined) client.tunnel(tunnel);
    } else {
      const exchange = forwarder.open(head, client, malformed);
      if (exchange !== undefined) client.exchange(exchange);
    }
  }
}
