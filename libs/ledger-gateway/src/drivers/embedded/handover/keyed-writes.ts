import { transactionIdOf } from '../../../fabric-blocks/encode/hashes.js';
import { attemptNonce, lookedForSince } from '../../../idempotency/attempt-ids.js';
import { KeyedCalls, type KeyedOptions } from '../../../idempotency/keyed-calls.js';
import { readAttempt } from '../../../idempotency/recorded-write.js';
import type { IdempotencyKey, LedgerCall, LedgerTransaction, SubmitResult } from '../../../ports/ledger.port.js';
import type { TransactionId } from './transaction-ids.js';
import type { WriterClient } from './writer-client.js';

/** What keyed writes need of their channel. */
export interface KeyedWritesOptions {
  readonly channel: string;
  readonly chaincode: string;
  readonly writer: WriterClient;
  /** Finds what is recorded, at once and up to the newest commit that was told of. */
  readonly lookUp: (transactionId: string) => LedgerTransaction | undefined;
}

/**
 * Writes that have a key. One process holds the ledger, so what is neither under way here nor in the index is nowhere: it is
 * written then, and the writer's word of the commit is the record itself. Nothing that the writer makes is ever recorded as
 * invalid, but an attempt that is passes on to the next one, as on a network.
 */
export class KeyedWrites {
  readonly #it: KeyedWritesOptions;
  readonly #calls = new KeyedCalls();

  constructor(options: KeyedWritesOptions) {
    this.#it = options;
  }

  submit(call: LedgerCall, options: KeyedOptions): Promise<SubmitResult> {
    return this.#calls.submit(call, options, () => this.#write(call, options));
  }

  async #write(call: LedgerCall, { caller, idempotency }: KeyedOptions): Promise<SubmitResult> {
    const { writer } = this.#it;
    const signer = await writer.signerOf(caller);
    const [creator = new Uint8Array(), ...former] = writer.creatorsOf(signer, lookedForSince(idempotency));
    for (const earlier of former) {
      const found = this.#find(call, idempotency, earlier);
      if ('result' in found) return found;
    }
    const found = this.#find(call, idempotency, creator);
    return 'result' in found ? found : writer.submitAs(signer, call, found);
  }

  /** What is recorded of a write under one creator, or the id of the attempt that is not. */
  #find(call: LedgerCall, idempotency: IdempotencyKey, creator: Uint8Array): SubmitResult | TransactionId {
    const { channel, chaincode, lookUp } = this.#it;
    for (let attempt = 0; ; attempt++) {
      const nonce = attemptNonce(channel, idempotency, attempt);
      const transactionId = transactionIdOf(nonce, creator);
      const transaction = lookUp(transactionId);
      if (transaction === undefined) return { nonce: nonce.toString('hex'), transactionId };
      const recorded = readAttempt({ ...call, chaincode }, transaction);
      if (recorded === undefined) continue;
      const { blockNumber } = transaction;
      return { transactionId, blockNumber, result: recorded.payload, isReplay: true };
    }
  }
}
