const SIZE = 4096;

/**
 * Imitates the read buffer of a pooled source: every read finds its bytes in the same memory, which is overwritten
 * afterwards. Tests of code that retains bytes between reads feed through it, since a separate Uint8Array per read would not
 * reveal a retained reference.
 */
export class ReusedBuffer {
  readonly #memory = Buffer.allocUnsafeSlow(SIZE);

  /** Lends `bytes` to one read; references that `read` retains without copying point to garbage when it returns. */
  lend<Result>(bytes: Uint8Array, read: (chunk: Buffer) => Result): Result {
    this.#memory.set(bytes);
    try {
      return read(this.#memory.subarray(0, bytes.length));
    } finally {
      this.#memory.fill(0xee);
    }
  }
}
