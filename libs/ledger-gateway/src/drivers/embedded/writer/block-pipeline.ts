import type { HistoryEntry } from '#asset-contract';
import { LedgerError, outcomeUnknown } from '../../../errors/ledger.errors.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import type { NamespaceReader } from '../store/namespace-reader.js';
import type { BlockForge, ForgedBlock } from './block-forge.js';
import type { WriteRequest } from './messages.js';
import {
  MAX_BLOCK_TRANSACTIONS,
  OpenBlock,
  type SealedBlock,
  type SimulatedTransaction,
  type StagedTransaction,
} from './open-block.js';
import { simulate, type Postponement, type Simulation, type SimulationBase } from './simulate.js';

/** Most transactions in one batch for the signing thread; more are simulated while it is signed. */
const SIGNING_BATCH = 16;

/** Receives the results of writes. A write is reported as committed only after its block is durable. */
export interface PipelineListener {
  committed(block: SealedBlock, forged: ForgedBlock): void;
  refused(request: WriteRequest, error: Error): void;
  /** No more writes until a restart. */
  failed(reason: string, error: unknown): void;
}

/** The pipeline's access to the store. */
export interface PipelineStore {
  readonly reader: NamespaceReader;
  /** Must be called before reading: the reads of one block share a transaction. */
  beginReading(): void;
  /** Writes a block in one transaction; returns when it is durable. */
  commit(block: SealedBlock, forged: ForgedBlock): void;
  readonly history: (key: string) => Iterable<HistoryEntry>;
}

/** The end of the chain, where the pipeline starts. */
export interface PipelineStart {
  readonly nextBlock: number;
  readonly previousHash: Uint8Array;
  readonly previousCommitHash: Uint8Array;
  readonly nextEntry: number;
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
  readonly #store: PipelineStore;
  readonly #listener: PipelineListener;
  readonly #queue = new RequestQueue();
  readonly #open = new OpenBlock();
  readonly #base: SimulationBase;
  /** Transactions of the open block that are not sent to the signing thread yet. */
  #unsigned: StagedTransaction[] = [];
  #nextBlock: number;
  #previousHash: Uint8Array;
  #previousCommitHash: Uint8Array;
  #nextEntry: number;
  /** The next write must wait until all writes before it are stored. */
  #isBarred = false;
  #isCommitDue = false;
  #failure: LedgerError | undefined;
  #drained: (() => void) | undefined;

  constructor(forge: BlockForge, store: PipelineStore, start: PipelineStart, listener: PipelineListener) {
    this.#forge = forge;
    this.#store = store;
    this.#listener = listener;
    this.#base = { reader: store.reader, open: this.#open, history: store.history };
    this.#nextBlock = start.nextBlock;
    this.#previousHash = start.previousHash;
    this.#previousCommitHash = start.previousCommitHash;
    this.#nextEntry = start.nextEntry;
  }

  submit(requests: readonly WriteRequest[]): void {
    this.#queue.add(requests);
    this.#fill();
  }

  /** Resolves when there are no in-flight writes. */
  async drain(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Whether there are no in-flight writes. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#open.length === 0;
  }

