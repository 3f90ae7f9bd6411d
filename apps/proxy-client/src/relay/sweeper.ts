import { acceptedBytes } from '../node-internals/socket-handle.js';
import type { ConnectionSocket } from './connection-socket.js';

/** Sweeps within the shortest limit, which makes limits accurate to about a tenth. */
const SWEEPS_PER_LIMIT = 10;
const MIN_PERIOD = 20;
const MAX_PERIOD = 1000;

/** An object whose timeouts are enforced by periodic sweeps. */
export interface Swept {
  /** @param now - in milliseconds */
  sweep(now: number): void;
}

/** Starts to sweep, and returns a function that stops it; the limits are in milliseconds, 0 means none. */
export type SweepWith = (limits: readonly number[], swept: readonly Swept[]) => () => void;

/** Sweeps by one timer for the timeouts of all connections. A timeout costs a connection nothing while its bytes move. */
export const sweepPeriodically: SweepWith = (limits, swept) => {
  const shortest = Math.min(...limits.map((limit) => limit || Infinity));
  const period = Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / SWEEPS_PER_LIMIT));
  const timer = setInterval(() => {
    const now = performance.now();
    for (const each of swept) each.sweep(now);
  }, period).unref();
  return () => {
    clearInterval(timer);
  };
};

/** Measures for how long a wait has made no progress, as seen by sweeps. */
export class IdleTimer {
  #wait: string | undefined;
  #progress = 0;
  #since = 0;

  /**
   * Returns for how many milliseconds the same wait has made no progress.
   *
   * @param now - in milliseconds
   * @param wait - a name for what is awaited; another name starts again, undefined means that nothing is awaited
   * @param progress - a counter that changes with every progress
   */
  elapsed(now: number, wait: string | undefined, progress = 0): number {
    if (wait === undefined || wait !== this.#wait || progress !== this.#progress) {
      this.#wait = wait;
      this.#progress = progress;
      this.#since = now;
    }
    return now - this.#since;
  }

  /**
   * Returns for how many milliseconds the kernel has accepted nothing of what is being written, like nginx' `send_timeout`: the
   * time between two successful writes, not the time for all of it.
   */
  writeStalled(now: number, socket: ConnectionSocket): number {
    return socket.writableLength === 0
      ? this.elapsed(now, undefined)
      : this.elapsed(now, 'write', acceptedBytes(socket));
  }
}
