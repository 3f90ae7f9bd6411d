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
import { contractRefusal, LedgerError, outcomeUnknown } from '../../../errors/ledger.errors.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import {
  sortedByKey,
  type KeyRead,
  type RangeRead,
  type ReadWriteSet,
} from '../../../fabric-blocks/encode/read-write-set.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import type { NamespaceReader, StoredState } from '../store/namespace-reader.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import type { BlockForge, BlockHashes, ForgedBlock } from './block-forge.js';
import {
  MAX_BLOCK_TRANSACTIONS,
  OpenBlock,
  type SealedBlock,
  type SimulatedTransaction,
  type Simulation,
  type StagedTransaction,
  type WriteRequest,
} from './open-block.js';

/** Most transactions in one batch for the signing thread; more are simulated while it is signed. */
const SIGNING_BATCH = 16;

/** The store that the pipeline writes, and the receiver of its results. */
export interface PipelineHost {
  /** The committed state. */
  readonly state: NamespaceReader;
  /** Called before reading: the reads of one block share a transaction. */
  beginReading(): void;
  /** Writes a block in one transaction; returns when it is durable. */
  commit(block: SealedBlock, forged: ForgedBlock): void;
  /** Called after {@link commit}. */
  committed(block: SealedBlock, forged: ForgedBlock): void;
  refused(request: WriteRequest, error: Error): void;
  /** Called when there are no more writes until a restart. */
  failed(reason: string, error: unknown): void;
}

/**
 * Group commit without a timer. Writes are simulated when they arrive and signed in small batches. When all are signed, or
 * enough of them while the others are still being signed, they become a block. So a single write is committed alone, and the
 * writes that are signed while a block is written share the next one.
 *
 * ```
 *   queue → simulate → open block → (signing thread) → block → fsync → results
 * ```
 */
export class BlockPipeline {
  readonly #forge: BlockForge;
  readonly #host: PipelineHost;
  readonly #open = new OpenBlock();
  #queue: WriteRequest[] = [];
  /** Writes that were deferred to a later block, where they come before all others. */
  #postponed: WriteRequest[] = [];
  /** Transactions of the open block that are not sent to the signing thread yet. */
  #unsigned: StagedTransaction[] = [];
  #nextBlock: number;
  #newest: BlockHashes;
  /** The next write must wait until all writes before it are stored. */
  #isBarred = false;
  #isCommitDue = false;
  #failure: LedgerError | undefined;
  #drained: (() => void) | undefined;

  /** @param newest - the newest block */
  constructor(forge: BlockForge, host: PipelineHost, newest: Pick<DecodedBlock, 'header' | 'hash' | 'commitHash'>) {
    this.#forge = forge;
    this.#host = host;
    this.#nextBlock = newest.header.number + 1;
    this.#newest = newest;
  }

  submit(requests: readonly WriteRequest[]): void {
    this.#queue.push(...requests);
    this.#fill();
  }

