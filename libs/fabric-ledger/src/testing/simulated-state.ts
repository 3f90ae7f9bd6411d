import type {
  ContractEvent,
  HistoryEntry,
  RangeQuery,
  StateEntry,
  StateReader,
  StoredValue,
  Write,
} from '#contract-kit';
import type { KeyRead, KeyWrite, RangeRead, ReadWriteSet, ReadWriteSets } from '#fabric-codec/encode';
import { SimulatedCollection, type StandInCollections, type StandInPrivateWrite } from './stand-in-private.js';
import type { StandInState } from './stand-in-state.js';

/** The state for one call: records its reads and writes, and does not return its own writes. */
export class SimulatedState implements StateReader {
  readonly #committed: StandInState;
  readonly #committedCollections: StandInCollections;
  readonly #collections = new Map<string, SimulatedCollection>();
  readonly #reads = new Map<string, KeyRead>();
  readonly #rangeReads: RangeRead[] = [];
  readonly #writes = new Map<string, KeyWrite>();
  /** The event that the chaincode sets. */
  event: ContractEvent | undefined;

  constructor(committed: StandInState, collections: StandInCollections) {
    this.#committed = committed;
    this.#committedCollections = collections;
  }

  value(key: string): StoredValue {
    const found = this.#committed.get(key);
    this.#reads.set(key, { key, version: found?.version });
    return found?.value;
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
    const found = this.#committed.range(start, end, limit);
    const exhausted = found.length < limit;
    const reads = found.map(([key, { version }]) => ({ key, version }));
    this.#rangeReads.push({ startKey: start, endKey: exhausted ? end : (found.at(-1)?.[0] ?? end), exhausted, reads });
    return found.map(([key, { value }]) => ({ key, value }));
  }

  history(key: string): readonly HistoryEntry[] {
    return this.#committed.history(key);
  }

  write(write: Write): void {
    this.#writes.set(write.key, write);
  }

  /** Returns a private collection, which the caller has found to be defined. */
  collection(name: string): SimulatedCollection {
    const found = this.#collections.get(name) ?? new SimulatedCollection(name, this.#committedCollections);
    this.#collections.set(name, found);
    return found;
  }

  /** Returns what was read and written, that of private collections hashed. */
  readWriteSets(chaincode: string): ReadWriteSets {
    const sets = Array.from(this.#collections.values(), (each) => [each.space, each.readWriteSet()] as const);
    return new Map([[chaincode, this.#publicSet()], ...sets]);
  }

  privateWrites(): readonly StandInPrivateWrite[] {
    return [...this.#collections.values()].flatMap((each) => each.writes());
  }

  #publicSet(): ReadWriteSet {
    return { reads: [...this.#reads.values()], rangeReads: this.#rangeReads, writes: [...this.#writes.values()] };
  }
}
