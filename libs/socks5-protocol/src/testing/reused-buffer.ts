const SIZE = 4096;

/**
 * The read buffer of a pooled source: every read finds its bytes in the same piece of memory, as a Buffer, and afterwards
 * the memory belongs to somebody else. Tests of whatever keeps bytes between reads feed through it, since a Uint8Array of
 * the test's own would forgive a reference that was kept.
 */
export class ReusedBuffer {
  readonly #memory = Buffer.allocUnsafeSlow(SIZE);

  /** Lends `bytes` to one read; what `read` keeps of them without copying is garbage when it returns. */
  lend<Result>(bytes: Uint8Array, read: (chunk: Buffer) => Result): Result {
    this.#memory.set(bytes);
    try {
      return read(this.#memory.subarray(0, bytes.length));
    } finally {
      this.#memory.fill(0xee);
    }
  }
}
