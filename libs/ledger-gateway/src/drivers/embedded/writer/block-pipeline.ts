import { ContractError, invoke, type HistoryEntry } from '#asset-contract';
import { LedgerError, LedgerTimeoutError, OutcomeUnknownError, ReadOnlyError } from '../../../errors/ledger.errors.js';
import { contractRefusal } from '../simulation/contract-refusal.js';
import { Deferral } from '../simulation/deferral.js';
import { TransactionState, type SimulationBase } from '../simulation/transaction-state.js';
import type { StoreReader } from '../store/store-reader.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import type { BlockForge, BlockLink, ForgedBlock } from './block-forge.js';
import type { WriteRequest } from './messages.js';
import { MAX_BLOCK_TRANSACTIONS, OpenBlock } from './open-block.js';
import { RequestQueue } from './request-queue.js';

/** What the pipeline tells; answers go out only when what they rest on is on disk. */
export interface PipelineListener {
  committed(block: OpenBlock, forged: ForgedBlock): void;
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
  commit(block: OpenBlock, forged: ForgedBlock): void;
  readonly history: (key: string) => readonly HistoryEntry[];
}

/** Where the chain ends. */
export interface PipelineStart {
  readonly nextBlock: number;
  readonly previousHash: Uint8Array;
  readonly previousCommitHash: Uint8Array;
  readonly nextEntry: number;
}

/**
 * Group commit, two blocks deep: while one block is signed and written, the next one gathers what arrives, simulated on
 * top of it and signed at once. There is no timer: a write that comes alone is sealed alone, and those that come while
 * a block is on its way to the disk share the next one.
 *
 * ```
 *   queue → simulate → open block → (signatures done, disk free) → sealed block → fsync → answers
 * ```
 */
export class BlockPipeline {
  readonly #forge: BlockForge;
  readonly #store: PipelineStore;
  readonly #listener: PipelineListener;
  readonly #queue = new RequestQueue();
  #open: OpenBlock;
  #sealed: OpenBlock | undefined;
  #previousHash: Uint8Array;
  #previousCommitHash: Uint8Array;
  #nextEntry: number;
  /** The next write has to wait until all before it are in the store. */
  #isBarred = false;
  #isPumping = false;
  #failure: ReadOnlyError | undefined;
  #drained: (() => void) | undefined;

  constructor(forge: BlockForge, store: PipelineStore, start: PipelineStart, listener: PipelineListener) {
    this.#forge = forge;
    this.#store = store;
    this.#listener = listener;
    this.#open = new OpenBlock(start.nextBlock);
    this.#previousHash = start.previousHash;
    this.#previousCommitHash = start.previousCommitHash;
    this.#nextEntry = start.nextEntry;
  }

  submit(requests: readonly WriteRequest[]): void {
    this.#queue.add(requests);
    void this.#pump();
  }

  /** Refuses those that are in no block yet; the others go on to their end. */
  withdraw(tickets: readonly number[]): void {
    for (const request of this.#queue.withdraw(new Set(tickets))) {
      this.#listener.refused(request, new LedgerTimeoutError('The write was withdrawn before it joined a block.'));
    }
  }

