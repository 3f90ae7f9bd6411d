import {
  ContractError,
  decideOn,
  prepare,
  type HistoryEntry,
  type PreparedCall,
  type RangeQuery,
  type StateEntry,
  type StateReader,
  type StoredValue,
  type Write,
} from '#asset-contract';
import { contractRefusal } from '../../../errors/ledger.errors.js';
import type { KeyRead, RangeRead, ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import type { StoredState, StoreReader } from '../store/store-reader.js';

/** What those before a transaction write that are in no block yet: it cannot be read before they are. */
export interface PendingWrites {
  readonly hasWrites: boolean;
  isWritten(key: string): boolean;
}

/** What a transaction is simulated on. */
export interface SimulationBase {
  readonly reader: StoreReader;
  readonly open: PendingWrites;
  readonly history: (key: string) => Iterable<HistoryEntry>;
}

/** A call that ran as a transaction. */
export interface Simulation {
  readonly readWriteSet: ReadWriteSet;
  /** The response payload. */
  readonly payload: Uint8Array;
  /** Number of the newest history entry of a key before this transaction's block; 0 when it was never written. */
  entryOf(key: string): number;
}

/**
 * Why a call cannot run yet: it asks for what the block that it would join writes (the next block will do), or for lists,
 * which come from the store alone (every earlier block must be there first).
 */
export type Postponement = 'until the next block' | 'until all is stored';

/**
 * Runs a call on the committed state, as a peer does: it sees the state before its block.
 * @throws a refusal of the contract; what the store throws passes through
 */
export function simulate(call: LedgerCall, base: SimulationBase): Simulation | Postponement {
  try {
    const prepared = prepare(call.function, call.arguments);
    const postponed = postponement(prepared, base.open);
    if (postponed !== undefined) return postponed;
    const state = new RecordedState(base);
    const { writes, payload } = decideOn(state, prepared);
    return { readWriteSet: state.readWriteSet(writes), payload, entryOf: (key) => state.entryOf(key) };
  } catch (error) {
    throw error instanceof ContractError ? contractRefusal(error) : error;
  }
}

function postponement(call: PreparedCall, open: PendingWrites): Postponement | undefined {
  if (!open.hasWrites) return undefined;
  if ('evaluation' in call) return 'until all is stored';
  return call.reads.some((key) => open.isWritten(key)) ? 'until the next block' : undefined;
}

/** The committed state, recording what a transaction reads of it. */
class RecordedState implements StateReader {
  readonly #base: SimulationBase;
  /** Few: the contract's transactions touch six keys at most, and most of them one. */
  readonly #read: { readonly key: string; readonly state: StoredState | undefined }[] = [];
  readonly #ranges: RangeRead[] = [];

  constructor(base: SimulationBase) {
    this.#base = base;
  }

  value(key: string): StoredValue {
    const state = this.#base.reader.state(key);
    this.#read.push({ key, state });
    return state?.value ?? undefined;
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
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

  history(key: string): Iterable<HistoryEntry> {
    // As on a peer, a history is not part of what is validated again.
    return this.#base.history(key);
  }

  /** What was read, and what the transaction writes. */
  readWriteSet(writes: readonly Write[]): ReadWriteSet {
    return {
      reads: this.#read.map(({ key, state }) => ({ key, version: versionOf(state) })),
      rangeReads: this.#ranges,
      writes: sortedByKey(writes),
    };
  }

  entryOf(key: string): number {
    const read = this.#read.find((candidate) => candidate.key === key);
    return (read === undefined ? this.#base.reader.state(key) : read.state)?.entry ?? 0;
  }
}

function versionOf(state: StoredState | undefined): KeyRead['version'] {
  if (state === undefined || state.value === null) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}

/** As Fabric records them, by the bytes of UTF-8: the order of a transaction's writes in the histories follows from it. */
function sortedByKey(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes;
  return writes.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
