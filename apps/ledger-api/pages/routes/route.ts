import { shorten } from '#pages-kit';

/** Filters of the list of assets, and the token of its page. */
export interface AssetQuery {
  readonly owner?: string;
  readonly color?: string;
  readonly size?: string;
  /** The token of a Link header; the first page without one. */
  readonly after?: string;
}

/** Filters of the list of transactions, and the token of its page. */
export interface TransactionQuery {
  readonly creator?: string;
  readonly function?: string;
  readonly before?: string;
}

/** A page of the explorer with its parameters, as in its URL. */
export type Route =
  | { readonly page: 'overview' | 'unknown' }
  | { readonly page: 'create'; readonly id?: string }
  | { readonly page: 'assets'; readonly query: AssetQuery }
  | { readonly page: 'asset' | 'update' | 'transfer'; readonly id: string }
  | { readonly page: 'blocks'; readonly before?: string }
  | { readonly page: 'block'; readonly number: number }
  | { readonly page: 'transactions'; readonly query: TransactionQuery }
  | { readonly page: 'transaction'; readonly id: string }
  | { readonly page: 'search'; readonly text: string };

const UNKNOWN: Route = { page: 'unknown' };

/**
 * Parses the fragment of a URL. Routes are fragments, so that the server has one page, and every unknown path stays an error
 * of the API.
 * @param fragment - of `location.hash`, with its `#` or empty
 */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  const parameters = new URLSearchParams(query);
  try {
    const [first = '', id, action, ...more] = path.replace(/^\//, '').split('/').map(decodeURIComponent);
    if (more.length > 0) return UNKNOWN;
    return id === undefined ? listRoute(first, parameters) : itemRoute(first, id, action);
  } catch {
    // Malformed percent-encoding.
    return UNKNOWN;
  }
}

function listRoute(name: string, parameters: URLSearchParams): Route {
  switch (name) {
    case '':
      return { page: 'overview' };
    case 'create':
      return { page: name, ...pick(parameters, ['id']) };
    case 'assets':
      return { page: name, query: pick(parameters, ['owner', 'color', 'size', 'after']) };
    case 'blocks':
      return { page: name, ...pick(parameters, ['before']) };
    case 'transactions':
      return { page: name, query: pick(parameters, ['creator', 'function', 'before']) };
    case 'search':
      return { page: name, text: parameters.get('q') ?? '' };
    default:
      return UNKNOWN;
  }
}

function itemRoute(name: string, id: string, action: string | undefined): Route {
  if (name === 'assets') {
    if (action === undefined) return { page: 'asset', id };
    return action === 'update' || action === 'transfer' ? { page: action, id } : UNKNOWN;
  }
  if (action !== undefined) return UNKNOWN;
  if (name === 'blocks' && /^\d{1,15}$/.test(id)) return { page: 'block', number: Number(id) };
  return name === 'transactions' ? { page: 'transaction', id } : UNKNOWN;
}

/** Returns the URL of a route, for links. */
export function hrefOf(route: Route): string {
  switch (route.page) {
    case 'asset':
      return `#/assets/${encodeURIComponent(route.id)}`;
    case 'update':
    case 'transfer':
      return `#/assets/${encodeURIComponent(route.id)}/${route.page}`;
    case 'block':
      return `#/blocks/${route.number}`;
    case 'transaction':
      return `#/transactions/${encodeURIComponent(route.id)}`;
    default:
      return hrefOfList(route);
  }
}

type ItemPage = 'asset' | 'update' | 'transfer' | 'block' | 'transaction';

function hrefOfList(route: Exclude<Route, { readonly page: ItemPage }>): string {
  switch (route.page) {
    case 'assets':
    case 'transactions':
      return `#/${route.page}${queryText({ ...route.query })}`;
    case 'blocks':
      return `#/blocks${queryText({ before: route.before })}`;
    case 'create':
      return `#/create${queryText({ id: route.id })}`;
    case 'search':
      return `#/search${queryText({ q: route.text })}`;
    default:
      return '#/';
  }
}

/** Returns the named parameters that are not empty. */
function pick<Name extends string>(parameters: URLSearchParams, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = parameters.get(name) ?? '';
    if (value !== '') found[name] = value;
  }
  return found;
}

function queryText(values: Readonly<Record<string, string | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}

const TITLES: Readonly<Record<Exclude<Route['page'], 'asset' | 'block' | 'transaction'>, string>> = {
  overview: 'Overview',
  assets: 'Assets',
  create: 'New asset',
  update: 'Update',
  transfer: 'Transfer',
  blocks: 'Blocks',
  transactions: 'Transactions',
  search: 'Search',
  unknown: 'Not found',
};

/** Returns the title of a route for the tab and the browser's history. */
export function titleOf(route: Route): string {
  switch (route.page) {
    case 'asset':
      return route.id;
    case 'update':
    case 'transfer':
      return `${TITLES[route.page]} ${route.id}`;
    case 'block':
      return `Block ${route.number}`;
    case 'transaction':
      return `Transaction ${shorten(route.id)}`;
    default:
      return TITLES[route.page];
  }
}