  /** Resolves when there are no in-flight writes. */
  async drain(): Promise<void> {
    if (this.#isIdle) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  get #isIdle(): boolean {
    return this.#queue.length === 0 && this.#postponed.length === 0 && this.#open.length === 0;
  }

  /** Simulates waiting writes until the open block is full or must be written first. */
  #fill(): void {
    while (this.#acceptsMore()) {
      const request = this.#queue.shift();
      if (request === undefined) break;
      this.#simulate(request);
      if (this.#unsigned.length >= SIGNING_BATCH) this.#sign();
    }
    if (this.#unsigned.length > 0) this.#sign();
    if (this.#failure !== undefined) this.#refuseAll(this.#failure);
    if (this.#isIdle) this.#drained?.();
  }

  #acceptsMore(): boolean {
    if (this.#failure !== undefined || this.#open.isFull) return false;
    // Repeated simulation of the same contended writes would cost more than their blocks.
    if (this.#postponed.length >= MAX_BLOCK_TRANSACTIONS) return false;
    if (this.#isBarred) {
      if (this.#open.length > 0) return false;
      this.#isBarred = false;
      this.#requeuePostponed();
    }
    return true;
  }

  #requeuePostponed(): void {
    if (this.#postponed.length === 0) return;
    this.#queue = [...this.#postponed, ...this.#queue];
    this.#postponed = [];
  }

  #simulate(request: WriteRequest): void {
    const timestamp = Date.now();
    try {
      this.#host.beginReading();
      const simulation = simulate(request, this.#host.state, this.#open);
      if (typeof simulation === 'string') {
        this.#isBarred ||= simulation === 'until all is stored';
        this.#postponed.push(request);
        return;
      }
      this.#unsigned.push(this.#open.place({ request, timestamp, ...simulation }));
    } catch (error) {
      this.#host.refused(request, this.#failure ?? storeFailure(error, 'the state'));
    }
  }

  /** Signs the transactions that were simulated since the last call. */
  #sign(): void {
    const batch = this.#unsigned;
    this.#unsigned = [];
    const areAlone = this.#open.length === batch.length && this.#queue.length + this.#postponed.length === 0;
    void this.#signed(batch, areAlone);
  }

  async #signed(batch: readonly StagedTransaction[], areAlone: boolean): Promise<void> {
    try {
      const envelopes = await this.#forge.envelopes(batch, areAlone);
      batch.forEach((transaction, index) => (transaction.envelope = envelopes[index]));
    } catch (error) {
      if (this.#failure === undefined) this.#fail([], error);
    }
    this.#commitSoon();
  }

  /** Commits after this turn of the event loop, so that batches that are signed in the same turn join the block. */
  #commitSoon(): void {
    if (this.#isCommitDue) return;
    this.#isCommitDue = true;
    setImmediate(() => {
      this.#isCommitDue = false;
      this.#commit();
      this.#fill();
    });
  }

  /** Writes the signed transactions as a block, if there are enough. */
  #commit(): void {
    const block = this.#failure === undefined ? this.#open.seal(this.#nextBlock) : undefined;
    if (block === undefined) return;
    try {
      const forged = this.#forge.block(this.#newest, block);
      this.#host.commit(block, forged);
      this.#nextBlock += 1;
      this.#newest = forged;
      this.#host.committed(block, forged);
    } catch (error) {
      this.#fail(block.transactions, error);
    }
    if (!this.#isBarred) this.#requeuePostponed();
  }

  /** Stops all writes: after a failed write or fsync the contents of the disk are unknown. */
  #fail(transactions: readonly SimulatedTransaction[], error: unknown): void {
    const failure = storeFailure(error, `block ${this.#nextBlock}`);
    const reason = failure instanceof LedgerError ? failure.message : `Block ${this.#nextBlock} could not be created.`;
    const text = `The ledger accepts no writes until it is restarted. ${reason}`;
    this.#failure = new LedgerError('LEDGER.READ_ONLY', text, { cause: error });
    this.#host.failed(reason, error);
    for (const { request } of transactions) this.#host.refused(request, errorOf(request, this.#failure, error));
  }

  #refuseAll(failure: LedgerError): void {
    this.#requeuePostponed();
    for (const { request } of this.#open.clear()) this.#host.refused(request, failure);
    for (const request of this.#queue.splice(0)) this.#host.refused(request, failure);
  }
}

/** Returns the error of a write whose block could not be written. Data before a failed fsync may still be on disk. */
function errorOf({ transactionId }: WriteRequest, failure: LedgerError, error: unknown): Error {
  if (!isFailedSync(error)) return failure;
  const reason = 'the disk did not confirm it. Look it up after a restart.';
  return outcomeUnknown(transactionId, reason, { cause: error });
}

/**
 * Why a call must wait: it reads a key that the open block writes (until the next block), or a list, which is read from the
 * store alone (until all earlier blocks are stored).
 */
type Postponement = 'until the next block' | 'until all is stored';

/**
 * Simulates a call on the committed state before its block, as a peer does.
 * @param open - its writes cannot be read before it is stored
 * @throws a refusal of the contract, and what the store throws
 */
function simulate(call: LedgerCall, committed: NamespaceReader, open: OpenBlock): Simulation | Postponement {
  try {
    const prepared = prepare(call.function, call.arguments);
    const postponed = postponement(prepared, open);
    if (postponed !== undefined) return postponed;
    const state = new RecordedState(committed);
    const { writes, payload, event } = decideOn(state, prepared);
    return { readWriteSet: state.readWriteSet(writes), payload, event };
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
    // The order of a transaction's history entries follows from it.
    return { reads: this.#reads, rangeReads: this.#ranges, writes: sortedByKey(writes) };
  }
}

function versionOf(state: StoredState | undefined): KeyRead['version'] {
  if (state === undefined || state.value === null) return undefined;
  return { blockNumber: state.block, transactionNumber: state.position };
}
