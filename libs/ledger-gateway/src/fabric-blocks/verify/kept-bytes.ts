const CHUNK = 64 * 1024;

/**
 * Copies byte strings together into a few large pieces of memory: they then keep nothing else alive, and go from one thread
 * to another with those pieces, without being copied one by one.
 */
export class KeptBytes {
  readonly buffers: ArrayBuffer[] = [];
  #free = new Uint8Array();

  /** The same bytes, in memory of this one. */
  keep(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (length > this.#free.length) {
      const buffer = new ArrayBuffer(Math.max(CHUNK, length));
      this.buffers.push(buffer);
      this.#free = new Uint8Array(buffer);
    }
    const copy = this.#free.subarray(0, length);
    copy.set(bytes);
    this.#free = this.#free.subarray(length);
    return copy;
  }
}
