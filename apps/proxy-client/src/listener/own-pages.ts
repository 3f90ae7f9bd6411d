import type { RequestHead } from '../http/request-head.js';
import { isTrustedHost } from './host-header.js';
import type { HttpConnection } from './http-connection.js';
import { PAC_PATH, type PacPage } from './pac-page.js';

/** What /stats and /health show, each at the moment of the call. */
export interface Monitoring {
  stats(): object;
  health(): object;
}

/** Makes the page for who asks under an authority that is trusted. */
export type MakePac = (authority: string | undefined) => PacPage;

const JSON_TYPE = 'cache-control: no-store\r\ncontent-type: application/json; charset=utf-8\r\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\n';
const GUARDED = 'Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n';

/**
 * What the listener answers itself: /stats, /health, where it is asked for /proxy.pac, and that there is nothing else. They can only be read, and only under a
 * Host that is trusted: a browser on this machine can be made to send anything here by DNS rebinding. They carry no CORS
 * headers: a web page must not read them.
 */
export class OwnPages {
  readonly #monitoring: Monitoring;
  readonly #trusted: ReadonlySet<string>;
  readonly #pac: MakePac | undefined;
  readonly #paths: ReadonlySet<string>;

  /**
   * @param allowedHosts - names that are trusted beside addresses and localhost
   * @param pac - undefined: there is no /proxy.pac
   */
  constructor(monitoring: Monitoring, allowedHosts: readonly string[], pac: MakePac | undefined) {
    this.#monitoring = monitoring;
    this.#pac = pac;
    this.#paths = new Set(pac === undefined ? ['/stats', '/health'] : ['/stats', '/health', PAC_PATH]);
    this.#trusted = new Set(allowedHosts.map((host) => host.toLowerCase()));
  }

  /** Whether there is a page. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /**
   * Answers.
   *
   * @param path - of one of the pages, or another one
   * @param host - the authority that was asked
   */
  answer(path: string, host: string | undefined, { method }: RequestHead, client: HttpConnection): void {
    if (!this.has(path)) {
      refuse(client, 404, `This is a proxy. Of its own it has ${[...this.#paths].join(' and ')}.`);
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(client, 405, 'Only GET and HEAD are possible here.', 'Allow: GET, HEAD\r\n');
    } else if (isTrustedHost(host, this.#trusted)) {
      this.#show(path, host, client);
    } else {
      const advice = 'Ask for this page by IP address or as localhost, or add the name to listen.allowedHosts.';
      refuse(client, 403, advice);
    }
  }

  #show(path: string, host: string | undefined, client: HttpConnection): void {
    if (path === PAC_PATH && this.#pac !== undefined) {
      const { status, type, text } = this.#pac(host);
      client.answer(status, `Content-Type: ${type}\r\nContent-Length: ${text.length}\r\n${GUARDED}`, text);
    } else {
      const shown = JSON.stringify(path === '/stats' ? this.#monitoring.stats() : this.#monitoring.health());
      client.answer(200, `${JSON_TYPE}content-length: ${shown.length}\r\n`, shown);
    }
  }
}

function refuse(client: HttpConnection, status: number, text: string, fields = ''): void {
  const body = `${text}\n`;
  client.answer(
    status,
    `${TEXT}Content-Length: ${body.length}\r\n${GUARDED}Connection: close\r\n${fields}`,
    body,
    true,
  );
}
