import { describe, expect, it } from '@jest/globals';
import { gather } from './pages.js';

/** A list of which only every so manieth entry fits, looked through by 100 for each request. */
function listOf(size: number, every: number) {
  const asked: number[] = [];
  const ask = async (limit: number, after = '0') => {
    asked.push(limit);
    const items: number[] = [];
    let index = Number(after);
    for (const end = index + 100; index < Math.min(size, end) && items.length < limit; index++) {
      if (index % every === 0) items.push(index);
    }
    return Promise.resolve({ items, ...(index < size && { next: String(index) }) });
  };
  return { ask, asked };
}

describe('gather', () => {
  it('fills a page of short ones, without asking for more than fits', async () => {
    const { ask, asked } = listOf(10_000, 40);
    expect(await gather(5, undefined, ask)).toEqual({ items: [0, 40, 80, 120, 160], rounds: 2, next: '161' });
    expect(asked).toEqual([5, 2]);
  });

  it('ends where the list ends', async () => {
    expect(await gather(5, '9900', listOf(10_000, 5000).ask)).toEqual({ items: [], rounds: 1 });
  });

  it('gives up after a while, and says where to go on', async () => {
    expect(await gather(5, undefined, listOf(10_000, 5000).ask)).toEqual({ items: [0], rounds: 10, next: '1000' });
  });
});
