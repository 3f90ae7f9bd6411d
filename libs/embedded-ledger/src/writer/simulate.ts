import {
  ContractError,
  decideOn,
  type Contract,
  type TransactionFacts,
  type HistoryEntry,
  type PreparedCall,
  type PrivateWrite,
  type RangeQuery,
  type StateEntry,
  type StateReader,
  type StoredValue,
  type Write,
} from '#contract-kit';
import {
  collectionSpace,
  compareText,
  hashedSet,
  type KeyRead,
  type RangeRead,
  type ReadWriteSet,
  sortedByKey,
  type Version,
} from '#fabric-codec/encode';
import { contractRefusal, type LedgerCall } from '#ledger-gateway';
import type { PrivateValue, PrivateWrites } from '../private/private-values.js';
import type { PrivateKey } from '../private/stored-value.js';
import { type NamespaceReader, type StateReaders, versionOf } from '../store/namespace-reader.js';
import { rangeName, storedKey } from '../store/schema.js';
import type { FinishedSimulation, OpenBlock, Simulation } from './open-block.js';

/**
 * Why a call must wait: it reads a key that the open block writes (until the next block), or a list, which is read from the
 * store alone (until all earlier blocks are stored).
 */
type Postponement = 'until the next block' | 'until all is stored';

/**
 * Simulates a call of a contract on the committed state before its block, as a peer does.
 * @param open - its writes cannot be read before it is stored
 * @throws a refusal of the contract, and what the store throws
 */
export function simulate(
  contract: Contract,
  { call, transaction }: Readonly<{ call: Pick<LedgerCall, 'function' | 'arguments'>; transaction: TransactionFacts }>,
  committed: NamespaceReader,
  open: OpenBlock,
): Simulation | Postponement {
  try {
    const prepared = contract.prepare(call.function, call.arguments, transaction);
    const postponed = postponement(prepared, committed.namespace, open);
    if (postponed !== undefined) return postponed;
    const state = new RecordedState(committed);
    const { writes, privateWrites = [], payload, event } = decideOn(state, prepared);
    const { namespace } = committed;
    const publicSet = state.readWriteSet(writes);
    if (privateWrites.length === 0) return { readWriteSets: new Map([[namespace, publicSet]]), payload, event };
    const sets = new Map([[namespace, publicSet], ...hashedSets(namespace, privateWrites)]);
    return { readWriteSets: sets, privateWrites: privateWritesOf(namespace, privateWrites), payload, event };
  } catch (error) {
    throw error instanceof ContractError ? contractRefusal(error) : error;
  }
}

function postponement(call: PreparedCall, namespace: string, open: OpenBlock): Postponement | undefined {
  if (!open.hasWrites) return undefined;
  if ('evaluation' in call || call.historyOf !== undefined) return 'until all is stored';
  return call.reads.some((key) => open.isWritten(namespace, key)) ? 'until the next block' : undefined;
}

/** Returns the hashed sets of private writes, collections in byte order. */
function hashedSets(namespace: string, privateWrites: readonly PrivateWrite[]): readonly [string, ReadWriteSet][] {
  const collections = Map.groupBy(privateWrites, ({ collection }) => collectionSpace(namespace, collection));
  return Array.from(collections, ([space, writes]): [string, ReadWriteSet] => {
    return [space, hashedSet({ reads: [], writes, metadataWrites: [] })];
  }).sort(([a], [b]) => compareText(a, b));
}

/** Functions of the ledger's own contracts read no ranges of private keys. */
function privateWritesOf(namespace: string, writes: readonly PrivateWrite[]): PrivateWrites {
  const values: PrivateValue[] = [];
  const otherKeys: PrivateKey[] = [];
  for (const { collection, key, value } of writes) {
    const space = collectionSpace(namespace, collection);
    if (value === undefined) otherKeys.push({ space, key });
    else values.push({ space, key, value, isListed: false });
  }
  return { values, otherKeys, isPurge: writes.some(({ isPurge }) => isPurge) };
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
    // The order of a transaction's history entries follows from it.
    return { reads: this.#reads, rangeReads: this.#ranges, writes: sortedByKey(writes) };
  }
}

/** A simulation that read what was changed since. */
export interface StaleSimulation {
  /** What changed, by names that are equal when two calls contend for the same: see {@link storedKey} and {@link rangeName}. */
  readonly staleKeys: readonly string[];
}

/**
 * Validates a simulation that ran on another thread, as a peer validates a transaction before it commits: each read must
 * find the version that was read, and each range the same keys with the same versions.
 * @param committed - undefined when nothing was committed since the simulation
 * @param open - what it writes is not committed yet: a simulation that read it becomes stale with the next block
 */
export function validate(
  simulation: FinishedSimulation,
  committed: StateReaders | undefined,
  open: OpenBlock,
): Simulation | Postponement | StaleSimulation {
  const staleKeys: string[] = [];
  let mustWait = false;
  for (const [namespace, { reads, rangeReads = [] }] of simulation.readWriteSets) {
    const state = committed?.of(namespace);
    if (state !== undefined) staleKeys.push(...changedSince(state, reads, rangeReads));
    mustWait ||= reads.some(({ key }) => open.isWritten(namespace, key));
    mustWait ||= rangeReads.some((range) => open.hasWriteIn(namespace, range.startKey, endOfRange(range)));
  }
  if (staleKeys.length > 0) return { staleKeys };
  return mustWait ? 'until the next block' : simulation;
}

function changedSince(state: NamespaceReader, reads: readonly KeyRead[], ranges: readonly RangeRead[]): string[] {
  const named = (key: string): string => storedKey(state.namespace, key);
  const keys = reads.filter(({ key, version }) => !isSame(versionOf(state.state(key)), version));
  return [
    ...keys.map(({ key }) => named(key)),
    ...ranges.flatMap((range) => {
      const changed = changedIn(state, range);
      if (changed.length === 0) return [];
      return [rangeName(state.namespace, range.startKey, range.endKey), ...changed.map(named)];
    }),
  ];
}

/** Returns the keys of a range that are new, deleted or written again. */
function changedIn(state: NamespaceReader, range: RangeRead): string[] {
  const then = new Map(range.reads.map(({ key, version }) => [key, version]));
  // One more shows a key that is new at the end.
  const query = { start: range.startKey, end: endOfRange(range), limit: then.size + 1 };
  const now = new Map(state.range(query).map((found) => [found.key, versionOf(found)]));
  const keys = new Set([...then.keys(), ...now.keys()]);
  return [...keys].filter((key) => !isSame(then.get(key), now.get(key)));
}

/** Returns the first key after a range. One that was not read to its end is recorded with its last key, which belongs to it. */
function endOfRange({ endKey, exhausted }: RangeRead): string {
  return exhausted ? endKey : `${endKey}\u0000`;
}

function isSame(a: Version | undefined, b: Version | undefined): boolean {
  return a?.blockNumber === b?.blockNumber && a?.transactionNumber === b?.transactionNumber;
}
