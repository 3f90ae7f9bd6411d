import { performance } from 'node:perf_hooks';

/** Ends the time slice of a task when it is used up. */
export type Pause = () => Promise<void>;

/** Milliseconds that a task runs before the next one's turn; a task checks the time between its steps. */
const SLICE_MS = 2;

const CONTINUE = Promise.resolve();

/**
 * A round-robin scheduler for one thread: in each round every waiting task runs for one time slice, in order of arrival.
 * A client that sends request after request gets one slice per round like every other. Every second slice goes to a
 * task that has not run yet, if one waits, so that a short read does not wait for a whole round of long ones.
 */
export class RoundRobin {
  readonly #now: () => number;
  readonly #started: (() => void)[] = [];
  readonly #new: (() => void)[] = [];
  #isScheduled = false;
  #isNewNext = true;
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
    await this.#turn(this.#new);
    return task(() => (this.#now() < this.#sliceEnd ? CONTINUE : this.#turn(this.#started)));
  }

  #turn(queue: (() => void)[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    queue.push(() => {
      resolve(undefined);
    });
    this.#schedule();
    return promise;
  }

  /** One slice per turn of the event loop, so that requests are received between two slices. */
  #schedule(): void {
    if (this.#isScheduled || this.#new.length + this.#started.length === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#sliceEnd = this.#now() + SLICE_MS;
      this.#next()?.();
      this.#schedule();
    });
  }

  #next(): (() => void) | undefined {
    const [first, second] = this.#isNewNext ? [this.#new, this.#started] : [this.#started, this.#new];
    this.#isNewNext = !this.#isNewNext;
    return first.shift() ?? second.shift();
  }
}
