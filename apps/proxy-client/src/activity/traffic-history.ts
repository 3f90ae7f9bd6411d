import type { ProxyStats, ProxyStatsSnapshot } from '../stats/proxy-stats.js';
import type { History, HistorySample } from '../admin/api/monitoring.responses.js';

const INTERVAL_MS = 10_000;
const MAX_SAMPLES = 360;

type Counter = 'bytesSent' | 'bytesReceived' | 'successfulRequests' | 'failedRequests' | 'rejectedRequests';

/** Samples of the counters over the last hour, so that a page can show curves from before it was opened. Its memory is bounded. */
export class TrafficHistory {
  readonly #stats: ProxyStats;
  readonly #clock: () => number;
  readonly #samples: HistorySample[] = [];
  #last: ProxyStatsSnapshot;
  #lastAt: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param clock - milliseconds since the epoch */
  constructor(stats: ProxyStats, clock: () => number = Date.now) {
    this.#stats = stats;
    this.#clock = clock;
    this.#last = stats.snapshot();
    this.#lastAt = clock();
  }

  /** Starts to sample. */
  start(): void {
    this.#timer ??= setInterval(() => {
      this.sample();
    }, INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Ends an interval. */
  sample(): void {
    const snapshot = this.#stats.snapshot();
    const now = this.#clock();
    this.#samples.push(this.#difference(snapshot, now));
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    this.#last = snapshot;
    this.#lastAt = now;
  }

  /** Returns the samples in the form of GET /history, the current interval included. */
  list(): History {
    const current = this.#difference(this.#stats.snapshot(), this.#clock());
    return { interval_ms: INTERVAL_MS, samples: [...this.#samples, current] };
  }

  #difference(snapshot: ProxyStatsSnapshot, now: number): HistorySample {
    const since = (name: Counter): number => snapshot[name] - this.#last[name];
    return {
      at: new Date(now).toISOString(),
      ms: Math.max(0, now - this.#lastAt),
      bytes_sent: since('bytesSent'),
      bytes_received: since('bytesReceived'),
      active_connections: snapshot.activeConnections,
      successful_requests: since('successfulRequests'),
      failed_requests: since('failedRequests'),
      rejected_requests: since('rejectedRequests'),
    };
  }
}
