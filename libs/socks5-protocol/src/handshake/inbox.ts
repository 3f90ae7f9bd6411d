const EMPTY = new Uint8Array(0);

/** The bytes that a handshake has received and not used: it copies only what a message was split over. */
export class Inbox {
  #bytes: Uint8Array = EMPTY;

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Adds what arrived. The chunk is referred to, not copied, until {@link settle}. */
  add(chunk: Uint8Array): void {
    if (this.#bytes.length === 0) {
      this.#bytes = chunk;
      return;
    }
    const joined = new Uint8Array(this.#bytes.length + chunk.length);
    joined.set(this.#bytes);
    joined.set(chunk, this.#bytes.length);
    this.#bytes = joined;
  }

  /** Forgets the first `count` bytes. */
  drop(count: number): void {
    this.#bytes = this.#bytes.length === count ? EMPTY : this.#bytes.subarray(count);
  }

  /** Takes a copy of what is left, since the caller's buffer is about to be used again. */
  settle(): void {
    this.#bytes = this.#bytes.length === 0 ? EMPTY : new Uint8Array(this.#bytes);
  }
}
