import { createHash, randomFillSync } from 'node:crypto';

/** Bytes of a nonce, as Fabric's clients make them. */
const NONCE_BYTES = 24;
const NONCES_AT_ONCE = 256;

/** Makes nonces and the transaction ids that follow from them: SHA-256 of nonce and creator. */
export class TransactionIds {
  readonly #creator: Uint8Array;
  #random = new Uint8Array();

  constructor(creator: Uint8Array) {
    this.#creator = creator;
  }

  next(): { readonly nonce: Uint8Array; readonly transactionId: string } {
    if (this.#random.length === 0) this.#random = randomFillSync(new Uint8Array(NONCE_BYTES * NONCES_AT_ONCE));
    // A copy: a view would take the whole pool along to the other thread.
    const nonce = this.#random.slice(0, NONCE_BYTES);
    this.#random = this.#random.subarray(NONCE_BYTES);
    return { nonce, transactionId: createHash('sha256').update(nonce).update(this.#creator).digest('hex') };
  }
}
