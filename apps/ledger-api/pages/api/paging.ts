/** One page of a list, and the token of the next one. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
  /** Of a request that asked for it. */
  readonly matches?: MatchCount;
}

/** The number of incomplete pages after which the user decides whether to continue. */
const MAX_SHORT_PAGES = 10;
/** The largest limit that the API accepts. */
export const MAX_LIMIT = 200;

/** Returns the token of the next page in a Link header. */
export function nextOf(headers: Headers): { readonly next?: string } {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  const query = new URLSearchParams(target?.split('?')[1]);
  const next = query.get('after') ?? query.get('before');
  return next === null ? {} : { next };
}

/** The number of all matches of a list. */
export interface MatchCount {
  readonly count: number;
  /** Whether there may be more. */
  readonly isMore: boolean;
}

/** Returns the number in an X-Total-Count header; undefined if the API has not counted. */
export function countOf(headers: Headers): MatchCount | undefined {
  const [, digits, more] = /^(\d{1,15})(; more)?$/.exec(headers.get('x-total-count') ?? '') ?? [];
  return digits === undefined ? undefined : { count: Number(digits), isMore: more !== undefined };
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
): Promise<Page<Item>> {
  const items: Item[] = [];
  let next = start;
  let shortPages = 0;
  do {
    const missing = Math.min(limit - items.length, MAX_LIMIT);
    const page = await list(missing, next);
    items.push(...page.items);
    next = page.next;
    if (page.items.length < missing) shortPages += 1;
  } while (next !== undefined && items.length < limit && shortPages < MAX_SHORT_PAGES);
  return { items, ...(next !== undefined && { next }) };
}