  /** Resolves when nothing is under way any more. */
  async drain(): Promise<void> {
    if (this.#isIdle()) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #isIdle(): boolean {
    return !this.#isPumping && this.#isEmpty();
  }

  /** No write waits, and no block is under way; one may be being simulated. */
  #isEmpty(): boolean {
    return this.#queue.length === 0 && this.#sealed === undefined && this.#open.transactions.length === 0;
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return;
    this.#isPumping = true;
    await this.#fill();
    while (this.#sealed === undefined && this.#open.transactions.length > 0) {
      this.#seal();
      await this.#fill();
    }
    this.#isPumping = false;
    if (this.#isIdle()) this.#drained?.();
  }

  /** Simulates what waits, until the open block is full or has to be written first. */
  async #fill(): Promise<void> {
    while (this.#takesMore()) {
      const request = this.#queue.take();
      if (request === undefined) return;
      await this.#simulate(request);
    }
    if (this.#failure !== undefined) this.#refuseAll(this.#failure);
  }

  #takesMore(): boolean {
    if (this.#failure !== undefined || this.#open.isFull) return false;
    // Simulating the same contended writes again and again would cost more than their blocks.
    if (this.#queue.putBackCount >= MAX_BLOCK_TRANSACTIONS) return false;
    if (this.#isBarred) {
      if (this.#sealed !== undefined || this.#open.transactions.length > 0) return false;
      this.#isBarred = false;
      this.#queue.reopen();
    }
    return true;
  }

  async #simulate(request: WriteRequest): Promise<void> {
    const { reader } = this.#store;
    const open = this.#open;
    const sealed = this.#sealed;
    const base: SimulationBase = { reader, sealed: sealed?.pending, open: open.pending, history: this.#store.history };
    const state = new TransactionState(base);
    const timestamp = Date.now();
    try {
      this.#store.beginReading();
      const context = { transactionId: request.transactionId, timestamp: new Date(timestamp).toISOString() };
      const payload = await invoke(request.function, request.arguments, state, context);
      const simulated = { request, timestamp, readWriteSet: state.readWriteSet(), payload };
      const isAlone = this.#isEmpty();
      const envelope = this.#forge.envelope(simulated, isAlone);
      // It is awaited when the block is written; a failure before that is not an unhandled one.
      envelope.catch(() => undefined);
      open.place({ ...simulated, envelope }, { previous: (key) => state.entryOf(key), next: () => this.#nextEntry++ });
    } catch (error) {
      if (error instanceof Deferral) this.#defer(request, error);
      else this.#refuse(request, sealed, error);
    }
  }

  #defer(request: WriteRequest, { untilSettled }: Deferral): void {
    this.#isBarred ||= untilSettled;
    this.#queue.putBack(request);
  }

  /** A refusal may rest on what the sealed block writes: it then goes out after that block is on disk. */
  #refuse(request: WriteRequest, restsOn: OpenBlock | undefined, error: unknown): void {
    const refusal = error instanceof ContractError ? contractRefusal(error) : storeFailure(error, 'the state');
    const answer = (): void => {
      this.#listener.refused(request, this.#failure ?? refusal);
    };
    if (restsOn !== undefined && restsOn === this.#sealed) restsOn.afterwards.push(answer);
    else answer();
  }

  #seal(): void {
    const sealed = this.#open;
    this.#sealed = sealed;
    this.#open = new OpenBlock(sealed.number + 1);
    if (!this.#isBarred) this.#queue.reopen();
    void this.#write(sealed);
  }

  async #write(sealed: OpenBlock): Promise<void> {
    try {
      const envelopes = await Promise.all(sealed.transactions.map(({ envelope }) => envelope));
      const forged = this.#forge.block(this.#linkOf(sealed), envelopes, sealed.writes);
      this.#store.commit(sealed, forged);
      this.#previousHash = forged.hash;
      this.#previousCommitHash = forged.commitHash;
      this.#sealed = undefined;
      this.#listener.committed(sealed, forged);
    } catch (error) {
      this.#fail(sealed, error);
    }
    for (const answer of sealed.afterwards) answer();
    await this.#pump();
  }

  #linkOf({ number }: OpenBlock): BlockLink {
    return { number, previousHash: this.#previousHash, previousCommitHash: this.#previousCommitHash };
  }

  /** Nothing is written any more: after a failed write or fsync nobody knows what the disk holds. */
  #fail(sealed: OpenBlock, error: unknown): void {
    const failure = storeFailure(error, `block ${sealed.number}`);
    const reason = failure instanceof LedgerError ? failure.message : `Block ${sealed.number} could not be made.`;
    this.#failure = new ReadOnlyError(`The ledger takes no more writes until it is restarted. ${reason}`, {
      cause: error,
    });
    this.#sealed = undefined;
    this.#listener.failed(reason, error);
    for (const { request } of sealed.transactions)
      this.#listener.refused(request, endOf(request, this.#failure, error));
  }

  #refuseAll(failure: ReadOnlyError): void {
    const { transactions } = this.#open;
    this.#open = new OpenBlock(this.#open.number);
    for (const { request } of transactions) this.#listener.refused(request, failure);
    for (const request of this.#queue.clear()) this.#listener.refused(request, failure);
  }
}

/** How a write in a block that could not be written ends: what stood before a failed fsync may be on disk all the same. */
function endOf({ transactionId }: WriteRequest, failure: ReadOnlyError, error: unknown): Error {
  if (!isFailedSync(error)) return failure;
  return new OutcomeUnknownError(
    `The disk did not confirm the write: transaction ${transactionId} may or may not be there after a restart; look it up then.`,
    { cause: error, transactionId },
  );
}
