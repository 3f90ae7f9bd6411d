import {
  type CollectionPlace,
  type KeyModification,
  type PrivateState,
  type QuerySource,
  SimulationError,
  type SimulationLimits,
  type Simulator,
  type StateIterator,
  type StateRange,
} from '#chaincode-host';
import {
  compareText,
  type KeyMetadataWrite,
  type KeyRead,
  type KeyWrite,
  type MetadataEntry,
  type RangeRead,
  type ReadWriteSet,
  type ReadWriteSets,
  sortedByKey,
} from '#fabric-codec/encode';
import { LedgerError } from '#ledger-gateway';
import type { PrivateWrites } from '../private/private-values.js';
import { type NamespaceReader, versionOf, type PresentState } from '../store/namespace-reader.js';
import { PrivateSimulation, type TransactionRules } from './private-simulation.js';
import type { Snapshot } from './snapshot-pool.js';
import { StateSearch } from './state-search.js';

/** Entries of a range that are read at once. */
const ENTRIES_PER_READ = 100;

/** The reads and writes in one namespace so far. */
interface NamespaceRecord {
  readonly reads: Map<string, KeyRead>;
  readonly ranges: RangeCursor[];
  readonly writes: Map<string, KeyWrite>;
  readonly metadataWrites: Map<string, KeyMetadataWrite>;
}

/** Simulates one transaction on a snapshot, as Fabric's lock-based transaction simulator does, and records its reads and writes. */
export class Simulation implements Simulator {
  readonly #snapshot: Snapshot;
  readonly #transactionId: string;
  readonly #limits: SimulationLimits;
  readonly #namespaces = new Map<string, NamespaceRecord>();
  readonly #collections = new Map<string, PrivateSimulation>();
  readonly #rules: TransactionRules;
  #privateValues: Uint8Array[] = [];
  #keysRead = 0;
  #bytesWritten = 0;
  #hasPaged = false;
  #hasQueriedPrivately = false;
  #isUncertain = false;
  #isOver = false;

