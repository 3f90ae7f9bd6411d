import { shorten } from '#pages-kit';

/** The paths of the pages; `:id` is a parameter. */
const PATHS = {
  overview: '',
  assets: 'assets',
  asset: 'assets/:id',
  update: 'assets/:id/update',
  transfer: 'assets/:id/transfer',
  create: 'create',
  blocks: 'blocks',
  block: 'blocks/:id',
  transactions: 'transactions',
  transaction: 'transactions/:id',
  contracts: 'contracts',
  contract: 'contracts/:id',
  search: 'search',
  verify: 'verify',
};
const UNKNOWN = 'unknown';
export type PageName = keyof typeof PATHS | typeof UNKNOWN;

/** The pages that every channel has; assets are on the default channel only. */
const CHANNEL_PAGES: readonly PageName[] = [
  ...(['overview', 'blocks', 'block', 'transactions', 'transaction'] as const),
  ...(['contracts', 'contract', 'search'] as const),
];
const CHANNEL_NAME = /^[a-z][a-z0-9.-]{0,248}$/;

/**
 * The parameters of the queries: filters, the tokens of Link headers (`after`, `before`), the id of a new asset, the text of a
 * search, the block after which an asset is shown, with the time (`date`) that led to it, and a `value` that an asset's
 * history is searched for.
 */
const PARAMETERS = [
  ...(['prefix', 'owner', 'color', 'size', 'value', 'creator', 'function', 'since', 'until'] as const),
  ...(['after', 'before', 'id', 'q', 'at', 'date'] as const),
] as const;
/** Parameters that are not empty. */
export type Query = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** A query for a page of a list. */
export type ListQuery = Query & { readonly limit: number };

/** A page of the explorer with its parameters, as in its URL. */
export interface Route {
  /** The name of a channel; empty for the default one. */
  readonly channel: string;
  readonly page: PageName;
  /** Of an asset or a transaction, the number of a block, or the name of a chaincode; empty for other pages. */
  readonly id: string;
  readonly query: Query;
}

/** The channel of the page that is shown: that of links and requests that name none. */
export const present = { channel: '' };

/**
 * Parses the fragment of a URL. Routes are fragments, so that the server has one page, and every unknown path stays an error
 * of the API.
 * @param fragment - of `location.hash`, with its `#` or empty
 */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#?\/?/, '').split('?', 2);
  const channel = OF_CHANNEL.exec(path)?.[1] ?? '';
  const segments = path.replace(OF_CHANNEL, '').split('/');
  const [page, pattern] = Object.entries(PATHS).find((each) => matches(segments, each[1])) ?? [UNKNOWN, ''];
  const id = decode(segments[pattern.split('/').indexOf(':id')] ?? '');
  const route: Route = { channel, page: page as PageName, id: id ?? '', query: parseQuery(query) };
  return id !== undefined && isPage(route) ? route : { channel: '', page: UNKNOWN, id: '', query: {} };
}

/** The beginning of the path of a page of a named channel. */
const OF_CHANNEL = /^channels\/([^/]+)(?:\/|$)/;

function matches(segments: readonly string[], pattern: string): boolean {
  const names = pattern.split('/');
  return names.length === segments.length && names.every((name, at) => name === ':id' || name === segments[at]);
}

function isPage({ channel, page, id }: Route): boolean {
  if (page === 'block' && !/^\d{1,15}$/.test(id)) return false;
  return channel === '' || (CHANNEL_NAME.test(channel) && hasChannels(page));
}

/** Returns whether every channel has a page. */
export function hasChannels(page: PageName): boolean {
  return CHANNEL_PAGES.includes(page);
}

/** Returns undefined for malformed percent-encoding. */
function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function parseQuery(text: string): Query {
  const parameters = new URLSearchParams(text);
  const named = PARAMETERS.map((name) => [name, parameters.get(name) ?? ''] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

/** The parts of a link; empty parameters are omitted. */
export interface Link {
  /** The default is the channel of the page that is shown. */
  readonly channel?: string;
  readonly page: PageName;
  readonly id?: string | number;
  readonly query?: Query;
}

/** Returns the URL of a page, for links. */
export function hrefOf({ channel = present.channel, page, id = '', query = {} }: Link): string {
  const path = page === UNKNOWN ? '' : PATHS[page].replace(':id', () => encodeURIComponent(id));
  const prefix = channel !== '' && hasChannels(page) ? `channels/${channel}${path === '' ? '' : '/'}` : '';
  return `#/${prefix}${path}${searchOf(query)}`;
}

/** Returns a query as in a URL, with its question mark; empty without parameters. */
export function searchOf(query: Query): string {
  const parameters = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ''));
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

const TITLES: Readonly<Partial<Record<PageName, string>>> = {
  overview: 'Overview',
  assets: 'Assets',
  create: 'New asset',
  blocks: 'Blocks',
  transactions: 'Transactions',
  contracts: 'Contracts',
  search: 'Search',
  verify: 'Verify a receipt',
  unknown: 'Not found',
  update: 'Update ',
  transfer: 'Transfer ',
  block: 'Block ',
  transaction: 'Transaction ',
  contract: 'Contract ',
};

/** Returns the title of a route for the tab and the browser's history, without its channel. */
export function titleOf({ page, id = '' }: Pick<Route, 'page'> & Partial<Route>): string {
  return `${TITLES[page] ?? ''}${page === 'transaction' ? shorten(id) : id}`;
}
