import type { HistoryEntry, StateEntry, WorldState } from '#asset-contract';
import type { StoreReader } from '../store/store-reader.js';

/** The committed state for calls that are evaluated: as on a peer, what they write is dropped. */
export class CommittedState implements WorldState {
  readonly #reader: StoreReader;
  readonly #history: (key: string) => readonly HistoryEntry[];

  constructor(reader: StoreReader, history: (key: string) => readonly HistoryEntry[]) {
    this.#reader = reader;
    this.#history = history;
  }

  getState(key: string): Uint8Array | undefined {
    return this.#reader.state(key)?.value ?? undefined;
  }

  putState(): void {
    // Evaluated calls leave no trace.
  }

  deleteState(): void {
    // Evaluated calls leave no trace.
  }

  getStateRange(start: string, end: string, limit: number): StateEntry[] {
    return this.#reader.range(start, end, limit);
  }

  getHistory(key: string): readonly HistoryEntry[] {
    return this.#history(key);
  }
}
