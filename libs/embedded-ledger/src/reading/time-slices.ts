import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that a task runs before the others of its thread have their turns. */
const SLICE_MS = 2;
const CONTINUE = Promise.resolve();

/**
 * Lets tasks of one thread take turns: each runs for a time slice, then the event loop resumes the others in the order in which they
 * have paused, and receives calls. A task calls {@link pause} between its steps, and awaits nothing else.
 */
export class TimeSlices {
  #end = 0;

  /** Ends the time slice of a task when it is used up. */
  pause(): Promise<void> {
    return performance.now() < this.#end ? CONTINUE : this.#nextSlice();
  }

  async #nextSlice(): Promise<void> {
    await nextTurn();
    this.#end = performance.now() + SLICE_MS;
  }
}
