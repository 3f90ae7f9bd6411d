import type { FastifyReply } from 'fastify';
import { isLedgerError, type LedgerChannel, type Page } from '#ledger-gateway';
import type { LedgerTotals } from '#ledger-gateway/driver';
import { header } from './operation.decorator.js';

/** The work for one count ends after so many matches, and after so many pages, which a filter that matches rarely leaves empty. */
const MAX_COUNTED = 10_000;
const MAX_PAGES = 20;
/** Items that are read at once. */
const PAGE = 1000;

/** Documents the header of a list whose matches are counted. */
export const COUNT_HEADER = {
  'X-Total-Count': header(
    'With count=true: the number of all matches, such as 1111. Counting ends after 10,000 matches or 20 examined pages with ' +
      '"10000; more", a structured field (RFC 9651). Absent where nothing indexes the channel.',
  ),
};

/** A list whose matches are counted. */
export interface CountedList<C> {
  readonly filters: object;
  /** Returns the length of the list without filters; without it the pages are counted. */
  readonly total?: (totals: LedgerTotals) => number | Promise<number>;
  /** Reads a page. */
  readonly read: (page: { readonly limit: number; readonly from: C | undefined }) => Promise<Page<unknown, C>>;
}

/** Sets the X-Total-Count of a list; with filters by walking its pages without sending them. */
export async function answerCount<C>(
  reply: FastifyReply,
  ledger: Pick<LedgerChannel, 'lists'>,
  { filters, total, read }: CountedList<C>,
): Promise<void> {
  const totals = await totalsOf(ledger);
  // Each page would be searched in the blocks of a peer.
  if (totals === undefined) return;
  const isWhole = total !== undefined && Object.keys(filters).length === 0;
  const count = isWhole ? String(await total(totals)) : await countOf(read);
  void reply.header('x-total-count', count);
}

async function countOf<C>(read: CountedList<C>['read']): Promise<string> {
  let count = 0;
  let from: C | undefined;
  for (let pages = 0; pages < MAX_PAGES && count < MAX_COUNTED; pages++) {
    const { items, next } = await read({ limit: PAGE, from });
    count += items.length;
    if (next === undefined) return String(count);
    from = next;
  }
  return `${count}; more`;
}

/** Returns undefined where a channel has no index, or one that does not have the whole chain. */
async function totalsOf({ lists }: Pick<LedgerChannel, 'lists'>): Promise<LedgerTotals | undefined> {
  try {
    return await lists.totals?.();
  } catch (error) {
    if (isLedgerError(error, 'LEDGER.NOT_SUPPORTED')) return undefined;
    throw error;
  }
}
