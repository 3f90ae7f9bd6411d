import type { ProxyStats } from '#metrics';
import type { FailureCategory } from './failure-table.js';
import type { FailedRequest, ProxyFailure } from './proxy-failure.js';
import { RecentFailures, type RecentFailure } from './recent-failures.js';

/** What the proxy's parts need of a logger; pino's has it. */
export interface ProxyLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** So many lines of one category are written in one window; the others are counted and told at its end. */
export const LINES_PER_WINDOW = 20;
export const WINDOW_MS = 10_000;

interface Window {
  lines: number;
  suppressed: number;
}

/**
 * Counts and logs each failure, in one step, so that the statistics, the log and the answer that is rendered from the
 * same {@link ProxyFailure} cannot disagree. Failures are logged at warn, a fault of our own at error with its stack;
 * what the rules refuse at info; what belongs to the course of things (a browser's spare connection, or its first request
 * without a password) at debug.
 */
export class FailureReporter {
  readonly #stats: ProxyStats;
  readonly #log: ProxyLog;
  readonly #recent = new RecentFailures();
  readonly #windows = new Map<FailureCategory, Window>();

  constructor(stats: ProxyStats, log: ProxyLog) {
    this.#stats = stats;
    this.#log = log;
  }

  /** The last failures, the latest first. */
  get latest(): readonly RecentFailure[] {
    return this.#recent.latest;
  }

  /** To be called once for each request that failed. */
  report(failure: ProxyFailure, request: FailedRequest = {}): void {
    const { socksKey, counted, apart } = failure.row;
    if (apart === true) this.#stats.requestRejected();
    if (counted) this.#stats.requestFailed(request.user);
    if (socksKey !== undefined) this.#stats.socksError(socksKey);
    // What belongs to the course of things would push out what somebody looks for.
    if (apart !== true && failure.category !== 'request_timeout') this.#recent.add(failure, request);
    if (failure.category === 'internal') this.#log.error({ ...fields(failure, request), err: failure.cause }, MESSAGE);
    else if (QUIET.has(failure.category)) this.#log.debug(fields(failure, request), MESSAGE);
    else this.#warn(failure, request, apart === true ? 'info' : 'warn');
  }

  #warn(failure: ProxyFailure, request: FailedRequest, level: 'info' | 'warn'): void {
    const window = this.#windows.get(failure.category) ?? this.#open(failure.category);
    if (window.lines < LINES_PER_WINDOW) {
      window.lines += 1;
      this.#log[level](fields(failure, request), MESSAGE);
    } else window.suppressed += 1;
  }

  #open(category: FailureCategory): Window {
    const window: Window = { lines: 0, suppressed: 0 };
    this.#windows.set(category, window);
    setTimeout(() => {
      this.#windows.delete(category);
      if (window.suppressed > 0) {
        this.#log.warn({ category, count: window.suppressed }, 'more requests failed for the same reason');
      }
    }, WINDOW_MS).unref();
    return window;
  }
}

const MESSAGE = 'request failed';
const QUIET: ReadonlySet<FailureCategory> = new Set(['request_timeout', 'authentication_required']);

function fields(failure: ProxyFailure, request: FailedRequest): object {
  const { status, proxyStatus, socksKey } = failure.row;
  const { replyCode, detail } = failure.facts;
  const { code, cause } = asCause(failure.cause);
  const { code: system } = asCause(cause);
  return {
    category: failure.category,
    status,
    error: proxyStatus,
    ...(socksKey !== undefined && { socks5: socksKey }),
    ...(replyCode !== undefined && { replyCode }),
    ...(detail !== undefined && { detail }),
    ...(typeof code === 'string' && { code }),
    ...(typeof system === 'string' && { system }),
    ...request,
  };
}

/** An error as a cause: which code it has and what caused it in turn, for instance ECONNREFUSED. */
function asCause(error: unknown): { readonly code?: unknown; readonly cause?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
