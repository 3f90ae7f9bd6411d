import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { ProxyStats } from '../stats/proxy-stats.js';

const LOOK_INTERVAL_MS = 1000;
/** After a collection V8 optimizes much of the code again, which takes up to a second of CPU time. */
const MIN_INTERVAL_MS = 120_000;
/** How long the proxy must have been quiet, because a load that follows soon is slower; less if it has many open connections. */
const MIN_QUIET_MS = 20_000;
/** The number of open connections whose memory is worth a collection in the first quiet second. */
const MANY_CONNECTIONS = 250;
/** Fewer connections leave too little garbage for a pause. */
const MIN_CHANGES = 250;
/** The same for each connection that is open, because the pause grows with their number. */
const MIN_CHANGES_PER_CONNECTION = 0.5;
/** The limits of a quiet second: connections that were opened or closed, and the utilization of the event loop. */
const MAX_RECENT_CHANGES = 25;
const MAX_UTILIZATION = 0.1;

/** The part of a proxy's statistics that decides when to collect. */
type ConnectionCounts = Pick<ProxyStats, 'activeConnections' | 'connectionChanges'>;

/** The part of a logger that a collection writes to. */
interface DebugLog {
  debug(fields: object, message: string): void;
}

/**
 * Collects all garbage of the calling thread and returns free memory to the system. Node has no documented function for it.
 *
 * @returns false if V8 does not provide it
 */
export function collectGarbage(evaluate: (code: string) => unknown = runInNewContext): boolean {
  setFlagsFromString('--expose-gc');
  const gc = evaluate('globalThis.gc') as typeof globalThis.gc;
  // A regular collection would keep the size of the young generation.
  gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return gc !== undefined;
}

let gcOfThread: typeof globalThis.gc;

/** Collects the garbage among the objects of the calling thread that were created last. This takes a few milliseconds. */
export function collectYoungGarbage(): void {
  setFlagsFromString('--expose-gc');
  gcOfThread ??= runInNewContext('globalThis.gc') as typeof globalThis.gc;
  gcOfThread?.({ type: 'minor', execution: 'sync' });
}

/**
 * Returns the memory of a burst of connections to the system when the burst is over. V8 collects garbage only when memory is
 * allocated, so a quiet proxy would keep the memory of its busiest moment.
 */
export class IdleCollection {
  readonly #stats: ConnectionCounts;
  readonly #logger: DebugLog;
  readonly #collect: () => boolean;
  #changesSeen = 0;
  #changesCollected = 0;
  #collectedAt = -Infinity;
  #quietSince: number | undefined;
  #measured: EventLoopUtilization | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(stats: ConnectionCounts, logger: DebugLog, collect: () => boolean = collectGarbage) {
    this.#stats = stats;
    this.#logger = logger;
    this.#collect = collect;
  }

  /** Starts to look once a second. */
  start(): void {
    this.#timer ??= setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, this.#measured);
      this.#measured = now;
      this.look(performance.now(), utilization);
    }, LOOK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * Collects garbage if many connections were opened or closed since the last collection and the proxy is quiet now: for a
   * second if many connections are open, otherwise for longer.
   *
   * @param now - in milliseconds
   * @param utilization - the part of the last second in which the event loop was busy, from 0 to 1
   */
  look(now: number, utilization: number): void {
    const { activeConnections, connectionChanges: changes } = this.#stats;
    const isQuiet = changes - this.#changesSeen <= MAX_RECENT_CHANGES && utilization <= MAX_UTILIZATION;
    this.#changesSeen = changes;
    this.#quietSince = isQuiet ? (this.#quietSince ?? now) : undefined;
    if (this.#quietSince === undefined) return;
    const isLongEnough = activeConnections >= MANY_CONNECTIONS || now - this.#quietSince >= MIN_QUIET_MS;
    const worth = Math.max(MIN_CHANGES, MIN_CHANGES_PER_CONNECTION * activeConnections);
    const isDue = changes - this.#changesCollected >= worth && now - this.#collectedAt >= MIN_INTERVAL_MS;
    if (!isLongEnough || !isDue) return;
    this.#changesCollected = changes;
    this.#collectedAt = now;
    const rss = process.memoryUsage.rss();
    if (!this.#collect()) {
      this.stop();
      return;
    }
    const ms = Math.round(performance.now() - now);
    this.#logger.debug({ ms, rssBefore: rss, rssAfter: process.memoryUsage.rss() }, 'collected garbage');
  }
}
