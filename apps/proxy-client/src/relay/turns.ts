/** About a millisecond of work. */
const PER_TURN = 32;

/**
 * A queue of continuations, of which each turn of the event loop runs a few: in every turn Node accepts one connection of a listener,
 * so that long turns would keep new clients waiting.
 */
export class Turns {
  readonly #waiting = new Set<() => void>();

  /** Runs a continuation, which must not throw, in a later turn. */
  add(continuation: () => void): void {
    if (this.#waiting.size === 0) setImmediate(this.#run);
    this.#waiting.add(continuation);
  }

  readonly #run = (): void => {
    // What these add waits for a later turn.
    const batch = [...this.#waiting].slice(0, PER_TURN);
    for (const continuation of batch) this.#waiting.delete(continuation);
    if (this.#waiting.size > 0) setImmediate(this.#run);
    for (const continuation of batch) continuation();
  };
}
