import { randomBytes } from 'node:crypto';
import { transactionIdOf } from '../../../fabric-blocks/encode/hashes.js';
import { attemptNonce, type IdempotencyKey, keyOf } from '../../../idempotency/attempt-ids.js';
import { KeyedCalls } from '../../../idempotency/keyed-calls.js';
import { readAttempt } from '../../../idempotency/recorded-write.js';
import type { CallOptions, LedgerCall, LedgerTransaction, SubmitResult } from '../../../ports/ledger.port.js';
import type { CallerSigners, KnownSigner } from './caller-signers.js';
import type { TransactionId, WriterClient } from '../writer/writer-client.js';

/** Bytes of a random nonce, as in Fabric's clients. */
const NONCE_BYTES = 24;

/** Options of {@link Writes}. */
export interface WritesOptions {
  readonly channel: string;
  readonly chaincode: string;
  readonly writer: WriterClient;
  readonly signers: CallerSigners;
  /** Returns a recorded transaction, up to the newest commit that was reported. */
  readonly lookUp: (transactionId: string) => LedgerTransaction | undefined;
}

/**
 * Signs and submits writes. A keyed write is looked up before it is submitted. One process owns the ledger, so a write that
 * is neither running here nor recorded was never executed.
 */
export class Writes {
  readonly #options: WritesOptions;
  readonly #keyed = new KeyedCalls();

  constructor(options: WritesOptions) {
    this.#options = options;
  }

  /** Number of writes that wait for their commit. */
  get length(): number {
    return this.#options.writer.length;
  }

  /** See the port. */
  submit(call: LedgerCall, options: CallOptions): Promise<SubmitResult> {
    const { caller } = options;
    const { signers } = this.#options;
    const key = keyOf(options);
    if (key !== undefined) {
      return this.#keyed.submit(call, key, async () => this.#submitKeyed(call, key, await signers.signerOf(caller)));
    }
    const signer = signers.signerOf(caller);
    return signer instanceof Promise ? signer.then((found) => this.#submit(call, found)) : this.#submit(call, signer);
  }

  #submit(call: LedgerCall, signer: KnownSigner): Promise<SubmitResult> {
    const nonce = randomBytes(NONCE_BYTES);
    const id = { nonce: nonce.toString('hex'), transactionId: transactionIdOf(nonce, signer.creator) };
    return this.#options.writer.submit(call, signer.number, id);
  }

  async #submitKeyed(call: LedgerCall, key: IdempotencyKey, signer: KnownSigner): Promise<SubmitResult> {
    const { writer, signers } = this.#options;
    for (const creator of signers.earlierCreators(signer, key.owner)) {
      const found = this.#find(call, key, creator);
      if ('result' in found) return found;
    }
    const found = this.#find(call, key, signer.creator);
    return 'result' in found ? found : writer.submit(call, signer.number, found);
  }

  /** Returns the recorded result of a keyed write under one creator, or the id of its first attempt without a record. */
  #find(call: LedgerCall, key: IdempotencyKey, creator: Uint8Array): SubmitResult | TransactionId {
    const { channel, chaincode, lookUp } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const nonce = attemptNonce(channel, key, attempt);
      const transactionId = transactionIdOf(nonce, creator);
      const transaction = lookUp(transactionId);
      if (transaction === undefined) return { nonce: nonce.toString('hex'), transactionId };
      const recorded = readAttempt({ ...call, chaincode }, transaction);
      // An attempt that an imported chain records as a conflict is followed by the next one, as on a network.
      if (recorded === undefined) continue;
      const { blockNumber } = transaction;
      return { transactionId, blockNumber, result: recorded.payload, isReplay: true };
    }
  }
}