  constructor(snapshot: Snapshot, transactionId: string, limits: SimulationLimits) {
    this.#snapshot = snapshot;
    this.#transactionId = transactionId;
    this.#limits = limits;
    this.#rules = {
      requireRunning: this.#requireRunning.bind(this),
      countRead: this.#countRead.bind(this),
      countWrite: (size) => {
        this.#requireRunning();
        this.#countWrite(size);
      },
      beginPrivateQuery: this.#beginPrivateQuery.bind(this),
      noteValue: (value) => this.#privateValues.push(value),
      noteUncertain: () => {
        this.#isUncertain = true;
      },
    };
  }

  /** Private values that were read or written, which must not appear in messages. */
  get privateValues(): readonly Uint8Array[] {
    return this.#privateValues;
  }

  /** Whether what was read may be newer than the snapshot, so that it is valid only if there is no newer block. */
  get isUncertain(): boolean {
    return this.#isUncertain;
  }

  getState(namespace: string, key: string): Uint8Array | undefined {
    const { reads } = this.#record(namespace);
    const state = this.#snapshot.states.of(namespace).state(key);
    this.#countRead();
    reads.set(key, { key, version: versionOf(state) });
    return state?.value ?? undefined;
  }

  putState(namespace: string, key: string, value: Uint8Array): void {
    this.#write(namespace, { key, value: value.length === 0 ? undefined : value });
  }

  deleteState(namespace: string, key: string): void {
    this.#write(namespace, { key, value: undefined });
  }

  getStateMetadata(namespace: string, key: string): readonly MetadataEntry[] {
    if (this.getState(namespace, key) === undefined) return [];
    return this.#snapshot.states.metadata(namespace, key);
  }

  putStateMetadata(namespace: string, key: string, entries: readonly MetadataEntry[]): void {
    const { metadataWrites } = this.#record(namespace);
    const sizes = entries.map(({ name, value }) => Buffer.byteLength(name) + value.length);
    this.#countWrite(sizes.reduce((sum, size) => sum + size, Buffer.byteLength(key)));
    metadataWrites.set(key, { key, entries });
  }

  getStateByRange(namespace: string, range: StateRange): StateIterator {
    const { ranges } = this.#record(namespace);
    if (range.page !== undefined) this.#beginPaging();
    const cursor = new RangeCursor(this.#snapshot.states.of(namespace), range, () => {
      this.#requireRunning();
      this.#countRead();
    });
    ranges.push(cursor);
    return cursor;
  }

  getQueryResult(namespace: string, isPage: boolean): QuerySource {
    const { reads } = this.#record(namespace);
    if (isPage) this.#beginPaging();
    const onRead = (): void => {
      this.#requireRunning();
      this.#countRead();
    };
    return new StateSearch(this.#snapshot.states.of(namespace), reads, {
      onEntry: onRead,
      onValue: this.#requireRunning.bind(this),
    });
  }

  *getHistoryForKey(namespace: string, key: string): Generator<KeyModification, undefined> {
    for (const change of this.#snapshot.states.of(namespace).history(key)) {
      this.#requireRunning();
      this.#countRead();
      yield change;
    }
  }

  collection(place: CollectionPlace): PrivateState {
    this.#requireRunning();
    const opened = new PrivateSimulation(place, this.#snapshot, this.#rules);
    const known = this.#collections.get(opened.space);
    if (known !== undefined) return known;
    this.#collections.set(opened.space, opened);
    return opened;
  }

  reset(): void {
    this.#requireRunning();
    this.#namespaces.clear();
    this.#collections.clear();
    this.#privateValues = [];
    this.#isUncertain = false;
    this.#hasQueriedPrivately = false;
    this.#keysRead = 0;
    this.#bytesWritten = 0;
    this.#hasPaged = false;
  }

  /** Ends the simulation and returns what was read and written, namespaces and keys in byte order. */
  end(): ReadWriteSets {
    this.#isOver = true;
    const sets = [
      ...Array.from(this.#namespaces, ([namespace, record]) => [namespace, readWriteSet(record)] as const),
      ...Array.from(this.#collections, ([space, collection]) => [space, collection.readWriteSet()] as const),
    ];
    return new Map(sets.sort(([a], [b]) => compareText(a, b)));
  }

  /** Returns the writes of all private collections with their plain keys and values; undefined if there are none. */
  privateWrites(): PrivateWrites | undefined {
    const all = [...this.#collections.values()].flatMap((collection) => collection.privateWrites() ?? []);
    if (all.length === 0) return undefined;
    return {
      values: all.flatMap(({ values }) => values),
      otherKeys: all.flatMap(({ otherKeys }) => otherKeys),
      isPurge: all.some(({ isPurge }) => isPurge),
    };
  }

  #write(namespace: string, write: KeyWrite): void {
    const { writes } = this.#record(namespace);
    this.#countWrite(Buffer.byteLength(write.key) + (write.value?.length ?? 0));
    writes.set(write.key, write);
  }

  #countWrite(size: number): void {
    // One byte more, so that an empty write counts too.
    this.#bytesWritten += size + 1;
    if (this.#hasQueriedPrivately) {
      throw this.#unsupported('Transaction has already performed queries on pvt data. Writes are not allowed');
    }
    if (this.#hasPaged) {
      throw this.#unsupported('Transaction has already performed a paginated query. Writes are not allowed');
    }
    if (this.#bytesWritten > this.#limits.bytesWritten) {
      throw tooMuch(`writes more than ${this.#limits.bytesWritten} bytes`);
    }
  }

  #beginPrivateQuery(): void {
    this.#requireRunning();
    if (this.#bytesWritten > 0) {
      throw this.#unsupported('Queries on pvt data is supported only in a read-only transaction');
    }
    this.#hasQueriedPrivately = true;
  }

  #beginPaging(): void {
    if (this.#bytesWritten > 0) {
      throw this.#unsupported('Paginated queries are supported only in a read-only transaction');
    }
    this.#hasPaged = true;
  }

  #record(namespace: string): NamespaceRecord {
    this.#requireRunning();
    let record = this.#namespaces.get(namespace);
    if (record === undefined) {
      record = { reads: new Map(), ranges: [], writes: new Map(), metadataWrites: new Map() };
      this.#namespaces.set(namespace, record);
    }
    return record;
  }

  #countRead(): void {
    this.#keysRead += 1;
    if (this.#keysRead > this.#limits.keysRead) throw tooMuch(`reads more than ${this.#limits.keysRead} keys`);
  }

  #requireRunning(): void {
    if (this.#isOver) throw new SimulationError(`txid [${this.#transactionId}]: the transaction has ended`);
  }

  /** The text is Fabric's, with its spelling. */
  #unsupported(reason: string): SimulationError {
    return new SimulationError(`txid [${this.#transactionId}]: unsuppored transaction. ${reason}`);
  }
}

