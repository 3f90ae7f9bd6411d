import { shorten } from '#pages-kit';

/** The paths of the pages; `:type` and `:id` are parameters. */
const PATHS = {
  overview: '',
  assets: 'assets',
  asset: 'assets/:id',
  update: 'assets/:id/update',
  transfer: 'assets/:id/transfer',
  compare: 'assets/:id/compare',
  create: 'create',
  blocks: 'blocks',
  block: 'blocks/:id',
  transactions: 'transactions',
  transaction: 'transactions/:id',
  'record-types': 'record-types',
  'define-record-type': 'define-record-type',
  records: 'records/:type',
  record: 'records/:type/:id',
  'update-record': 'records/:type/:id/update',
  'create-record': 'new-record/:type',
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
  ...(['contracts', 'contract', 'search', 'record-types', 'define-record-type'] as const),
  ...(['records', 'record', 'update-record', 'create-record'] as const),
];
const CHANNEL_NAME = /^[a-z][a-z0-9.-]{0,248}$/;

/**
 * The parameters of the queries: filters, the tokens of Link headers (`after`, `before`), the id of a new asset or record type,
 * the text of a search, the blocks after which one or two states of an asset are shown (`at`, `with`), each with the time that
 * led to it, a `value` that an asset's history is searched for, and the number of `rows` on a page.
 */
const PARAMETERS = [
  ...(['prefix', 'owner', 'color', 'size', 'value', 'creator', 'function', 'since', 'until'] as const),
  ...(['after', 'before', 'id', 'q', 'at', 'date', 'with', 'withDate', 'rows'] as const),
] as const;
/** The beginning of a parameter that filters records by an indexed field. */
export const WHERE = 'where.';
type Parameter = (typeof PARAMETERS)[number] | `${typeof WHERE}${string}`;
/** Parameters that are not empty. */
export type Query = Readonly<Partial<Record<Parameter, string>>>;

/** A query for a page of a list. */
export type ListQuery = Omit<Query, 'rows'> & { readonly limit: number; readonly count?: 'true' };

/** A page of the explorer with its parameters, as in its URL. */
export interface Route {
  /** The name of a channel; empty for the default one. */
  readonly channel: string;
  readonly page: PageName;
  /** The name of a record type; empty for other pages. */
  readonly type: string;
  /** Of an asset, a record or a transaction, the number of a block, or the name of a chaincode; empty for other pages. */
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
  const parameter = (name: string): string | undefined => decode(segments[pattern.split('/').indexOf(name)] ?? '');
  const [type, id] = [parameter(':type'), parameter(':id')];
  const unknown: Route = { channel: '', page: UNKNOWN, type: '', id: '', query: {} };
  if (type === undefined || id === undefined) return unknown;
  const route: Route = { channel, page: page as PageName, type, id, query: parseQuery(query) };
  return isPage(route) ? route : unknown;
}

/** The beginning of the path of a page of a named channel. */
const OF_CHANNEL = /^channels\/([^/]+)(?:\/|$)/;

function matches(segments: readonly string[], pattern: string): boolean {
  const names = pattern.split('/');
  return names.length === segments.length && names.every((name, at) => name.startsWith(':') || name === segments[at]);
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
  const conditions = [...parameters.keys()].filter((name) => name.startsWith(WHERE));
  const named = [...PARAMETERS, ...conditions].map((name) => [name, parameters.get(name) ?? ''] as const);
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

/** The parts of a link; empty parameters are omitted. */
export interface Link {
  /** The default is the channel of the page that is shown. */
  readonly channel?: string;
  readonly page: PageName;
  readonly type?: string;
  readonly id?: string | number;
  readonly query?: Query;
}

/** Returns the URL of a page, for links. */
export function hrefOf({ channel = present.channel, page, type = '', id = '', query = {} }: Link): string {
  const pattern = page === UNKNOWN ? '' : PATHS[page];
  const path = pattern.replace(':type', () => encodeURIComponent(type)).replace(/:id\b/, () => encodeURIComponent(id));
  const prefix = channel !== '' && hasChannels(page) ? `channels/${channel}${path === '' ? '' : '/'}` : '';
  return `#/${prefix}${path}${searchOf(query)}`;
}

/** Returns a query as in a URL, with its question mark; empty without parameters. */
export function searchOf(query: Query): string {
  const given = Object.entries(query).flatMap(([name, value = '']) => (value === '' ? [] : [[name, value]]));
  const parameters = new URLSearchParams(given);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

const TITLES: Readonly<Partial<Record<PageName, string>>> = {
  overview: 'Overview',
  assets: 'Assets',
  create: 'New asset',
  blocks: 'Blocks',
  transactions: 'Transactions',
  'record-types': 'Records',
  'define-record-type': 'Define a record type',
  contracts: 'Contracts',
  search: 'Search',
  verify: 'Verify a receipt',
  unknown: 'Not found',
  update: 'Update ',
  transfer: 'Transfer ',
  compare: 'Compare ',
  block: 'Block ',
  transaction: 'Transaction ',
  contract: 'Contract ',
  records: 'Records of ',
  'update-record': 'Update ',
  'create-record': 'New record of ',
};

/** Returns the title of a route for the tab and the browser's history, without its channel. */
export function titleOf({ page, type = '', id = '' }: Pick<Route, 'page'> & Partial<Route>): string {
  const subject = page === 'transaction' ? shorten(id) : id;
  return `${TITLES[page] ?? ''}${subject === '' ? type : subject}`;
}
