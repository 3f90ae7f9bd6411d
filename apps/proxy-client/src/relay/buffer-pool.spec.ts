import { internals } from '../node-internals/internals.js';
import { BUFFER_SIZES, BufferPool, LARGEST } from './buffer-pool.js';

describe('BufferPool', () => {
  afterEach(() => {
    internals.sharedBuffer = true;
  });

  it('gives a buffer out again after it came back, and never to two at once', () => {
    const pool = new BufferPool();
    for (let level = 1; level <= LARGEST; level += 1) {
      const first = pool.acquire(level)!;
      const second = pool.acquire(level)!;
      expect([first.length, second.length]).toEqual([BUFFER_SIZES[level], BUFFER_SIZES[level]]);
      first.fill(1);
      second.fill(2);
      expect(first.every((byte) => byte === 1)).toBe(true);
      pool.release(level, first);
      expect(pool.acquire(level)).toBe(first);
    }
  });

  it('has one small buffer for all, and one for each where that does not work', () => {
    const pool = new BufferPool();
    expect(pool.small).toHaveLength(BUFFER_SIZES[0]);
    expect(pool.small).toBe(pool.small);
    internals.sharedBuffer = false;
    expect(pool.small).not.toBe(pool.small);
    pool.release(0, pool.small);
    expect(pool.inUse).toBe(0);
  });

  it('stops giving out large ones when the budget is spent, until some come back', () => {
    const pool = new BufferPool();
    const taken: Buffer[] = [];
    for (let buffer = pool.acquire(LARGEST); buffer !== undefined; buffer = pool.acquire(LARGEST)) taken.push(buffer);
    expect(taken.length).toBe(256);
    expect(pool.inUse).toBe(256 * 1_048_576);
    expect(pool.acquire(1)).toBeUndefined();
    pool.lend(LARGEST, taken.pop()!);
    expect(pool.acquire(1)).toHaveLength(BUFFER_SIZES[1]);
    for (const buffer of taken) pool.release(LARGEST, buffer);
    expect(pool.inUse).toBe(BUFFER_SIZES[1]);
  });

  it('takes back what was lent out, once', () => {
    const pool = new BufferPool();
    const buffer = pool.acquire(1)!;
    pool.lend(1, buffer);
    expect(pool.inUse).toBe(0);
    expect(pool.acquire(1)).not.toBe(buffer);
    pool.reclaim(1, buffer);
    expect(pool.acquire(1)).toBe(buffer);
  });

  it('keeps no more than a few of the large ones that came back', () => {
    const pool = new BufferPool();
    const taken = Array.from({ length: 20 }, () => pool.acquire(LARGEST)!);
    for (const buffer of taken) pool.release(LARGEST, buffer);
    const again = Array.from({ length: 20 }, () => pool.acquire(LARGEST)!);
    expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(16);
  });
});
