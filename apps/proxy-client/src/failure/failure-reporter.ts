import type { ProxyStats } from '../stats/proxy-stats.js';
import type { FailureCategory } from './failure-table.js';
import type { FailedRequest, ProxyFailure } from './proxy-failure.js';
import { RecentFailures } from './recent-failures.js';

/** The part of pino's logger that the proxy uses. */
export interface ProxyLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that drops everything. */
export const SILENT: ProxyLog = { debug: drop, info: drop, warn: drop, error: drop };

function drop(): void {
  // No one reads it.
}

/** The maximum number of log lines per category and window; the others are counted, and logged at its end. */
export const LINES_PER_WINDOW = 20;
export const WINDOW_MS = 10_000;

/**
 * Counts and logs each failure in one step, so that the statistics, the log and the answer, which is rendered from the same
 * {@link ProxyFailure}, are consistent. Failures are logged at warn, internal errors at error with their stack, refusals by a
 * rule at info, and expected ones (a browser's spare connection, or its first request without a password) at debug.
 */
export class FailureReporter {
  /** The last failures, for pages. */
  readonly recent = new RecentFailures();
  readonly #stats: ProxyStats;
  readonly #log: ProxyLog;
  /** The number of lines in the current window. */
  readonly #lines = new Map<FailureCategory, number>();
  #window: NodeJS.Timeout | undefined;

  constructor(stats: ProxyStats, log: ProxyLog) {
    this.#stats = stats;
    this.#log = log;
  }

  /** Reports a request that failed; called once for each. */
  report(failure: ProxyFailure, request: FailedRequest = {}): void {
    const { socksKey, counted, isRefusal = false } = failure.row;
    if (isRefusal) this.#stats.requestRejected();
    if (counted) this.#stats.requestFailed(request.user);
    if (socksKey !== undefined) this.#stats.socksError(socksKey);
    // Expected failures would displace those that an operator looks for.
    if (failure.category !== 'request_timeout') this.recent.add(failure, request);
    this.#write(failure, request);
  }

  /** Ends the current window: logs how many lines it lacks. */
  close(): void {
    clearTimeout(this.#window);
    this.#endWindow();
  }

  #write(failure: ProxyFailure, request: FailedRequest): void {
    const { category, cause, row } = failure;
    if (category === 'internal') this.#log.error({ ...fields(failure, request), err: cause }, MESSAGE);
    else if (QUIET.has(category)) this.#log.debug(fields(failure, request), MESSAGE);
    else this.#writeLimited(failure, request, row.isRefusal === true ? 'info' : 'warn');
  }

  #writeLimited(failure: ProxyFailure, request: FailedRequest, level: 'info' | 'warn'): void {
    const { category } = failure;
    const lines = (this.#lines.get(category) ?? 0) + 1;
    if (this.#lines.size === 0) this.#window = setTimeout(this.#endWindow.bind(this), WINDOW_MS).unref();
    this.#lines.set(category, lines);
    if (lines <= LINES_PER_WINDOW) this.#log[level](fields(failure, request), MESSAGE);
  }

  #endWindow(): void {
    for (const [category, lines] of this.#lines) {
      const count = lines - LINES_PER_WINDOW;
      if (count > 0) this.#log.warn({ category, count }, 'more requests failed for the same reason');
    }
    this.#lines.clear();
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

/** Returns the code and the cause of an error, if it has them. */
function asCause(error: unknown): { readonly code?: unknown; readonly cause?: unknown } {
  return typeof error === 'object' && error !== null ? error : {};
}
