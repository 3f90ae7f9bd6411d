import type { RequestHead } from '../http/request-head.js';
import { isTrustedHost } from './host-header.js';
import type { HttpConnection } from './http-connection.js';

/** What /stats and /health show, each at the moment of the call. */
export interface Monitoring {
  stats(): object;
  health(): object;
}

const JSON_TYPE = 'cache-control: no-store\r\ncontent-type: application/json; charset=utf-8\r\n';
const TEXT = 'Content-Type: text/plain; charset=utf-8\r\n';
const GUARDED = 'Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n';

/**
 * What the listener answers itself: /stats, /health, and that there is nothing else. They can only be read, and only under a
 * Host that is trusted: a browser on this machine can be made to send anything here by DNS rebinding. They carry no CORS
 * headers: a web page must not read them.
 */
export class OwnPages {
  readonly #monitoring: Monitoring;
  readonly #trusted: ReadonlySet<string>;

  /** @param allowedHosts - names that are trusted beside addresses and localhost */
  constructor(monitoring: Monitoring, allowedHosts: readonly string[]) {
    this.#monitoring = monitoring;
    this.#trusted = new Set(allowedHosts.map((host) => host.toLowerCase()));
  }

  /**
   * Answers.
   *
   * @param path - `/stats`, `/health`, or another one
   * @param host - the authority that was asked
   */
  answer(path: string, host: string | undefined, { method }: RequestHead, client: HttpConnection): void {
    if (path !== '/stats' && path !== '/health') {
      refuse(client, 404, 'This is a proxy. Of its own it has /stats and /health.');
    } else if (method !== 'GET' && method !== 'HEAD') {
      refuse(client, 405, 'Only GET and HEAD are possible here.', 'Allow: GET, HEAD\r\n');
    } else if (isTrustedHost(host, this.#trusted)) {
      const shown = JSON.stringify(path === '/stats' ? this.#monitoring.stats() : this.#monitoring.health());
      client.answer(200, `${JSON_TYPE}content-length: ${shown.length}\r\n`, shown);
    } else {
      const advice = 'Ask for this page by IP address or as localhost, or add the name to listen.allowedHosts.';
      refuse(client, 403, advice);
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
