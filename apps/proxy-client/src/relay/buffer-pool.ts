import { freeBuffer } from '../http/free-buffer.js';

/** The sizes of read buffers: idle sockets have one of the first size; each read that fills its buffer moves to the next. */
export const BUFFER_SIZES = [1024, 16_384, 131_072, 1_048_576] as const;

export const LARGEST = BUFFER_SIZES.length - 1;

/**
 * The limits of all larger buffers in use, in bytes, up to which one of each size is lent: beyond it, connections use smaller
 * ones. The largest are the first to be refused, so that some memory is left for those that have the smallest.
 */
const BUDGETS = [0, 96, 80, 64].map((mebibytes) => mebibytes * 1_048_576);

/** The limit of free larger buffers that are cached for reuse, in bytes. */
const MAX_CACHED = 16 * 1_048_576;

/**
 * Read buffers that sockets share one after the other. A buffer may contain bytes of the tunnel that had it before, so a
 * reader only gets the part that its read filled. Buffers of the smallest size are neither shared nor counted.
 */
export class BufferPool {
  /** By their size. */
  readonly #free = new Map<number, Buffer[]>(BUFFER_SIZES.map((size) => [size, []]));
  #inUse = 0;
  #cached = 0;

  /** Bytes of larger buffers that sockets hold. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Allocates a buffer of the smallest size. */
  allocateSmall(): Buffer {
    return Buffer.allocUnsafeSlow(BUFFER_SIZES[0]);
  }

  /** Returns a buffer of a larger size, or undefined if the budget of its size is exhausted. */
  acquire(level: number): Buffer | undefined {
    const size = BUFFER_SIZES[level] ?? 0;
    if (this.#inUse + size > (BUDGETS[level] ?? 0)) return undefined;
    this.#inUse += size;
    const buffer = this.#free.get(size)?.pop();
    if (buffer !== undefined) this.#cached -= size;
    return buffer ?? Buffer.allocUnsafeSlow(size);
  }

  /**
   * Takes back a buffer.
   *
   * @param isReusable - whether nothing refers to it any more; otherwise it is left to the garbage collector
   */
  release(buffer: Buffer, isReusable = true): void {
    const { length } = buffer;
    if (length === BUFFER_SIZES[0]) return;
    this.#inUse -= length;
    if (!isReusable) return;
    if (this.#cached + length > MAX_CACHED) freeBuffer(buffer);
    else {
      this.#cached += length;
      this.#free.get(length)?.push(buffer);
    }
  }
}
