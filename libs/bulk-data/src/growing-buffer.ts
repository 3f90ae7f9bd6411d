const EMPTY = Buffer.alloc(0);
const SMALLEST = 256;

/**
 * Bytes that arrive in pieces, copied into one buffer that doubles when it is full: a piece of one byte that is stored as it arrives
 * takes more than a hundred.
 */
export class GrowingBuffer {
  #bytes: Buffer = EMPTY;
  #length = 0;

  /** The number of bytes that were added. */
  get length(): number {
    return this.#length;
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length, SMALLEST));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** Returns all bytes, and begins again without any. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = EMPTY;
    this.#length = 0;
    return taken;
  }
}
