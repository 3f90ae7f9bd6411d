/** One page of a list, and the token of the next one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

/** A page that was filled by one or more requests. */
export interface FilledPage<Item> extends Page<Item> {
  /** More than 1 if most of the entries that the API scanned did not match the filter. */
  readonly requests: number;
}

/** After so many requests the user decides whether to continue. */
const MAX_REQUESTS = 10;

/** Returns the token of the next page in a Link header. */
export function nextOf(headers: Headers): { readonly next?: string } {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  const query = new URLSearchParams(target?.split('?')[1]);
  const next = query.get('after') ?? query.get('before');
  return next === null ? {} : { next };
}

/**
 * Fills a page. The API scans a bounded number of entries per request, so that with a filter its pages may be short or empty
 * although more follow.
 * @param list - returns up to `limit` entries, starting at a token
 */
export async function fillPage<Item>(
  limit: number,
  start: string | undefined,
  list: (limit: number, start: string | undefined) => Promise<Page<Item>>,
): Promise<FilledPage<Item>> {
  const items: Item[] = [];
  let next = start;
  let requests = 0;
  do {
    const page = await list(limit - items.length, next);
    items.push(...page.items);
    next = page.next;
    requests += 1;
  } while (next !== undefined && items.length < limit && requests < MAX_REQUESTS);
  return { items, requests, ...(next !== undefined && { next }) };
}
