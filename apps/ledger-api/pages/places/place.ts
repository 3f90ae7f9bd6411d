/** Which assets are listed: those whose fields equal these, one page of them. */
export interface AssetQuery {
  readonly owner?: string;
  readonly color?: string;
  readonly size?: string;
  /** The token of a Link header; without one the first page. */
  readonly after?: string;
}

/** Which transactions are listed: those of this creator that call this function, one page of them. */
export interface TransactionQuery {
  readonly creator?: string;
  readonly function?: string;
  /** As above; behind a place in the chain. */
  readonly before?: string;
}

/** What the explorer can show, as its address names it. */
export type Place =
  | { readonly page: 'overview' | 'unknown' }
  | { readonly page: 'create'; readonly id?: string }
  | { readonly page: 'assets'; readonly query: AssetQuery }
  | { readonly page: 'asset' | 'update' | 'transfer'; readonly id: string }
  | { readonly page: 'blocks'; readonly before?: string }
  | { readonly page: 'block'; readonly number: number }
  | { readonly page: 'transactions'; readonly query: TransactionQuery }
  | { readonly page: 'transaction'; readonly id: string }
  | { readonly page: 'search'; readonly text: string };

const UNKNOWN: Place = { page: 'unknown' };

/**
 * Reads the fragment of an address. Places are fragments, so that the server has one page and every other path that it
 * does not know stays an error of the API.
 * @param fragment - of `location.hash`, with its `#` or empty
 */
export function placeOf(fragment: string): Place {
  const [path = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  const parameters = new URLSearchParams(query);
  try {
    const [first = '', id, action, ...more] = path.replace(/^\//, '').split('/').map(decodeURIComponent);
    if (more.length > 0) return UNKNOWN;
    return id === undefined ? listOf(first, parameters) : oneOf(first, id, action);
  } catch {
    // Percent signs that stand for nothing: whoever typed them is told that there is no such page.
    return UNKNOWN;
  }
}

function listOf(name: string, parameters: URLSearchParams): Place {
  switch (name) {
    case '':
      return { page: 'overview' };
    case 'create':
      return { page: name, ...chosen(parameters, ['id']) };
    case 'assets':
      return { page: name, query: chosen(parameters, ['owner', 'color', 'size', 'after']) };
    case 'blocks':
      return { page: name, ...chosen(parameters, ['before']) };
    case 'transactions':
      return { page: name, query: chosen(parameters, ['creator', 'function', 'before']) };
    case 'search':
      return { page: name, text: parameters.get('q') ?? '' };
    default:
      return UNKNOWN;
  }
}

function oneOf(name: string, id: string, action: string | undefined): Place {
  if (name === 'assets') {
    if (action === undefined) return { page: 'asset', id };
    return action === 'update' || action === 'transfer' ? { page: action, id } : UNKNOWN;
  }
  if (action !== undefined) return UNKNOWN;
  if (name === 'blocks' && /^\d{1,15}$/.test(id)) return { page: 'block', number: Number(id) };
  return name === 'transactions' ? { page: 'transaction', id } : UNKNOWN;
}

/** The address of a place, for links. */
export function addressOf(place: Place): string {
  switch (place.page) {
    case 'asset':
      return `#/assets/${encodeURIComponent(place.id)}`;
    case 'update':
    case 'transfer':
      return `#/assets/${encodeURIComponent(place.id)}/${place.page}`;
    case 'block':
      return `#/blocks/${place.number}`;
    case 'transaction':
      return `#/transactions/${encodeURIComponent(place.id)}`;
    default:
      return addressOfList(place);
  }
}

type One = 'asset' | 'update' | 'transfer' | 'block' | 'transaction';

function addressOfList(place: Exclude<Place, { readonly page: One }>): string {
  switch (place.page) {
    case 'assets':
    case 'transactions':
      return `#/${place.page}${queryText({ ...place.query })}`;
    case 'blocks':
      return `#/blocks${queryText({ before: place.before })}`;
    case 'create':
      return `#/create${queryText({ id: place.id })}`;
    case 'search':
      return `#/search${queryText({ q: place.text })}`;
    default:
      return '#/';
  }
}

/** Those of the named parameters that say something; an empty one is as good as none. */
function chosen<Name extends string>(
  parameters: URLSearchParams,
  names: readonly Name[],
): Partial<Record<Name, string>> {
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
