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
    expect(taken.length).toBe(256);
    expect(pool.inUse).toBe(256 * 1_048_576);
    expect(pool.acquire(1)).toBeUndefined();
    pool.release(taken.pop()!, false);
    expect(pool.acquire(1)).toHaveLength(BUFFER_SIZES[1]);
    for (const buffer of taken) pool.release(buffer);
    expect(pool.inUse).toBe(BUFFER_SIZES[1]);
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
    const again = Array.from({ length: 20 }, () => pool.acquire(LARGEST)!);
    expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(16);
  });
});
