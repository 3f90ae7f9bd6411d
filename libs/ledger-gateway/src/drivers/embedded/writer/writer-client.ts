import type { Worker } from 'node:worker_threads';
import { LedgerError, outcomeUnknown } from '../../../errors/ledger.errors.js';
import type { LedgerCall, SubmitResult } from '../../../ports/ledger.port.js';
import { startThread } from '../../../threads/start-thread.js';
import { reviveError } from '../../../threads/transferred-error.js';
import type { ChainHead } from '../store/open-store.js';
import { SERVICE_SIGNER, type FromWriter, type ToWriter, type WriterData, type WriteRequest } from './messages.js';
import type { SignerPem } from './signing.js';

/** Most writes that wait for their commit; at a few thousand commits a second, a second or two of waiting. */
export const MAX_WAITING_WRITES = 5000;

/** Most writes in one message to the writer. */
const BATCH_SIZE = 16;

/** A nonce and the id that is the hash of nonce and creator, both hexadecimal. */
export interface TransactionId {
  readonly nonce: string;
  readonly transactionId: string;
}

/** Receives what the writer thread reports apart from the results of writes. */
export interface WriterListener {
  committed(
    head: ChainHead,
    observation: Readonly<{ blockNumber: number; transactions: number; seconds: number }>,
  ): void;
  readOnly(reason: string): void;
  /** An unexpected failure, for the log. */
  unexpected(error: Error): void;
}

interface WaitingWrite {
  /** performance.now() at its start. */
  readonly since: number;
  readonly resolve: (result: SubmitResult) => void;
  readonly reject: (error: Error) => void;
}

/** The client of the writer thread: sends writes in batches and settles each with its result. */
export class WriterClient {
  readonly #worker: Worker;
  readonly #listener: WriterListener;
  /** By transaction id. */
  readonly #waiting = new Map<string, WaitingWrite>();
  #batch: WriteRequest[] = [];
  #signers = SERVICE_SIGNER;
  #readOnly: string | undefined;
  #isClosing = false;
  readonly #ended: Promise<void>;

  private constructor(worker: Worker, listener: WriterListener) {
    this.#worker = worker;
    this.#listener = listener;
    this.#ended = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#onExit('The writer thread has ended.');
        resolve();
      });
    });
    worker.on('message', (message: FromWriter) => {
      this.#receive(message);
    });
    worker.on('error', (error: Error) => {
      listener.unexpected(error);
    });
  }

  /** Starts the thread, which opens the store for writing. */
  static async start(data: WriterData, listener: WriterListener): Promise<WriterClient> {
    const worker = startThread('writer', data, import.meta.url);
    await new Promise<void>((resolve, reject) => {
      worker.once('message', (message: FromWriter) => {
        if (message.type === 'ready') resolve();
        else if (message.type === 'failed') reject(reviveError(message.error));
      });
      worker.once('error', reject);
    });
    return new WriterClient(worker, listener);
  }

  /** Number of writes that wait for their commit. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Passes an identity to the thread, and returns the number by which writes refer to it. */
  addSigner({ certificate, privateKey }: SignerPem): number {
    this.#post({ type: 'signer', signer: { certificate, privateKey } });
    return ++this.#signers;
  }

  /**
   * Submits a write.
   * @param signer - the number of an identity
   * @param id - must not be recorded yet
   */
  submit(call: LedgerCall, signer: number, { nonce, transactionId }: TransactionId): Promise<SubmitResult> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const { promise, resolve, reject } = Promise.withResolvers<SubmitResult>();
    this.#waiting.set(transactionId, { since: performance.now(), resolve, reject });
    // Writes of one turn of the event loop share a message, but large batches would leave the writer idle meanwhile.
    if (this.#batch.length === 0) {
      setImmediate(() => {
        this.#flush();
      });
    }
    this.#batch.push({ function: call.function, arguments: call.arguments, signer, nonce, transactionId });
    if (this.#batch.length >= BATCH_SIZE) this.#flush();
    return promise;
  }

  /** Waits for in-flight writes, then ends the thread. */
  async close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#flush();
      this.#post({ type: 'close' });
    }
    await this.#ended;
  }

  #refusal(): LedgerError | undefined {
    if (this.#readOnly !== undefined) {
      return new LedgerError('LEDGER.READ_ONLY', `The ledger accepts no writes. ${this.#readOnly}`);
    }
    if (this.#isClosing) return new LedgerError('LEDGER.READ_ONLY', 'The ledger is closed.');
    if (this.#waiting.size < MAX_WAITING_WRITES) return undefined;
    const text = `${MAX_WAITING_WRITES} writes are already waiting: send fewer at once, and try again later.`;
    return new LedgerError('LEDGER.OVERLOADED', text);
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    this.#post({ type: 'submit', requests: this.#batch });
    this.#batch = [];
  }

  #post(message: ToWriter): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWriter): void {
    switch (message.type) {
      case 'committed':
        this.#committed(message);
        return;
      case 'refused':
        this.#refused(message);
        return;
      case 'read-only':
        this.#readOnly = message.reason;
        this.#listener.readOnly(message.reason);
        this.#listener.unexpected(reviveError(message.error));
        return;
      case 'trouble':
        this.#listener.unexpected(reviveError(message.error));
        return;
      case 'ready':
      case 'failed':
        return;
      default:
        message satisfies never;
    }
  }

  #refused({ refusals }: FromWriter & { type: 'refused' }): void {
    for (const { transactionId, error } of refusals) {
      const revived = reviveError(error);
      if (error.code === undefined) this.#listener.unexpected(revived);
      this.#take(transactionId)?.reject(revived);
    }
  }

  #committed({ head, blockNumber, writes }: FromWriter & { type: 'committed' }): void {
    const oldest = this.#waiting.get(writes[0]?.transactionId ?? '')?.since ?? performance.now();
    const seconds = (performance.now() - oldest) / 1000;
    this.#listener.committed(head, { blockNumber, transactions: writes.length, seconds });
    for (const { transactionId, result } of writes) {
      this.#take(transactionId)?.resolve({ transactionId, blockNumber, result });
    }
  }

  #take(transactionId: string): WaitingWrite | undefined {
    const write = this.#waiting.get(transactionId);
    this.#waiting.delete(transactionId);
    return write;
  }

  /** Fails the writes that the thread had not answered when it ended: they may or may not be in the store. */
  #onExit(reason: string): void {
    if (!this.#isClosing) {
      this.#readOnly ??= `${reason} Restart the ledger.`;
      this.#listener.readOnly(this.#readOnly);
    }
    for (const [transactionId, { reject }] of this.#waiting) reject(outcomeUnknown(transactionId, reason));
    this.#waiting.clear();
  }
}
