import { isJsonObject } from '#json';
import { parseField, type FieldPath } from './field-path.js';
import { membersOf, typeOf, type Json, type JsonObject } from './json-value.js';
import { erlangTerm, MangoError } from './mango-error.js';
import { QueryJson } from './query-json.js';
import { parseSelector, type Selector } from './selector.js';

/** The parts of a query that determine its results. */
export interface FindOptions {
  readonly selector: Selector;
  /** The fields by which results are sorted. */
  readonly sort: readonly string[];
  readonly isDescending: boolean;
  /** The fields of the results; undefined for whole documents. */
  readonly fields: readonly FieldPath[] | undefined;
  readonly skip: number;
  /** Design document and name of the index to use; empty for any. */
  readonly useIndex: readonly string[];
  /** Whether another index may be used than the named one. */
  readonly mayFallBack: boolean;
  /** The last result of the previous page; empty for the first one. */
  readonly bookmark: string;
}

/** Options that are checked only: there is one copy of each document, and no index is ever stale. */
const CHECKED: Readonly<Record<string, (value: Json, isInteger: boolean) => void>> = {
  conflicts: requireBoolean,
  stale: (value) => {
    if (value === 'ok' || value === 'false' || value === false) return;
    throw new MangoError(
      'unknown_error',
      `Unknown Error: mango_opts :: {invalid_ok_or_false_value,${erlangTerm(value)}}`,
    );
  },
  partition: requirePartition,
  allow_fallback: requireBoolean,
  update: requireBoolean,
  stable: requireBoolean,
  execution_stats: requireBoolean,
  r: (value, isInteger) => {
    if (isInteger && Number(value) > 0) return;
    throw new MangoError('invalid_pos_integer', `${erlangTerm(value)} is not an integer greater than zero`);
  },
};
/** The others. A peer replaces the limit. */
const PARSED = ['selector', 'use_index', 'bookmark', 'limit', 'skip', 'sort', 'fields'];

/**
 * Parses the text of a query as a peer and CouchDB do.
 * @param bookmark - of a paged query, which overrides the one in the text
 * @throws {@link MangoError}; Error with the text of the peer for what the peer refuses itself
 */
export function parseFindOptions(text: string, bookmark: string): FindOptions {
  const json = new QueryJson(text);
  const query = requireQuery(json.value);
  const options = {
    selector: selectorOf(query['selector'], json),
    useIndex: useIndexOf(query['use_index'] ?? null),
    bookmark: bookmark === '' ? bookmarkOf(query['bookmark'] ?? null) : bookmark,
    skip: skipOf(query, json),
    ...sortOf('sort' in query ? (query['sort'] ?? null) : []),
    fields: fieldsOf(query['fields']),
    mayFallBack: query['allow_fallback'] !== false,
  };
  for (const [key, value] of membersOf(query)) {
    const requireValid = CHECKED[key];
    if (requireValid !== undefined) requireValid(value, json.isInteger(query, key));
    else if (!PARSED.includes(key)) {
      throw new MangoError('invalid_key', `Invalid key ${key.slice(0, 500)} for this request.`);
    }
  }
  return options;
}

/** @throws Error with the text of the peer, which adds the key to the fields */
function requireQuery(query: Json): JsonObject {
  if (!isJsonObject(query)) throw new SyntaxError(notAnObject(query));
  if ('fields' in query && !Array.isArray(query['fields'])) throw new SyntaxError('fields definition must be an array');
  return query;
}

/** Go's error for a query that is no object. */
function notAnObject(query: Json): string {
  return `json: cannot unmarshal ${typeOf(query).replace('boolean', 'bool')} into Go value of type map[string]interface {}`;
}

function selectorOf(selector: Json | undefined, json: QueryJson): Selector {
  if (selector === undefined) throw new MangoError('missing_required_key', 'Missing required key: selector');
  if (isJsonObject(selector)) return parseSelector(selector, json);
  throw new MangoError('invalid_selector_json', `Selector must be a JSON object, not: ${erlangTerm(selector)}`);
}

function useIndexOf(value: Json): readonly string[] {
  if (value === null) return [];
  const parts: readonly Json[] =
    typeof value === 'string' ? splitIndexName(value) : Array.isArray(value) ? value : [null];
  if (parts.length <= 2 && parts.every((part) => typeof part === 'string')) {
    return parts.map((part, at) => (at === 0 ? part.replace(/^_design\//, '') : part));
  }
  throw new MangoError('invalid_index_name', `Invalid index name: ${erlangTerm(value)}`);
}

function splitIndexName(name: string): readonly string[] {
  const parts = name.split('/');
  return parts[0] === '_design' && parts.length > 1 ? parts.slice(1) : parts;
}

function bookmarkOf(value: Json): string {
  if (value === null) return '';
  if (typeof value === 'string') return value;
  throw new MangoError('invalid_bookmark', `Invalid bookmark value: ${erlangTerm(value)}`);
}

function skipOf(query: JsonObject, json: QueryJson): number {
  const { skip } = query;
  if (skip === undefined) return 0;
  if (json.isInteger(query, 'skip') && Number(skip) >= 0) return Number(skip);
  throw new MangoError(
    'invalid_non_neg_integer',
    `${erlangTerm(skip)} is not an integer greater than or equal to zero`,
  );
}

function sortOf(value: Json): Pick<FindOptions, 'sort' | 'isDescending'> {
  if (!Array.isArray(value)) {
    throw new MangoError('invalid_sort_json', `Sort must be an array of sort specs, not: ${erlangTerm(value)}`);
  }
  const specs = value.map((spec: Json) => sortSpec(spec));
  const isDescending = specs[0]?.direction === 'desc';
  if (specs.some(({ direction }) => (direction === 'desc') !== isDescending)) {
    throw new MangoError('unsupported_mixed_sort', 'Sorts currently only support a single direction for all fields.');
  }
  return { sort: specs.map(({ field }) => field), isDescending };
}

function sortSpec(spec: Json): { readonly field: string; readonly direction: string } {
  if (typeof spec === 'string' && spec !== '') return { field: spec, direction: 'asc' };
  const [[field, direction] = ['', null], ...others] = Object.entries(isJsonObject(spec) ? spec : {});
  if (others.length === 0 && (direction === 'asc' || direction === 'desc')) return { field, direction };
  throw new MangoError('invalid_sort_field', `Invalid sort field: ${erlangTerm(spec)}`);
}

/** The key and the version, which a peer adds, are no fields of the value. */
function fieldsOf(value: Json | undefined): readonly FieldPath[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const paths = value.map((field: Json) => {
    if (typeof field === 'string') return parseField(field);
    throw new MangoError('invalid_field', `Invalid JSON for field spec: ${erlangTerm(field)}`);
  });
  return paths.filter(([first = '']) => !['_id', '_rev', '~version'].includes(first));
}

function requireBoolean(value: Json): void {
  if (typeof value === 'boolean') return;
  throw new MangoError('invalid_boolean', `Invalid boolean value: ${erlangTerm(value)}`);
}

/** The databases of a peer have no partitions, so that no index is usable for one. */
function requirePartition(value: Json): void {
  if (value === '') return;
  throw new MangoError('no_usable_index', 'No index exists for this sort, try indexing by the sort fields.');
}
