import type { HistoryEntry, StateEntry, WorldState } from '#asset-contract';
import type { KeyRead, KeyWrite, RangeRead, ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
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

/** What a transaction does with one key. */
interface KeyUse {
  readonly key: string;
  /** The committed state, `unknown` until it was looked up. */
  state: StoredState | undefined | 'unknown';
  isRead: boolean;
  isWritten: boolean;
  /** What is written; undefined deletes the key. */
  value: Uint8Array | undefined;
}

/**
 * The state as one transaction sees it, recording what it reads and writes. As on a peer, it sees the state before its
 * block and not its own writes.
 */
export class TransactionState implements WorldState {
  readonly #base: SimulationBase;
  /** Few: the contract's transactions touch six keys at most, and most of them one. */
  readonly #uses: KeyUse[] = [];
  readonly #ranges: RangeRead[] = [];

  constructor(base: SimulationBase) {
    this.#base = base;
  }

  getState(key: string): Uint8Array | undefined {
    if (this.#base.open.isWritten(key)) throw new Deferral(false);
    const use = this.#use(key);
    use.isRead = true;
    return this.#committed(use)?.value ?? undefined;
  }

  putState(key: string, value: Uint8Array): void {
    this.#write(key, value);
  }

  deleteState(key: string): void {
    this.#write(key, undefined);
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
    const reads: KeyRead[] = [];
    const writes: KeyWrite[] = [];
    for (const use of this.#uses) {
      if (use.isRead) reads.push({ key: use.key, version: versionOf(this.#committed(use)) });
      if (use.isWritten) writes.push({ key: use.key, value: use.value });
    }
    return { reads, rangeReads: this.#ranges, writes: sortedByKey(writes) };
  }

  /** Number of the newest history entry of a key before this transaction's block; 0 when it was never written. */
  entryOf(key: string): number {
    return this.#committed(this.#use(key))?.entry ?? 0;
  }

  /** Ranges and histories come from the store alone, so every earlier write must be there. */
  #requireSettled(): void {
    if (this.#base.open.hasWrites) throw new Deferral(true);
  }

  #use(key: string): KeyUse {
    for (const use of this.#uses) if (use.key === key) return use;
    const use: KeyUse = { key, state: 'unknown', isRead: false, isWritten: false, value: undefined };
    this.#uses.push(use);
    return use;
  }

  #write(key: string, value: Uint8Array | undefined): void {
    const use = this.#use(key);
    use.isWritten = true;
    use.value = value;
  }

  #committed(use: KeyUse): StoredState | undefined {
    if (use.state === 'unknown') use.state = this.#base.reader.state(use.key);
    return use.state;
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
