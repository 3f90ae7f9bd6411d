import { BUFFER_SIZES, BufferPool, LARGEST } from './buffer-pool.js';

describe('BufferPool', () => {
  it('reuses a released buffer, and never lends it twice', () => {
    const pool = new BufferPool();
    for (let level = 1; level <= LARGEST; level += 1) {
      const first = pool.acquire(level)!;
      const second = pool.acquire(level)!;
      expect([first.length, second.length]).toEqual([BUFFER_SIZES[level], BUFFER_SIZES[level]]);
      first.fill(1);
      second.fill(2);
      expect(first.every((byte) => byte === 1)).toBe(true);
      pool.release(first);
      expect(pool.acquire(level)).toBe(first);
    }
  });

  it('returns no larger buffer when the budget is exhausted, until some are released', () => {
    const pool = new BufferPool();
    const taken: Buffer[] = [];
    for (let buffer = pool.acquire(LARGEST); buffer !== undefined; buffer = pool.acquire(LARGEST)) taken.push(buffer);
    expect(taken.length).toBe(64);
    expect(pool.inUse).toBe(64 * 1_048_576);
    pool.release(taken.pop()!, false);
    expect(pool.acquire(LARGEST)).toHaveLength(BUFFER_SIZES[LARGEST]!);
    for (const buffer of taken) pool.release(buffer);
    expect(pool.inUse).toBe(BUFFER_SIZES[LARGEST]);
  });

  it('leaves a part of the budget to smaller buffers', () => {
    const pool = new BufferPool();
    const sizes: number[] = [];
    for (let level = LARGEST; level > 0; level -= 1) {
      for (let buffer = pool.acquire(level); buffer !== undefined; buffer = pool.acquire(level))
        sizes.push(buffer.length);
    }
    expect(new Set(sizes)).toEqual(new Set(BUFFER_SIZES.slice(1)));
    expect(pool.inUse).toBe(96 * 1_048_576);
  });

  it('does not reuse a buffer that something still refers to', () => {
    const pool = new BufferPool();
    const buffer = pool.acquire(1)!;
    pool.release(buffer, false);
    expect(pool.inUse).toBe(0);
    expect(pool.acquire(1)).not.toBe(buffer);
  });

  it('caches no more than 16 MiB of released buffers', () => {
    const pool = new BufferPool();
    const taken = Array.from({ length: 20 }, () => pool.acquire(LARGEST)!);
    for (const buffer of taken) pool.release(buffer);
    // The memory of the others is freed without a garbage collection.
    expect(taken.filter((buffer) => buffer.length === 0)).toHaveLength(4);
    const again = Array.from({ length: 20 }, () => pool.acquire(LARGEST)!);
    expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(16);
  });
});