  /** Simulates waiting writes until the open block is full or must be written first. */
  #fill(): void {
    while (this.#acceptsMore()) {
      const request = this.#queue.take();
      if (request === undefined) break;
      this.#simulate(request);
      if (this.#unsigned.length >= SIGNING_BATCH) this.#sign();
    }
    if (this.#unsigned.length > 0) this.#sign();
    if (this.#failure !== undefined) this.#refuseAll(this.#failure);
    if (this.isIdle) this.#drained?.();
  }

  #acceptsMore(): boolean {
    if (this.#failure !== undefined || this.#open.isFull) return false;
    // Repeated simulation of the same contended writes would cost more than their blocks.
    if (this.#queue.putBackCount >= MAX_BLOCK_TRANSACTIONS) return false;
    if (this.#isBarred) {
      if (this.#open.length > 0) return false;
      this.#isBarred = false;
      this.#queue.reopen();
    }
    return true;
  }

  #simulate(request: WriteRequest): void {
    const timestamp = Date.now();
    try {
      this.#store.beginReading();
      const simulation = simulate(request, this.#base);
      if (typeof simulation === 'string') this.#postpone(request, simulation);
      else this.#place({ request, timestamp, ...simulation });
    } catch (error) {
      this.#refuse(request, error);
    }
  }

  #place(simulated: SimulatedTransaction & Pick<Simulation, 'entryOf'>): void {
    this.#unsigned.push(this.#open.place(simulated, this.#nextEntry));
    this.#nextEntry += simulated.readWriteSet.writes.length;
  }

  #postpone(request: WriteRequest, until: Postponement): void {
    this.#isBarred ||= until === 'until all is stored';
    this.#queue.putBack(request);
  }

  #refuse(request: WriteRequest, error: unknown): void {
    this.#listener.refused(request, this.#failure ?? storeFailure(error, 'the state'));
  }

  /** Signs the transactions that were simulated since the last call. */
  #sign(): void {
    const batch = this.#unsigned;
    this.#unsigned = [];
    const areAlone = this.#open.length === batch.length && this.#queue.length === 0;
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
      const link = { previousHash: this.#previousHash, previousCommitHash: this.#previousCommitHash };
      const forged = this.#forge.block(link, block);
      this.#store.commit(block, forged);
      this.#nextBlock += 1;
      this.#previousHash = forged.hash;
      this.#previousCommitHash = forged.commitHash;
      this.#listener.committed(block, forged);
    } catch (error) {
      this.#fail(block.transactions, error);
    }
    if (!this.#isBarred) this.#queue.reopen();
  }

  /** Stops all writes: after a failed write or fsync the contents of the disk are unknown. */
  #fail(transactions: readonly SimulatedTransaction[], error: unknown): void {
    const failure = storeFailure(error, `block ${this.#nextBlock}`);
    const reason = failure instanceof LedgerError ? failure.message : `Block ${this.#nextBlock} could not be created.`;
    const readOnly = new LedgerError(
      'LEDGER.READ_ONLY',
      `The ledger accepts no writes until it is restarted. ${reason}`,
      {
        cause: error,
      },
    );
    this.#failure = readOnly;
    this.#listener.failed(reason, error);
    for (const { request } of transactions) this.#listener.refused(request, errorOf(request, readOnly, error));
  }

  #refuseAll(failure: LedgerError): void {
    for (const { request } of this.#open.clear()) this.#listener.refused(request, failure);
    for (const request of this.#queue.clear()) this.#listener.refused(request, failure);
  }
}

/** Returns the error of a write whose block could not be written. Data before a failed fsync may still be on disk. */
function errorOf({ transactionId }: WriteRequest, failure: LedgerError, error: unknown): Error {
  if (!isFailedSync(error)) return failure;
  const reason = 'the disk did not confirm it. Look it up after a restart.';
  return outcomeUnknown(transactionId, reason, { cause: error });
}

/** A FIFO queue of writes for the next blocks. Writes that were put back are taken first. */
class RequestQueue {
  #waiting: WriteRequest[] = [];
  #next = 0;
  #putBack: WriteRequest[] = [];

  get length(): number {
    return this.#waiting.length - this.#next + this.#putBack.length;
  }

  /** Number of writes that were put back since the last {@link reopen}. */
  get putBackCount(): number {
    return this.#putBack.length;
  }

  add(requests: readonly WriteRequest[]): void {
    for (const request of requests) this.#waiting.push(request);
  }

  /** Removes the next write, except those that were put back. */
  take(): WriteRequest | undefined {
    const request = this.#waiting[this.#next];
    if (request === undefined) return undefined;
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    return request;
  }

  /** Defers a write to a later block. */
  putBack(request: WriteRequest): void {
    this.#putBack.push(request);
  }

  /** Makes the writes that were put back available again, before all others. */
  reopen(): void {
    if (this.#putBack.length === 0) return;
    this.#waiting = [...this.#putBack, ...this.#waiting.slice(this.#next)];
    this.#next = 0;
    this.#putBack = [];
  }

  /** Removes all writes. */
  clear(): WriteRequest[] {
    this.reopen();
    const all = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    return all;
  }
}
