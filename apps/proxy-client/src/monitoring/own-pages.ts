import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerText, pageGate, type PageHandler } from './page-gate.js';

/** What the proxy's listener answers itself: /stats, /health and that there is nothing else. */
export class OwnPages {
  readonly #pages = Promise.withResolvers<PageHandler>();
  readonly #gate: PageHandler;

  /** @param allowedHosts - names that are trusted beside addresses and localhost */
  constructor(allowedHosts: readonly string[]) {
    this.#gate = pageGate(allowedHosts, (request, response) => {
      void this.#pages.promise.then((pages) => {
        pages(request, response);
      });
    });
  }

  /** Gives the pages; requests for them that came before are answered now. */
  open(pages: PageHandler): void {
    this.#pages.resolve(pages);
  }

  /** /stats or /health, any method, any Host. */
  handleMonitoring(request: IncomingMessage, response: ServerResponse): void {
    this.#gate(request, response);
  }

  /** Everything else that names this listener. */
  handleNotFound(_request: IncomingMessage, response: ServerResponse): void {
    answerText(response, 404, 'This is a proxy. Of its own it has /stats and /health.');
  }
}
