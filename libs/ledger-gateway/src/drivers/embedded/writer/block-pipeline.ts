import type { HistoryEntry } from '#asset-contract';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import type { StoreReader } from '../store/store-reader.js';
import type { BlockForge, ForgedBlock } from './block-forge.js';
import type { WriteRequest } from './messages.js';
import {
  MAX_BLOCK_TRANSACTIONS,
  OpenBlock,
  type SealedBlock,
  type SimulatedTransaction,
  type StagedTransaction,
} from './open-block.js';
import { RequestQueue } from './request-queue.js';
import { simulate, type Postponement, type Simulation, type SimulationBase } from './simulate.js';

/** Most transactions that are handed over for signing in one piece: the others are simulated meanwhile. */
const SIGNED_AT_ONCE = 16;

/** What the pipeline tells; answers go out only when what they rest on is on disk. */
export interface PipelineListener {
  committed(block: SealedBlock, forged: ForgedBlock): void;
  refused(request: WriteRequest, error: Error): void;
  /** No more writes until a restart. */
  failed(reason: string, error: unknown): void;
}

/** The pipeline's way to the disk. */
export interface PipelineStore {
  readonly reader: StoreReader;
  /** Call it before reading: reads of one block share a transaction. */
  beginReading(): void;
  /** Writes a block in one transaction; returns when it is durable. */
  commit(block: SealedBlock, forged: ForgedBlock): void;
  readonly history: (key: string) => Iterable<HistoryEntry>;
}

/** Where the chain ends. */
export interface PipelineStart {
  readonly nextBlock: number;
  readonly previousHash: Uint8Array;
  readonly previousCommitHash: Uint8Array;
  readonly nextEntry: number;
}

/**
 * Group commit without a timer: what arrives is simulated at once and handed over for signing in small batches. When all
 * are signed, or a good number while the others still are being signed, they become a block. A write that comes alone is
 * so committed alone, and those that are signed while a block is on its way to the disk share the next one.
 *
 * ```
 *   queue → simulate → open block → (signed beside this thread) → block → fsync → answers
 * ```
 */
export class BlockPipeline {
  readonly #forge: BlockForge;
  readonly #store: PipelineStore;
  readonly #listener: PipelineListener;
  readonly #queue = new RequestQueue();
  readonly #open = new OpenBlock();
  readonly #base: SimulationBase;
  /** Transactions of the open block that nobody signs yet. */
  #unsigned: StagedTransaction[] = [];
  #nextBlock: number;
  #previousHash: Uint8Array;
  #previousCommitHash: Uint8Array;
  #nextEntry: number;
  /** The next write has to wait until all before it are in the store. */
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

  /** Resolves when nothing is under way any more. */
  async drain(): Promise<void> {
    if (this.isIdle) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Nothing is under way. */
  get isIdle(): boolean {
    return this.#queue.length === 0 && this.#open.length === 0;
  }

  /** Simulates what waits, until the open block is full or has to be written first. */
  #fill(): void {
    while (this.#takesMore()) {
      const request = this.#queue.take();
      if (request === undefined) break;
      this.#simulate(request);
      if (this.#unsigned.length >= SIGNED_AT_ONCE) this.#sign();
    }
    if (this.#unsigned.length > 0) this.#sign();
    if (this.#failure !== undefined) this.#refuseAll(this.#failure);
    if (this.isIdle) this.#drained?.();
  }

  #takesMore(): boolean {
    if (this.#failure !== undefined || this.#open.isFull) return false;
    // Simulating the same contended writes again and again would cost more than their blocks.
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

  /** Has those signed that were simulated since the last time. */
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

  /** What else was signed by now, and comes in the same turn of the event loop, joins the block. */
  #commitSoon(): void {
    if (this.#isCommitDue) return;
    this.#isCommitDue = true;
    setImmediate(() => {
      this.#isCommitDue = false;
      this.#commit();
      this.#fill();
    });
  }

  /** Writes what is signed as a block, when it is worth one. */
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

  /** Nothing is written any more: after a failed write or fsync nobody knows what the disk holds. */
  #fail(transactions: readonly SimulatedTransaction[], error: unknown): void {
    const failure = storeFailure(error, `block ${this.#nextBlock}`);
    const reason = failure instanceof LedgerError ? failure.message : `Block ${this.#nextBlock} could not be made.`;
    const readOnly = new LedgerError(
      'LEDGER.READ_ONLY',
      `The ledger takes no more writes until it is restarted. ${reason}`,
      {
        cause: error,
      },
    );
    this.#failure = readOnly;
    this.#listener.failed(reason, error);
    for (const { request } of transactions) this.#listener.refused(request, endOf(request, readOnly, error));
  }

  #refuseAll(failure: LedgerError): void {
    for (const { request } of this.#open.clear()) this.#listener.refused(request, failure);
    for (const request of this.#queue.clear()) this.#listener.refused(request, failure);
  }
}

/** How a write in a block that could not be written ends: what stood before a failed fsync may be on disk all the same. */
function endOf({ transactionId }: WriteRequest, failure: LedgerError, error: unknown): Error {
  if (!isFailedSync(error)) return failure;
  return new LedgerError(
    'LEDGER.OUTCOME_UNKNOWN',
    `The disk did not confirm the write: transaction ${transactionId} may or may not be there after a restart; look it up then.`,
    { cause: error, transactionId },
  );
}
