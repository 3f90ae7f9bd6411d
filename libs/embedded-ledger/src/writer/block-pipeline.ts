import type { DecodedBlock } from '#fabric-codec';
import { isLedgerError, LedgerError } from '#ledger-gateway';
import { outcomeUnknown } from '#ledger-gateway/driver';
import { unpackMap } from '#threads';
import { ownContract } from '../store/own-contracts.js';
import type { StateReaders } from '../store/namespace-reader.js';
import { isFailedSync, storeFailure } from '../store/store-failure.js';
import type { BlockForge, BlockHashes, ForgedBlock } from './block-forge.js';
import {
  MAX_BLOCK_TRANSACTIONS,
  OpenBlock,
  type SealedBlock,
  type SimulatedTransaction,
  type StagedTransaction,
  type WriteRequest,
} from './open-block.js';
import { simulate, validate } from './simulate.js';

/** Most transactions in one batch for the signing thread; more are simulated while it is signed. */
const SIGNING_BATCH = 16;

/** The store that the pipeline writes, and the receiver of its results. */
export interface PipelineHost {
  /** The name under which the contract of assets is called. */
  readonly assets: string;
  /** The committed state of every chaincode. */
  readonly states: StateReaders;
  /**
   * Stores the private values of transactions of the open block.
   * @returns resolves when they are durable; undefined if there are none
   * @throws as a rejection, when none of them is stored
   */
  storeValues(transactions: readonly SimulatedTransaction[]): Promise<void> | undefined;
  /** Called before reading: the reads of one block share a transaction. */
  beginReading(): void;
  /** Writes a block in one transaction; returns when it is durable. */
  commit(block: SealedBlock, forged: ForgedBlock): void;
  /** Called after {@link commit}. */
  committed(block: SealedBlock, forged: ForgedBlock): void;
  refused(request: WriteRequest, error: Error): void;
  /**
   * Called when a finished simulation has read what was changed since: it must be simulated again.
   * @param keys - see {@link validate}
   */
  stale(request: WriteRequest, keys: readonly string[]): void;
  /** Called when there are no more writes until a restart. */
  failed(reason: string, error: unknown): void;
}

/**
 * Group commit without a timer. Writes are simulated when they arrive, or validated if they were simulated on another thread,
 * and signed in small batches. They become a block when all of them are signed, or EARLY_BLOCK_TRANSACTIONS of them while the
 * others are still being signed. So a single write is committed alone, and the writes that are signed while a block is written
 * share the next one. Private values are stored while their transactions are signed, and are durable before the block is written: a
 * crash leaves no block without its values, and values without a block are deleted by the next start.
 *
 * ```
 *   queue → simulate → open block → (signing thread)  → block → fsync → results
 *                                 ↘ (private values) ↗
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
    try {
      this.#host.beginReading();
      const timestamp = request.finished?.timestamp ?? Date.now();
      const result = this.#resultOf(request, timestamp);
      if (typeof result === 'string') {
        this.#isBarred ||= result === 'until all is stored';
        this.#postponed.push(request);
      } else if ('staleKeys' in result) this.#host.stale(request, result.staleKeys);
      else this.#unsigned.push(this.#open.place({ request, timestamp, ...result }));
    } catch (error) {
      this.#host.refused(request, this.#failure ?? storeFailure(error, 'the state'));
    }
  }

  #resultOf(request: WriteRequest, timestamp: number): ReturnType<typeof validate> {
    const { chaincode, transactionId, finished } = request;
    if (finished === undefined) {
      const contract = ownContract(chaincode, this.#host.assets);
      if (contract === undefined) throw new TypeError(`${chaincode} is no contract of this ledger`);
      const transient = request.transient && unpackMap(request.transient);
      const transaction = { transactionId, timestamp: new Date(timestamp).toISOString(), transient };
      return simulate(contract, { call: request, transaction }, this.#host.states.of(chaincode), this.#open);
    }
    // Nothing was committed since the snapshot of the simulation.
    const isCurrent = finished.height === this.#nextBlock;
    return validate(finished, isCurrent ? undefined : this.#host.states, this.#open);
  }

  /** Signs the transactions that were simulated since the last call. */
  #sign(): void {
    const batch = this.#unsigned;
    this.#unsigned = [];
    const isIdle = this.#open.length === batch.length && this.#queue.length + this.#postponed.length === 0;
    void this.#signed(batch, isIdle);
  }

  async #signed(batch: readonly StagedTransaction[], isIdle: boolean): Promise<void> {
    try {
      const stored = this.#storeValues(batch);
      const envelopes = await this.#forge.envelopes(batch, isIdle);
      await stored;
      batch.forEach((transaction, index) => (transaction.envelope = envelopes[index]));
    } catch (error) {
      if (this.#failure === undefined) this.#fail([], error);
    }
    this.#commitSoon();
  }

  /** Stores the private values of a batch. Transactions whose values could not be stored are refused. */
  async #storeValues(batch: readonly StagedTransaction[]): Promise<void> {
    try {
      await this.#host.storeValues(batch);
    } catch (error) {
      const failure = refusalOf(storeFailure(error, 'the private values'));
      const failed = batch.filter(({ privateWrites }) => privateWrites !== undefined);
      for (const { request } of this.#open.remove(failed)) this.#host.refused(request, failure);
      // There may be no block any more after which they would be continued.
      if (!this.#isBarred) this.#requeuePostponed();
    }
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

  /** Writes the signed transactions as a block, if the open block is ready. */
  #commit(): void {
    const block = this.#failure === undefined ? this.#open.seal(this.#nextBlock) : undefined;
    if (block === undefined) return;
    try {
      this.#host.beginReading();
      const forged = this.#forge.block(this.#newest, block, this.#host.states);
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
    const reason = isLedgerError(failure) ? failure.message : `Block ${this.#nextBlock} could not be created.`;
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

/** Returns the error of a write whose values could not be stored: the ledger accepts others, since its store is another file. */
function refusalOf(failure: Error): Error {
  if (!isLedgerError(failure, 'LEDGER.READ_ONLY')) return failure;
  return new LedgerError('LEDGER.UNAVAILABLE', failure.message, { cause: failure });
}

/** Returns the error of a write whose block could not be written. Data before a failed fsync may still be on disk. */
function errorOf({ transactionId }: WriteRequest, failure: LedgerError, error: unknown): Error {
  if (!isFailedSync(error)) return failure;
  const reason = 'the disk did not confirm it. Look it up after a restart.';
  return outcomeUnknown(transactionId, reason, { cause: error });
}
