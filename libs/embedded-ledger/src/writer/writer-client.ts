import {
  type CommitObservation,
  type LedgerCall,
  LedgerError,
  type LedgerLogger,
  type SubmitResult,
} from '#ledger-gateway';
import { outcomeUnknown } from '#ledger-gateway/driver';
import { bytesOf, packMap, reviveError } from '#threads';
import type { ChainHead } from '../store/store-reader.js';
import type { FinishedSimulation, WriteRequest } from './open-block.js';
import { SERVICE_SIGNER, type SignerPem } from './signing.js';
import type { WriterData, WriterEvent } from './writer.js';
import { WriterThread, type WriterThreads } from './writer-threads.js';

/** Most writes that wait for their commit; at a few thousand commits a second, a second or two of waiting. */
export const MAX_WAITING_WRITES = 5000;

/** Most writes in one message to the writer. */
const BATCH_SIZE = 16;

/** Receives the reports of the writer thread apart from the results of writes. */
export interface WriterListener {
  /**
   * Called after each commit, before its writes resolve.
   * @param entry - of the block in the channel's Merkle tree, if the writer was configured to return it
   */
  readonly committed: (head: ChainHead, observation: CommitObservation, entry: Uint8Array | undefined) => void;
  readonly logger: LedgerLogger | undefined;
}

/** Who signs a transaction, its nonce and its id. */
export type SignedId = Pick<WriteRequest, 'signer' | 'nonce' | 'transactionId'>;

/** A simulation has read what was changed since. */
export class StaleError extends Error {
  override readonly name = 'StaleError';
  /** What changed; see {@link validate}. */
  readonly keys: readonly string[];

  constructor(keys: readonly string[]) {
    super('The simulation is stale.');
    this.keys = keys;
  }
}

interface WaitingWrite {
  /** performance.now() at its start. */
  readonly since: number;
  readonly resolve: (result: SubmitResult) => void;
  readonly reject: (error: Error) => void;
  /** Of a committed purge, whose values are being erased. */
  result?: SubmitResult;
}

/** The client of the writer thread: sends writes in batches and settles each with its result. */
export class WriterClient {
  readonly #thread: WriterThread;
  readonly #calls: WriterThread['calls'];
  readonly #threads: WriterThreads | undefined;
  readonly #assets: string;
  readonly #listener: WriterListener;
  /** By transaction id. */
  readonly #waiting = new Map<string, WaitingWrite>();
  #batch: WriteRequest[] = [];
  #signers = SERVICE_SIGNER;
  #readOnly: string | undefined;
  #isOpen = false;
  #logCopied: PromiseWithResolvers<undefined> | undefined;

