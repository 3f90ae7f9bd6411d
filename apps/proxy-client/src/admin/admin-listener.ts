import { createServer, type Server } from 'node:http';
import type { AdminConfig } from '../config/proxy-client-config.js';
import { listen } from '../listener/listen.js';
import { pageGate, type PageHandler } from '../monitoring/page-gate.js';

const SHORT_MS = 10_000;

/** Documentation, metrics and statistics on a listener of their own. */
export class AdminListener {
  readonly #server: Server;
  readonly #place: AdminConfig;

  constructor(place: AdminConfig, allowedHosts: readonly string[], pages: PageHandler) {
    this.#place = place;
    this.#server = createServer(
      { requireHostHeader: false, headersTimeout: SHORT_MS, requestTimeout: SHORT_MS },
      pageGate(allowedHosts, pages),
    );
  }

  /**
   * Starts to listen.
   *
   * @returns the address and port that it listens on; undefined when none is free and none was asked for
   * @throws {@link ListenError}
   */
  async listen(): Promise<{ readonly address: string; readonly port: number } | undefined> {
    const { host, orUpTo, setBy = 'the configuration' } = this.#place;
    for (let { port } = this.#place; ; port += 1) {
      try {
        return await listen(this.#server, { host, port }, setBy);
      } catch (error) {
        if (orUpTo === undefined) throw error;
        if (port >= orUpTo) return undefined;
      }
    }
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
