import { performance } from 'node:perf_hooks';

/** Ends the time slice of a task when it is used up. */
export type Pause = () => Promise<void>;

/** Milliseconds that a task runs before the next one's turn; a task checks the time between its steps. */
const SLICE_MS = 2;

const CONTINUE = Promise.resolve();

/**
 * A round-robin scheduler for one thread: in each round every waiting task runs for one time slice, in order of arrival.
 * A client that sends request after request gets one slice per round like every other.
 */
export class RoundRobin {
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;
  #sliceEnd = 0;

  /** @param now - returns the time in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs a task when it is its turn.
   * @param task - awaits only its pauses, so that it keeps the thread between them
   */
  async run<T>(task: (pause: Pause) => Promise<T>): Promise<T> {
    await this.#turn();
    return task(() => (this.#now() < this.#sliceEnd ? CONTINUE : this.#turn()));
  }

  #turn(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.push(() => {
      resolve(undefined);
    });
    this.#schedule();
    return promise;
  }

  /** One slice per turn of the event loop, so that requests are received between two slices. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sliceEnd = this.#now() + SLICE_MS;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}
