import { createServer, type Server } from 'node:http';
import { listen } from '../listener/http-server.js';
import { pageGate, type PageHandler } from '../monitoring/page-gate.js';

const SHORT_MS = 10_000;

/** Documentation, metrics and statistics on a listener of their own. */
export class AdminListener {
  readonly #server: Server;
  readonly #place: { readonly host: string; readonly port: number };

  constructor(
    place: { readonly host: string; readonly port: number },
    allowedHosts: readonly string[],
    pages: PageHandler,
  ) {
    this.#place = place;
    this.#server = createServer(
      { requireHostHeader: false, headersTimeout: SHORT_MS, requestTimeout: SHORT_MS },
      pageGate(allowedHosts, pages),
    );
  }

  /**
   * Starts to listen.
   *
   * @returns the address and port that it listens on
   * @throws {@link ListenError}
   */
  async listen(): Promise<{ readonly address: string; readonly port: number }> {
    return listen(this.#server, this.#place, 'admin.host and admin.port');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
