import { isJsonObject } from '#json';
import { parseField } from './field-path.js';
import { keysOf, type Json, type JsonObject } from './json-value.js';
import { MangoError } from './mango-error.js';
import { QueryJson } from './query-json.js';
import { parseSelector, type Selector } from './selector.js';

/** An index of a chaincode, as a file in META-INF/statedb/couchdb/indexes defines it. */
export interface MangoIndex {
  /** Its design document, without `_design/`, and its name in it. */
  readonly designDocument: string;
  readonly name: string;
  /** The fields by which it is sorted. */
  readonly columns: readonly string[];
  /** Which documents it contains; undefined for all that have its fields. It is used for queries that name it only. */
  readonly filter: Selector | undefined;
}

/** The error in an index file. */
export class InvalidIndex extends Error {
  override readonly name = 'InvalidIndex';
  /** JSON pointer of the key; empty for the whole file. */
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

/**
 * Parses an index file by the rules of Fabric and of CouchDB, which only logs an index that it refuses.
 * @param fallbackName - the name of an index without one
 * @throws {@link InvalidIndex}
 */
export function parseIndex(text: string, fallbackName: string): MangoIndex {
  const json = parse(text);
  const file = json.value;
  if (!isJsonObject(file)) throw new InvalidIndex('', 'must be a JSON object');
  requireKeys(file, ['index', 'ddoc', 'name', 'type'], '');
  if ('type' in file && file['type'] !== 'json') throw new InvalidIndex('/type', 'must be "json"');
  const { index } = file;
  if (!isJsonObject(index)) throw new InvalidIndex('/index', 'must be an object');
  requireKeys(index, ['fields', 'partial_filter_selector'], '/index');
  return {
    designDocument: nameOf(file, 'ddoc', fallbackName).replace(/^_design\//, ''),
    name: nameOf(file, 'name', fallbackName),
    columns: columnsOf(index['fields']),
    filter: filterOf(index['partial_filter_selector'], json),
  };
}

function parse(text: string): QueryJson {
  try {
    return new QueryJson(text);
  } catch (error) {
    throw new InvalidIndex('', `is not valid JSON: ${(error as Error).message}`);
  }
}

function requireKeys(object: JsonObject, known: readonly string[], pointer: string): void {
  const key = keysOf(object).find((each) => !known.includes(each));
  if (key !== undefined) {
    throw new InvalidIndex(`${pointer}/${key}`, `is unknown; the keys here are ${known.join(', ')}`);
  }
}

function nameOf(file: JsonObject, key: string, fallback: string): string {
  const name = key in file ? file[key] : fallback;
  if (typeof name !== 'string' || name === '') throw new InvalidIndex(`/${key}`, 'must be a text that is not empty');
  return name;
}

function columnsOf(fields: Json | undefined): readonly string[] {
  if (!Array.isArray(fields)) throw new InvalidIndex('/index/fields', 'must be an array of fields');
  const parsed = fields.map((field: Json, at) => columnOf(field, `/index/fields/${at}`));
  const mixed = parsed.findIndex(({ direction }) => direction !== parsed[0]?.direction);
  if (mixed !== -1) {
    throw new InvalidIndex(
      `/index/fields/${mixed}`,
      'must have the direction of the other fields: CouchDB supports one only',
    );
  }
  return parsed.map(({ column }) => column);
}

function columnOf(field: Json, pointer: string): { readonly column: string; readonly direction: Json } {
  const [[column, direction] = ['', null], ...others] =
    typeof field === 'string' ? [[field, 'asc'] as const] : Object.entries(isJsonObject(field) ? field : {});
  if (column === '' || others.length > 0 || (direction !== 'asc' && direction !== 'desc')) {
    throw new InvalidIndex(pointer, 'must be the name of a field, or {"field": "asc"} or {"field": "desc"}');
  }
  valid(pointer, () => parseField(column));
  return { column, direction };
}

function filterOf(filter: Json | undefined, json: QueryJson): Selector | undefined {
  if (filter === undefined) return undefined;
  const pointer = '/index/partial_filter_selector';
  if (!isJsonObject(filter)) throw new InvalidIndex(pointer, 'must be an object');
  const selector = valid(pointer, () => parseSelector(filter, json));
  return selector.kind === 'everything' ? undefined : selector;
}

function valid<T>(pointer: string, parsePart: () => T): T {
  try {
    return parsePart();
  } catch (error) {
    throw error instanceof MangoError ? new InvalidIndex(pointer, error.message) : error;
  }
}
