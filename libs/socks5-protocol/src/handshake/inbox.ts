const EMPTY = new Uint8Array(0);

/** The bytes that a handshake has received but not consumed. It copies only incomplete messages. */
export class Inbox {
  #bytes: Uint8Array = EMPTY;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Appends a chunk, by reference until {@link copy} is called. */
  add(chunk: Uint8Array): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
  }

  /** Drops the first `count` bytes. */
  drop(count: number): void {
    this.#bytes = this.#bytes.length === count ? EMPTY : this.#bytes.subarray(count);
  }

  /** Copies the remaining bytes, because the caller is about to reuse its buffer. */
  copy(): void {
    this.#bytes = this.#bytes.length === 0 ? EMPTY : new Uint8Array(this.#bytes);
  }
}
