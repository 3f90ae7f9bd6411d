import { describe, expect, it } from '@jest/globals';
import { countOf, fillPage } from './paging.js';

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
    expect(await fillPage(5, undefined, list)).toEqual({ items: [0, 40, 80, 120, 160], next: '161' });
    expect(limits).toEqual([5, 2]);
  });

  it('stops at the end of the list', async () => {
    const { list, limits } = listOf(10_000, 5000);
    expect(await fillPage(5, '9900', list)).toEqual({ items: [] });
    expect(limits).toEqual([5]);
  });

  it('stops after ten short pages, with the token to continue', async () => {
    const { list, limits } = listOf(10_000, 5000);
    expect(await fillPage(5, undefined, list)).toEqual({ items: [0], next: '1000' });
    expect(limits).toHaveLength(10);
  });

  it('fills a page that is larger than the API allows', async () => {
    const list = async (limit: number, start = '0') =>
      Promise.resolve({
        items: Array.from({ length: Math.min(limit, 200) }, (_, at) => Number(start) + at),
        next: String(Number(start) + limit),
      });
    const { items, next } = await fillPage(2300, undefined, list);
    expect([items.length, items.at(-1), next]).toEqual([2300, 2299, '2300']);
  });
});

describe('countOf', () => {
  it.each([
    ['1111', { count: 1111, isMore: false }],
    ['10000; more', { count: 10_000, isMore: true }],
    ['0', { count: 0, isMore: false }],
    ['', undefined],
    ['many', undefined],
  ])('reads %j', (value, count) => {
    expect(countOf(new Headers({ 'x-total-count': value }))).toEqual(count);
    expect(countOf(new Headers())).toBeUndefined();
  });
});
