import { LedgerError, type LedgerChannel } from '#ledger-gateway';
import type { LedgerTotals } from '#ledger-gateway/driver';
import type { FastifyReply } from 'fastify';
import { answerCount } from './counts.js';

const TOTALS: LedgerTotals = { assets: 7, transactions: 9, hours: [] };

const FILTERS: Readonly<Record<string, string>> = { owner: 'Ana' };

/** Counts a list of so many items. @returns the header, and the number of pages that were read */
async function count(
  items: number,
  { perPage = Infinity, filters = FILTERS, totals = () => Promise.resolve(TOTALS) } = {},
) {
  const headers = new Map<string, string>();
  let pages = 0;
  const reply = { header: (name: string, value: string) => headers.set(name, value) };
  await answerCount<number>(reply as unknown as FastifyReply, { lists: { totals } } as unknown as LedgerChannel, {
    filters,
    total: ({ assets }) => assets,
    read: async ({ limit, from = 0 }) => {
      pages += 1;
      const end = Math.min(items, from + Math.min(limit, perPage));
      const page = { items: Array.from({ length: end - from }) };
      return Promise.resolve(end === items ? page : { ...page, next: end });
    },
  });
  return [headers.get('x-total-count'), pages];
}

describe('answerCount', () => {
  it('walks the pages of a list with a filter', async () => {
    expect(await count(0)).toEqual(['0', 1]);
    expect(await count(1111)).toEqual(['1111', 2]);
    expect(await count(10_000)).toEqual(['10000', 10]);
  });

  it('ends after 10,000 matches, and after 20 pages', async () => {
    expect(await count(10_001)).toEqual(['10000; more', 10]);
    expect(await count(20, { perPage: 1 })).toEqual(['20', 20]);
    expect(await count(21, { perPage: 1 })).toEqual(['20; more', 20]);
  });

  it('reads no page of a list without a filter, or of a channel without an index', async () => {
    expect(await count(1_000_000, { filters: {} })).toEqual(['7', 0]);
    const totals = () => Promise.reject(new LedgerError('LEDGER.NOT_SUPPORTED', 'no index'));
    expect(await count(1, { totals })).toEqual([undefined, 0]);
    await expect(
      count(1, { totals: () => Promise.reject(new LedgerError('LEDGER.UNAVAILABLE', 'closed')) }),
    ).rejects.toThrow('closed');
  });
});
