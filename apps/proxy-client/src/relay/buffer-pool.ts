/** The sizes of read buffers: idle sockets have one of the first size; each read that fills its buffer moves to the next. */
export const BUFFER_SIZES = [1024, 16_384, 131_072, 1_048_576] as const;

export const LARGEST = BUFFER_SIZES.length - 1;

/** The limit of larger buffers in use, in bytes: beyond it, tunnels keep the buffers that they have. */
const BUDGET = 256 * 1_048_576;

/** The limit of free larger buffers that are cached for reuse, in bytes. */
const MAX_CACHED = 16 * 1_048_576;

/**
 * Read buffers that sockets share one after the other. A buffer may contain bytes of the tunnel that had it before, so a
 * reader only gets the part that its read filled.
 */
export class BufferPool {
  readonly #free: Buffer[][] = BUFFER_SIZES.map(() => []);
  #inUse = 0;
  #cached = 0;

  /** Bytes of larger buffers that sockets hold. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Allocates a buffer of the smallest size, which is neither pooled nor counted. */
  allocateSmall(): Buffer {
    return Buffer.allocUnsafeSlow(BUFFER_SIZES[0]);
  }

  /** Returns a buffer of a larger size, or undefined if the budget is exhausted. */
  acquire(level: number): Buffer | undefined {
    const size = BUFFER_SIZES[level] ?? 0;
    if (this.#inUse + size > BUDGET) return undefined;
    this.#inUse += size;
    const buffer = this.#free[level]?.pop();
    if (buffer !== undefined) this.#cached -= size;
    return buffer ?? Buffer.allocUnsafeSlow(size);
  }

  /** Takes back a buffer that nothing refers to any more. */
  release(level: number, buffer: Buffer): void {
    this.lend(level, buffer);
    this.reclaim(level, buffer);
  }

  /** Stops counting a buffer as in use, although something may still refer to it. */
  lend(level: number, buffer: Buffer): void {
    if (level > 0) this.#inUse -= buffer.length;
  }

  /** Takes back a buffer that was lent and that nothing refers to any more. */
  reclaim(level: number, buffer: Buffer): void {
    if (level > 0 && this.#cached + buffer.length <= MAX_CACHED) {
      this.#cached += buffer.length;
      this.#free[level]?.push(buffer);
    }
  }
}