function tooMuch(what: string): LedgerError {
  return new LedgerError('LEDGER.REFUSED', `the transaction ${what}, which is the limit of this ledger`);
}

function readWriteSet({ reads, ranges, writes, metadataWrites }: NamespaceRecord): ReadWriteSet {
  // As on a peer, the same range is recorded once.
  const rangeReads = new Map(ranges.flatMap((range) => range.recorded()));
  return {
    reads: sortedByKey([...reads.values()]),
    rangeReads: [...rangeReads.values()],
    writes: sortedByKey([...writes.values()]),
    metadataWrites: sortedByKey([...metadataWrites.values()]),
  };
}

/** Reads a range in chunks and records the entries that were taken. */
class RangeCursor implements StateIterator {
  readonly #state: NamespaceReader;
  readonly #start: string;
  readonly #end: string;
  readonly #limit: number;
  readonly #onRead: () => void;
  readonly #reads: KeyRead[] = [];
  #chunk: PresentState[] = [];
  /** Whether nothing is left after the chunk. */
  #isLastChunk = false;
  /** Whether the end of the range was reached. */
  #isExhausted = false;

  /** @param onRead - called before each entry is returned; may throw */
  constructor(state: NamespaceReader, { start, end, page }: StateRange, onRead: () => void) {
    this.#state = state;
    this.#start = page === undefined || page.bookmark === '' ? start : page.bookmark;
    this.#end = end;
    this.#limit = page?.size ?? Infinity;
    this.#onRead = onRead;
  }

  next(): PresentState | undefined {
    if (this.#reads.length >= this.#limit) return undefined;
    const found = this.#peek();
    if (found === undefined) {
      this.#isExhausted = true;
      return undefined;
    }
    this.#onRead();
    this.#chunk.shift();
    this.#reads.push({ key: found.key, version: versionOf(found) });
    return found;
  }

  bookmark(): string {
    return this.#peek()?.key ?? '';
  }

  /** Returns the read for the read set by its bounds; nothing when no entry was asked for. */
  recorded(): readonly (readonly [bounds: string, RangeRead])[] {
    const last = this.#reads.at(-1)?.key;
    if (!this.#isExhausted && last === undefined) return [];
    const range = {
      startKey: this.#start,
      endKey: this.#isExhausted ? this.#end : (last ?? ''),
      exhausted: this.#isExhausted,
      reads: this.#reads,
    };
    return [[JSON.stringify([range.startKey, range.endKey, range.exhausted]), range]];
  }

  #peek(): PresentState | undefined {
    if (this.#chunk.length === 0 && !this.#isLastChunk) {
      const last = this.#reads.at(-1)?.key;
      const start = last === undefined ? this.#start : `${last}\u0000`;
      const limit = Math.min(ENTRIES_PER_READ, this.#limit - this.#reads.length + 1);
      this.#chunk = this.#state.range({ start, end: this.#end, limit });
      this.#isLastChunk = this.#chunk.length < limit;
    }
    return this.#chunk[0];
  }
}
