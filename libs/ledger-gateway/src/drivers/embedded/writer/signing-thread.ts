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

/** What the thread gets: batches, and before the first one of a new client its certificate and key. */
export type ToSigner = PackedTransactions | SignerPem;

interface Batch {
  readonly transactions: readonly UnsignedTransaction[];
  readonly resolve: (envelopes: readonly Uint8Array[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Signs beside the writer thread, so that both cores of a small machine work: batches go over and come back as one
 * message each. Waking one of libuv's threads for each signature costs the writer as much as half a signature.
 *
 * The thread starts with the first batch; until it is there, and when it is lost, batches are signed on this thread.
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

  /** Takes one more client, which gets the next number. */
  add(client: SignerPem): void {
    this.#signers = { ...this.#signers, clients: [...this.#signers.clients, client] };
    this.#own.add(client);
    this.#post(client);
  }

  /** The envelopes of transactions, in their order. */
  async sign(transactions: readonly UnsignedTransaction[]): Promise<readonly Uint8Array[]> {
    if (this.#state === 'not started') this.#start();
    if (this.#state !== 'ready') return this.#signHere(transactions);
    const { promise, resolve, reject } = Promise.withResolvers<readonly Uint8Array[]>();
    this.#batches.push({ transactions, resolve, reject });
    const packed = packTransactions(transactions);
    this.#post(packed, [packed.bytes.buffer]);
    return promise;
  }

  /** Whether batches are signed there. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Ends the thread; what it still has is signed here. */
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
    // Whatever ends the thread: its 'exit' follows.
    worker.on('error', () => undefined);
    worker.once('exit', () => {
      this.#lose();
    });
    worker.unref();
  }

  /** What the thread still had is signed here, and all that comes. */
  #lose(): void {
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
