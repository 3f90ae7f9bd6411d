import { describe, expect, it } from '@jest/globals';
import { fillPage } from './paging.js';

/** A list in which every n-th entry matches, and of which each request scans 100 entries. */
function listOf(size: number, every: number) {
  const limits: number[] = [];
  const list = async (limit: number, start = '0') => {
    limits.push(limit);
    const items: number[] = [];
    let index = Number(start);
    for (const end = index + 100; index < Math.min(size, end) && items.length < limit; index++) {
      if (index % every === 0) items.push(index);
    }
    return Promise.resolve({ items, ...(index < size && { next: String(index) }) });
  };
  return { list, limits };
}

describe('fillPage', () => {
  it('fills a page from several short ones, and requests only what is missing', async () => {
    const { list, limits } = listOf(10_000, 40);
    expect(await fillPage(5, undefined, list)).toEqual({ items: [0, 40, 80, 120, 160], requests: 2, next: '161' });
    expect(limits).toEqual([5, 2]);
  });

  it('stops at the end of the list', async () => {
    expect(await fillPage(5, '9900', listOf(10_000, 5000).list)).toEqual({ items: [], requests: 1 });
  });

  it('stops after ten requests, with the token to continue', async () => {
    expect(await fillPage(5, undefined, listOf(10_000, 5000).list)).toEqual({ items: [0], requests: 10, next: '1000' });
  });
});
