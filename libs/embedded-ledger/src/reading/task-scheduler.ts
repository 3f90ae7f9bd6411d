import { performance } from 'node:perf_hooks';

/** Ends the time slice of a task when it is used up. */
export type Pause = () => Promise<void>;

/** Milliseconds that a task runs before the next one's turn; a task checks the time between its steps. */
const SLICE_MS = 2;

const CONTINUE = Promise.resolve();

/** A task that waits for its next time slice. */
interface WaitingTask {
  /** Number of slices that it had. */
  readonly slices: number;
  readonly resume: () => void;
}

/**
 * A scheduler for one thread. Every second time slice goes to the task that had the fewest slices (least attained service),
 * so that a short page does not wait for a whole round of long ones. The other slices go round-robin to the tasks that have
 * started, so that a long page continues while short ones arrive on and on.
 */
export class TaskScheduler {
  readonly #now: () => number;
  /** In order of arrival. */
  readonly #waiting: WaitingTask[] = [];
  #isScheduled = false;
  #isFewestNext = true;
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
    let slices = 0;
    await this.#turn(slices);
    return task(() => (this.#now() < this.#sliceEnd ? CONTINUE : this.#turn(++slices)));
  }

  #turn(slices: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const resume = (): void => {
      resolve(undefined);
    };
    this.#waiting.push({ slices, resume });
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
      const [next] = this.#waiting.splice(this.#nextIndex(), 1);
      next?.resume();
      this.#schedule();
    });
  }

  #nextIndex(): number {
    const isFewest = this.#isFewestNext;
    this.#isFewestNext = !isFewest;
    if (!isFewest)
      return Math.max(
        0,
        this.#waiting.findIndex(({ slices }) => slices > 0),
      );
    let [fewest, index] = [Infinity, 0];
    for (const [at, { slices }] of this.#waiting.entries()) if (slices < fewest) [fewest, index] = [slices, at];
    return index;
  }
}
