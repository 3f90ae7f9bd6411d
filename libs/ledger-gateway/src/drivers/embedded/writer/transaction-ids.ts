import { hash, randomFillSync } from 'node:crypto';

/** Bytes of a nonce, as Fabric's clients make them. */
const NONCE_BYTES = 24;
const NONCES_AT_ONCE = 256;

/** Makes nonces and the transaction ids that follow from them: SHA-256 of nonce and creator. */
export class TransactionIds {
  /** A nonce with the creator behind it. */
  readonly #hashed: Buffer;
  #random = Buffer.alloc(0);

  constructor(creator: Uint8Array) {
    this.#hashed = Buffer.concat([Buffer.alloc(NONCE_BYTES), creator]);
  }

  /** Both in hexadecimal. */
  next(): { readonly nonce: string; readonly transactionId: string } {
    if (this.#random.length === 0) this.#random = randomFillSync(Buffer.alloc(NONCE_BYTES * NONCES_AT_ONCE));
    this.#random.copy(this.#hashed, 0, 0, NONCE_BYTES);
    this.#random = this.#random.subarray(NONCE_BYTES);
    return {
      nonce: this.#hashed.toString('hex', 0, NONCE_BYTES),
      transactionId: hash('sha256', this.#hashed, 'hex'),
    };
  }
}
