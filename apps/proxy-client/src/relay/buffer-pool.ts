import { internals } from '../node-internals/internals.js';

/** The sizes of read buffers: sockets at rest read into the first, each read that fills its buffer asks for the next. */
export const BUFFER_SIZES = [1024, 16_384, 131_072, 1_048_576] as const;

export const LARGEST = BUFFER_SIZES.length - 1;

/** Larger buffers in use or kept at the same time, in bytes: beyond that, tunnels go on with what they have. */
const BUDGET = 256 * 1_048_576;

/** Larger buffers kept for the next one who needs them, in bytes. */
const KEPT = 16 * 1_048_576;

/**
 * Read buffers that many sockets take turns with. A buffer may hold bytes of the tunnel that had it before: whoever reads
 * into it hands on only what the read filled, and of the one that all share a copy.
 */
export class BufferPool {
  readonly #shared = Buffer.allocUnsafeSlow(BUFFER_SIZES[0]);
  readonly #free: Buffer[][] = BUFFER_SIZES.map(() => []);
  #inUse = 0;
  #kept = 0;

  /**
   * A buffer of the smallest size, which counts nowhere. All sockets at rest read into the same one: a read is told before
   * the next one begins, and what it brought must be copied at once.
   */
  get small(): Buffer {
    return internals.sharedBuffer ? this.#shared : Buffer.allocUnsafeSlow(BUFFER_SIZES[0]);
  }

  /** Bytes of larger buffers that sockets hold. */
  get inUse(): number {
    return this.#inUse;
  }

  /** A buffer of a larger size, or undefined when the budget is spent. */
  acquire(level: number): Buffer | undefined {
    const size = BUFFER_SIZES[level] ?? 0;
    if (this.#inUse + size > BUDGET) {
      return undefined;
    }
    this.#inUse += size;
    const buffer = this.#free[level]?.pop();
    if (buffer !== undefined) {
      this.#kept -= size;
    }
    return buffer ?? Buffer.allocUnsafeSlow(size);
  }

  /** Takes a buffer back that nothing reads, writes or refers to any more. */
  release(level: number, buffer: Buffer): void {
    this.lend(level, buffer);
    this.reclaim(level, buffer);
  }

  /** A buffer of this level no longer counts as in use, though somebody may still refer to it. */
  lend(level: number, buffer: Buffer): void {
    if (level > 0) {
      this.#inUse -= buffer.length;
    }
  }

  /** Takes a buffer back that was lent out and that nobody refers to any more. */
  reclaim(level: number, buffer: Buffer): void {
    if (level > 0 && this.#kept + buffer.length <= KEPT) {
      this.#kept += buffer.length;
      this.#free[level]?.push(buffer);
    }
  }

  /** Keeps none for later; what is in use stays. */
  clear(): void {
    for (const free of this.#free) {
      free.length = 0;
    }
    this.#kept = 0;
  }
}
