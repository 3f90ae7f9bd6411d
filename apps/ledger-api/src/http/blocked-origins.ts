import type { Logger } from 'pino';

/** Origins that are remembered; anybody can send any number of them. */
const MAX_ORIGINS = 100;
const MAX_LENGTH = 200;

/**
 * Logs the origins of pages that may not call the API, each once. The page only sees a network error, so that its developer looks for
 * the reason here.
 */
export class BlockedOrigins {
  readonly #logger: Logger;
  readonly #reported = new Set<string>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Logs an origin, unless it was logged before. */
  report(header: string): void {
    const origin = header.slice(0, MAX_LENGTH);
    if (this.#reported.size >= MAX_ORIGINS || this.#reported.has(origin)) return;
    this.#reported.add(origin);
    const advice = 'To let its pages call the API, add it to LEDGER_API_CORS_ORIGINS.';
    this.#logger.warn(
      { origin },
      `a page of another origin called the API, and its browser blocks the answer. ${advice}`,
    );
  }
}
