/** A limit is looked at this many times before it ends, so it is kept to about a tenth. */
const LOOKS = 10;
const MIN_PERIOD = 20;
const MAX_PERIOD = 1000;

/** Something whose limits are kept by looking at it now and then. */
export interface Swept {
  /** @param now - in milliseconds */
  sweep(now: number): void;
}

/** Looks at limits until it is stopped. */
export interface Sweeping {
  stop(): void;
}

/** Begins to look; the limits in milliseconds, 0 is none. */
export type SweepWith = (limits: readonly number[], swept: readonly Swept[]) => Sweeping;

/** One timer for the limits of all connections: a limit costs a connection nothing while its bytes move. */
export class Sweeper implements Sweeping {
  readonly #timer: NodeJS.Timeout;

  /** @param limits - milliseconds; 0 is none */
  constructor(limits: readonly number[], swept: readonly Swept[]) {
    const shortest = Math.min(...limits.map((limit) => limit || Infinity));
    const period = Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / LOOKS));
    this.#timer = setInterval(() => {
      const now = performance.now();
      for (const each of swept) each.sweep(now);
    }, period).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** For how long a figure has stood still, as far as it was looked at. */
export class Standstill {
  #figure = Number.NaN;
  #since = 0;

  /**
   * How long the figure has been the same.
   *
   * @param now - in milliseconds
   * @param matters - while it does not, it counts as moving
   */
  for(now: number, figure: number, matters: boolean): number {
    if (!matters || figure !== this.#figure) {
      this.#figure = matters ? figure : Number.NaN;
      this.#since = now;
    }
    return now - this.#since;
  }
}
