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
import type { NamespaceReader, StoredState } from '../store/namespace-reader.js';
import type { OpenBlock, Simulation } from './open-block.js';

/**
 * Why a call must wait: it reads a key that the open block writes (until the next block), or a list, which is read from the
 * store alone (until all earlier blocks are stored).
 */
export type Postponement = 'until the next block' | 'until all is stored';

/**
 * Simulates a call on the committed state before its block, as a peer does.
 * @param open - its writes cannot be read before it is stored
 * @throws a refusal of the contract, and what the store throws
 */
export function simulate(call: LedgerCall, committed: NamespaceReader, open: OpenBlock): Simulation | Postponement {
  try {
    const prepared = prepare(call.function, call.arguments);
    const postponed = postponement(prepared, open);
    if (postponed !== undefined) return postponed;
    const state = new RecordedState(committed);
    const { writes, payload } = decideOn(state, prepared);
    return { readWriteSet: state.readWriteSet(writes), payload };
  } catch (error) {
    throw error instanceof ContractError ? contractRefusal(error) : error;
  }
}

function postponement(call: PreparedCall, open: OpenBlock): Postponement | undefined {
  if (!open.hasWrites) return undefined;
  if ('evaluation' in call) return 'until all is stored';
  return call.reads.some((key) => open.isWritten(key)) ? 'until the next block' : undefined;
}

/** Reads the committed state, and records the reads of a transaction. */
class RecordedState implements StateReader {
  readonly #committed: NamespaceReader;
  readonly #reads: KeyRead[] = [];
  readonly #ranges: RangeRead[] = [];

  constructor(committed: NamespaceReader) {
    this.#committed = committed;
  }

  value(key: string): StoredValue {
    const state = this.#committed.state(key);
    this.#reads.push({ key, version: versionOf(state) });
    return state?.value ?? undefined;
  }

  range(query: RangeQuery): readonly StateEntry[] {
    const found = this.#committed.range(query);
    const exhausted = found.length < query.limit;
    this.#ranges.push({
      startKey: query.start,
      endKey: exhausted ? query.end : (found.at(-1)?.key ?? query.end),
      exhausted,
      reads: found.map((state) => ({ key: state.key, version: versionOf(state) })),
    });
    return found;
  }

  history(key: string): Iterable<HistoryEntry> {
    // As on a peer, reads of a history are not validated.
    return this.#committed.history(key);
  }

  /** Returns the recorded reads with the transaction's writes. */
  readWriteSet(writes: readonly Write[]): ReadWriteSet {
    return { reads: this.#reads, rangeReads: this.#ranges, writes: sortedByKey(writes) };
  }
}

function versionOf(state: StoredState | undefined): KeyRead['version'] {
  if (state === undefined || state.value === null) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}

/** Sorts by the bytes of UTF-8, as Fabric does. The order of a transaction's history entries follows from it. */
function sortedByKey(writes: readonly Write[]): readonly Write[] {
  if (writes.length < 2) return writes;
  return writes.toSorted((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