  private constructor(data: WriterData, listener: WriterListener, threads: WriterThreads | undefined) {
    this.#assets = data.chaincode;
    this.#listener = listener;
    this.#threads = threads;
    this.#thread = threads?.take() ?? new WriterThread();
    this.#calls = this.#thread.calls;
    this.#calls.ref();
    this.#thread.user = {
      receive: (event) => {
        this.#receive(event);
      },
      ended: (cause) => {
        this.#onEnd(cause);
      },
    };
  }

  /**
   * Starts the thread, which opens the store for writing.
   * @param threads - are used instead of a new one, and get the thread when the client is closed
   */
  static async start(data: WriterData, listener: WriterListener, threads?: WriterThreads): Promise<WriterClient> {
    const client = new WriterClient(data, listener, threads);
    try {
      await client.#calls.call('open', data);
    } catch (error) {
      await client.#calls.terminate();
      throw error;
    }
    client.#isOpen = true;
    client.#idle();
    return client;
  }

  /** Number of writes that wait for their commit. */
  get length(): number {
    return this.#waiting.size;
  }

  /** The reason why no more writes are accepted until a restart. */
  get readOnlyReason(): string | undefined {
    return this.#readOnly;
  }

  /** Resolves when the pages of a long write-ahead log are copied; undefined while the log is short. */
  get logCopied(): Promise<undefined> | undefined {
    return this.#logCopied?.promise;
  }

  /** Passes an identity to the thread, and returns the number by which writes refer to it. */
  addSigner(signer: SignerPem): number {
    this.#calls.send('addSigner', signer);
    return ++this.#signers;
  }

  /**
   * Submits a write.
   * @param id - the nonce and the transaction id, hexadecimal; must not be recorded yet
   * @param finished - the simulation of a call of a chaincode
   * @throws {@link StaleError} when the simulation must be repeated
   */
  submit(call: LedgerCall, id: SignedId, finished?: FinishedSimulation): Promise<SubmitResult> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const { signer, nonce, transactionId } = id;
    const { promise, resolve, reject } = Promise.withResolvers<SubmitResult>();
    // A program that only waits for a write must not exit before it is stored.
    if (this.#waiting.size === 0) this.#calls.ref();
    this.#waiting.set(transactionId, { since: performance.now(), resolve, reject });
    // Writes of one turn of the event loop share a message, but large batches would leave the writer idle meanwhile.
    if (this.#batch.length === 0) {
      setImmediate(() => {
        this.#flush();
      });
    }
    const { chaincode = this.#assets, function: name, arguments: args } = call;
    const request = { chaincode, function: name, arguments: args, signer, nonce, transactionId };
    const { transient } = call;
    this.#batch.push(
      finished === undefined
        ? { ...request, ...(transient && { transient: packMap(transient) }) }
        : { ...request, finished },
    );
    if (this.#batch.length >= BATCH_SIZE) this.#flush();
    return promise;
  }

  /** Waits for in-flight writes, then ends the thread. */
  async close(): Promise<void> {
    this.#calls.ref();
    this.#flush();
    this.#isOpen = false;
    try {
      if (!this.#calls.hasFailed) await this.#calls.call('close');
    } catch (error) {
      this.#logProblem(error as Error);
      await this.#calls.terminate();
      return;
    }
    await (this.#threads?.giveBack(this.#thread) ?? this.#calls.terminate());
  }

  #refusal(): LedgerError | undefined {
    if (this.#readOnly !== undefined) {
      return new LedgerError('LEDGER.READ_ONLY', `The ledger accepts no writes. ${this.#readOnly}`);
    }
    if (!this.#isOpen) return new LedgerError('LEDGER.READ_ONLY', 'The ledger is closed.');
    if (this.#waiting.size < MAX_WAITING_WRITES) return undefined;
    const text = `${MAX_WAITING_WRITES} writes are already waiting: send fewer at once, and try again later.`;
    return new LedgerError('LEDGER.OVERLOADED', text);
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#calls.send('submit', this.#batch);
    this.#batch = [];
  }

  #receive(event: WriterEvent): void {
    switch (event.type) {
      case 'committed':
        this.#committed(event);
        return;
      case 'erased':
        this.#erased(event);
        return;
      case 'refused':
        this.#refused(event);
        return;
      case 'stale':
        this.#take(event.transactionId)?.reject(new StaleError(event.keys));
        return;
      case 'log':
        this.#logCopied?.resolve(undefined);
        this.#logCopied = event.isLong ? Promise.withResolvers() : undefined;
        return;
      case 'failed':
        this.#failed(event);
        return;
      default:
        event satisfies never;
    }
  }

  #refused({ transactionId, error }: WriterEvent & { type: 'refused' }): void {
    const revived = reviveError(error);
    if (error.code === undefined) this.#logProblem(revived);
    this.#take(transactionId)?.reject(revived);
  }

  #committed({ head, writes, entry }: WriterEvent & { type: 'committed' }): void {
    const blockNumber = head.height - 1;
    const oldest = this.#waiting.get(writes[0]?.transactionId ?? '')?.since ?? performance.now();
    const seconds = (performance.now() - oldest) / 1000;
    this.#listener.committed(head, { blockNumber, transactions: writes.length, seconds }, entry);
    for (const { transactionId, result: text, isErasing } of writes) {
      const result = { transactionId, blockNumber, result: bytesOf(text) };
      const erasing = isErasing === true ? this.#waiting.get(transactionId) : undefined;
      if (erasing === undefined) this.#take(transactionId)?.resolve(result);
      else erasing.result = result;
    }
  }

  #erased({ transactionIds, error }: WriterEvent & { type: 'erased' }): void {
    for (const id of transactionIds) {
      const write = this.#take(id);
      if (error !== undefined) write?.reject(notErased(id, reviveError(error)));
      else if (write?.result !== undefined) write.resolve(write.result);
    }
  }

  #failed({ readOnly, error, text }: WriterEvent & { type: 'failed' }): void {
    if (readOnly !== undefined) this.#becomeReadOnly(readOnly);
    this.#logProblem(reviveError(error), text);
  }

  #take(transactionId: string): WaitingWrite | undefined {
    const write = this.#waiting.get(transactionId);
    this.#waiting.delete(transactionId);
    this.#idle();
    return write;
  }

  /** Lets the process exit while no write waits: what is stored needs no close. */
  #idle(): void {
    if (this.#isOpen && this.#waiting.size === 0) this.#calls.unref();
  }

  /** Fails the writes that the thread had not answered when it ended: they may or may not be in the store. */
  #onEnd(cause: Error | undefined): void {
    const reason = 'The writer thread has ended.';
    if (cause !== undefined) this.#logProblem(cause);
    if (this.#isOpen) this.#becomeReadOnly(`${reason} Restart the ledger.`);
    for (const [transactionId, { reject }] of this.#waiting) reject(outcomeUnknown(transactionId, reason));
    this.#waiting.clear();
  }

  #becomeReadOnly(reason: string): void {
    if (this.#readOnly !== undefined) return;
    this.#readOnly = reason;
    this.#listener.logger?.error({ reason }, 'the ledger accepts no writes until it is restarted');
  }

  #logProblem(err: Error, text = 'unexpected failure in the writer thread'): void {
    this.#listener.logger?.error({ err }, text);
  }
}

/** Creates the error of a purge that is recorded, and whose values are still on the disk. */
function notErased(transactionId: string, cause: Error): LedgerError {
  const text = `The purge ${transactionId} is recorded, but its values are not erased yet: ${cause.message}.`;
  return new LedgerError('LEDGER.ERASURE_INCOMPLETE', text, { transactionId, cause });
}
