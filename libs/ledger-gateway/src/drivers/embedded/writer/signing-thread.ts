import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../threads/start-thread.js';
import {
  packTransactions,
  unpackParts,
  type EnvelopeSigner,
  type PackedParts,
  type PackedTransactions,
  type SignerPem,
  type TransactionSigners,
  type UnsignedTransaction,
} from './signing.js';

/** Messages to the thread: batches, and the identity of a new client before its first batch. */
export type ToSigner = PackedTransactions | SignerPem;

interface Batch {
  readonly transactions: readonly UnsignedTransaction[];
  readonly resolve: (envelopes: readonly Uint8Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Signs batches of transactions on another thread in parallel with the writer. Waking one of libuv's threads for each
 * signature would cost the writer as much as half a signature.
 *
 * The thread starts with the first batch. Until it is ready, and after it has ended, batches are signed on this thread.
 */
export class SigningThread {
  #signers: TransactionSigners;
  readonly #own: EnvelopeSigner;
  readonly #batches: Batch[] = [];
  #worker: Worker | undefined;
  #state: 'not started' | 'starting' | 'ready' | 'lost' = 'not started';

  constructor(signers: TransactionSigners, own: EnvelopeSigner) {
    this.#signers = signers;
    this.#own = own;
  }

  /** Adds a client, which gets the next signer number. */
  add(client: SignerPem): void {
    this.#signers = { ...this.#signers, clients: [...this.#signers.clients, client] };
    this.#own.add(client);
    this.#post(client);
  }

  /** Returns the envelopes of transactions, in their order. */
  async sign(transactions: readonly UnsignedTransaction[]): Promise<readonly Uint8Array[]> {
    if (this.#state === 'not started') this.#start();
    if (this.#state !== 'ready') return this.#signHere(transactions);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Uint8Array[]>();
    this.#batches.push({ transactions, resolve, reject });
    const packed = packTransactions(transactions);
    this.#post(packed, [packed.bytes.buffer]);
    return promise;
  }

  /** Whether batches are signed on the thread. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Ends the thread. Pending batches are signed on this thread. */
  async close(): Promise<void> {
    if (this.#state === 'not started') this.#state = 'lost';
    await this.#worker?.terminate();
  }

  #post(message: ToSigner, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  #start(): void {
    const worker = startThread('signer', this.#signers, import.meta.url);
    this.#worker = worker;
    this.#state = 'starting';
    worker.on('message', (message: PackedParts | 'ready') => {
      if (message === 'ready') this.#state = 'ready';
      else this.#batches.shift()?.resolve(unpackParts(message));
    });
    // An 'exit' event follows every error.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.#onExit();
    });
    worker.unref();
  }

  /** Signs pending batches on this thread, and all later ones. */
  #onExit(): void {
    this.#state = 'lost';
    for (const { transactions, resolve, reject } of this.#batches.splice(0)) {
      try {
        resolve(this.#signHere(transactions));
      } catch (error) {
        reject(error);
      }
    }
  }

  #signHere(transactions: readonly UnsignedTransaction[]): readonly Uint8Array[] {
    return transactions.map((transaction) => this.#own.envelope(transaction));
  }
}
