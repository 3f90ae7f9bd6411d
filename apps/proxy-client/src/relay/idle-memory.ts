import { collectGarbage } from '../node-internals/v8-memory.js';

const LOOK_EVERY_MS = 5000;
/** A tunnel at rest takes less (docs/benchmarks.md): more than this for each is worth a look. */
const TUNNEL_BYTES = 16_384;
const WORTH_BYTES = 32 * 1_048_576;
/** So much must have happened since the last collection: connections and requests. */
const ENOUGH = 1000;

/** How busy the proxy is. */
export interface Activity {
  /** Connections and requests that began or ended so far. */
  readonly happened: number;
  /** Connections that are open. */
  readonly open: number;
}

export interface IdleMemoryOptions {
  readonly activity: () => Activity;
  /** Gives up what is only kept for the next one who needs it. */
  readonly release: () => void;
  readonly collect?: () => Promise<boolean>;
  /** Resident memory of the process, in bytes. */
  readonly resident?: () => number;
}

/**
 * Gives the memory of a peak back when it is over. V8 collects the old generation when it has grown, so in a proxy that has
 * become idle it may wait for ever, and the young generation keeps the size of the busiest moment. A collection stops
 * everything for some tens of milliseconds: it comes only when nothing begins or ends any more, and when it is worth it.
 */
export class IdleMemory {
  readonly #options: Required<IdleMemoryOptions>;
  #timer: NodeJS.Timeout | undefined;
  /** What the process has at rest; known from the beginning, since a peak may come before the first look. */
  #rest: number;
  #seen = 0;
  #collectedAt = 0;

  constructor({ collect = collectGarbage, resident = () => process.memoryUsage.rss(), ...options }: IdleMemoryOptions) {
    this.#options = { ...options, collect, resident };
    this.#rest = resident();
  }

  /** Looks now and then, from now on. */
  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Looks once: a second look that sees nothing new gives memory back, if there is some. */
  async look(): Promise<void> {
    const { activity, release, collect, resident } = this.#options;
    const { happened, open } = activity();
    const quiet = happened === this.#seen;
    this.#seen = happened;
    const bytes = resident();
    // What is there when nothing has happened since the start or the last collection, a collection does not give back.
    this.#rest = happened === this.#collectedAt ? bytes : Math.min(this.#rest, bytes);
    const over = bytes - this.#rest - open * TUNNEL_BYTES;
    if (quiet && over >= WORTH_BYTES && happened - this.#collectedAt >= ENOUGH) {
      this.#collectedAt = happened;
      release();
      // A Node that cannot do it will not learn it.
      if (!(await collect())) this.stop();
    }
  }
}
