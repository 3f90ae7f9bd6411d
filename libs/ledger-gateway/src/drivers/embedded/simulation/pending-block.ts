import type { StoredState } from '../store/store-reader.js';

/** What a block under way will write, as if it stood in the store. */
export class PendingBlock {
  readonly number: number;
  readonly #states = new Map<string, StoredState>();

  constructor(number: number) {
    this.number = number;
  }

  get hasWrites(): boolean {
    return this.#states.size > 0;
  }

  state(key: string): StoredState | undefined {
    return this.#states.get(key);
  }

  put(state: StoredState): void {
    this.#states.set(state.key, state);
  }
}
