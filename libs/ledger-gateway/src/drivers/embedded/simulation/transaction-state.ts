import type { HistoryEntry, StateEntry, WorldState } from '#asset-contract';
import type { KeyRead, RangeRead, ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StoredState, StoreReader } from '../store/store-reader.js';
import { Deferral } from './deferral.js';

/** What those before a transaction write that are in no block yet: it cannot be read before they are. */
export interface PendingWrites {
  readonly hasWrites: boolean;
  isWritten(key: string): boolean;
}

/** What a transaction is simulated on. */
export interface SimulationBase {
  readonly reader: StoreReader;
  readonly open: PendingWrites;
  readonly history: (key: string) => readonly HistoryEntry[];
}

/**
 * The state as one transaction sees it, recording what it reads and writes. As on a peer, it sees the state before its
 * block and not its own writes.
 */
export class TransactionState implements WorldState {
  readonly #base: SimulationBase;
  readonly #found = new Map<string, StoredState | undefined>();
  readonly #reads = new Map<string, KeyRead>();
  readonly #ranges: RangeRead[] = [];
  readonly #writes = new Map<string, Uint8Array | undefined>();

  constructor(base: SimulationBase) {
    this.#base = base;
  }

  getState(key: string): Uint8Array | undefined {
    if (this.#base.open.isWritten(key)) throw new Deferral(false);
    const state = this.#committed(key);
    this.#reads.set(key, { key, version: versionOf(state) });
    return state?.value ?? undefined;
  }

  putState(key: string, value: Uint8Array): void {
    this.#writes.set(key, value);
  }

  deleteState(key: string): void {
    this.#writes.set(key, undefined);
  }

  getStateRange(start: string, end: string, limit: number): StateEntry[] {
    this.#requireSettled();
    const found = this.#base.reader.range(start, end, limit);
    const exhausted = found.length < limit;
    this.#ranges.push({
      startKey: start,
      endKey: exhausted ? end : (found.at(-1)?.key ?? end),
      exhausted,
      reads: found.map((state) => ({ key: state.key, version: versionOf(state) })),
    });
    return found;
  }

  getHistory(key: string): readonly HistoryEntry[] {
    // As on a peer, a history is not part of what is validated again.
    this.#requireSettled();
    return this.#base.history(key);
  }

  /** What was read and written so far. */
  readWriteSet(): ReadWriteSet {
    return {
      reads: [...this.#reads.values()],
      rangeReads: this.#ranges,
      writes: sortedByKey(Array.from(this.#writes, ([key, value]) => ({ key, value }))),
    };
  }

  /** Number of the newest history entry of a key before this transaction's block; 0 when it was never written. */
  entryOf(key: string): number {
    return this.#committed(key)?.entry ?? 0;
  }

  /** Ranges and histories come from the store alone, so every earlier write must be there. */
  #requireSettled(): void {
    if (this.#base.open.hasWrites) throw new Deferral(true);
  }

  #committed(key: string): StoredState | undefined {
    if (this.#found.has(key)) return this.#found.get(key);
    const state = this.#base.reader.state(key);
    this.#found.set(key, state);
    return state;
  }
}

function versionOf(state: StoredState | undefined): KeyRead['version'] {
  if (state === undefined || state.value === null) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}

/** As Fabric records them, by the bytes of UTF-8: the order of a transaction's writes in the histories follows from it. */
function sortedByKey<T extends { readonly key: string }>(items: T[]): T[] {
  return items.length < 2 ? items : items.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
