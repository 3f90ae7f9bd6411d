import type { Page } from './client.ts';

/** Most requests for one page: after that whoever looks is asked whether to go on. */
const MAX_ROUNDS = 10;

/** A page that was gathered of several. */
export interface Gathered<Item> extends Page<Item> {
  /** How many requests it took; more than one where most of what was looked through did not fit the filter. */
  readonly rounds: number;
}

/**
 * Fills a page. The API looks through a bounded number of entries for each request, so that with a filter a page of it may be
 * short, or empty, and yet not the last one.
 * @param ask - for so many entries, from a token on
 */
export async function gather<Item>(
  limit: number,
  from: string | undefined,
  ask: (limit: number, from: string | undefined) => Promise<Page<Item>>,
): Promise<Gathered<Item>> {
  const items: Item[] = [];
  let next = from;
  let rounds = 0;
  do {
    const page = await ask(limit - items.length, next);
    items.push(...page.items);
    next = page.next;
    rounds += 1;
  } while (next !== undefined && items.length < limit && rounds < MAX_ROUNDS);
  return { items, rounds, ...(next !== undefined && { next }) };
}
