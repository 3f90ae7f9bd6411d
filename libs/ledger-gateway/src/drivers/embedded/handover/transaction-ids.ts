import { hash, randomFillSync } from 'node:crypto';

/** Bytes of a nonce, as Fabric's clients make them. */
const NONCE_BYTES = 24;
const NONCES_AT_ONCE = 256;

/** What a transaction is known by: its nonce, and the id that is the hash of nonce and creator. Both in hexadecimal. */
export interface TransactionId {
  readonly nonce: string;
  readonly transactionId: string;
}

/** Makes nonces and the transaction ids that follow from them: SHA-256 of nonce and creator. */
export class TransactionIds {
  readonly #random = Buffer.alloc(NONCE_BYTES * NONCES_AT_ONCE);
  /** The random bytes in hexadecimal. */
  #text = '';
  #used = NONCES_AT_ONCE;

  /**
   * The next one, which nobody has had.
   * @param preimage - of the creator, {@link preimageOf}; its nonce is written over
   */
  next(preimage: Uint8Array): TransactionId {
    if (this.#used === NONCES_AT_ONCE) this.#refill();
    const start = this.#used * NONCE_BYTES;
    this.#used += 1;
    for (let index = 0; index < NONCE_BYTES; index += 1) preimage[index] = this.#random[start + index] ?? 0;
    return {
      nonce: this.#text.slice(2 * start, 2 * (start + NONCE_BYTES)),
      transactionId: hash('sha256', preimage, 'hex'),
    };
  }

  #refill(): void {
    randomFillSync(this.#random);
    this.#text = this.#random.toString('hex');
    this.#used = 0;
  }
}

/** What the ids of a creator's transactions are the hash of: room for a nonce with the serialized identity behind it. */
export function preimageOf(creator: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.alloc(NONCE_BYTES), creator]);
}
