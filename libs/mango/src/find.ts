import { isDeeper } from '#json';
import { Buffer } from 'node:buffer';
import { documentText, MAX_DEPTH, parseDocument, reservedField, withoutKey } from './document.js';
import { fieldOf, parseField, project, type FieldPath } from './field-path.js';
import { parseFindOptions, type FindOptions } from './find-options.js';
import type { MangoIndex } from './index-definition.js';
import { collate, compareBytes, type Json, type JsonObject } from './json-value.js';
import { MangoError } from './mango-error.js';
import { DocumentMatcher } from './matcher.js';
import { chooseIndex } from './planner.js';
import type { Selector } from './selector.js';
import { sortInSteps } from './sort-in-steps.js';

/** A key of the state and its value. */
export interface Entry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** The state in which documents are searched. It does not change meanwhile. */
export interface DocumentSource {
  /** Returns the entries after a key in byte order of the keys; all of them for an empty one. */
  entries(after: string): Iterable<Entry>;
  /** Returns the value of a key that was found. */
  value(key: string): Uint8Array;
}

/** A result before its value is read again: its place in the order, and its key. */
interface Place {
  readonly key: string;
  /** The values of the fields of the index. */
  readonly fields: readonly Json[];
}

/** A result and its value. */
interface Result extends Place {
  readonly text: string;
}

/** Results that a peer requests at once: it applies `skip` to each such part. */
const RESULTS_AT_ONCE = 1000;
/** CouchDB's bookmark of a query without results. */
const NO_BOOKMARK = 'nil';

/** A query of CouchDB, as chaincode sends it, executed once. */
export class Find {
  readonly #options: FindOptions;
  readonly #matcher: DocumentMatcher;
  readonly #filter: DocumentMatcher | undefined;
  readonly #columns: readonly FieldPath[] | undefined;
  readonly #start: Place | undefined;
  /** Whether the selector is an empty list only, for which CouchDB does not search. */
  readonly #isEmpty: boolean;
  #last: Place | undefined;

  /**
   * @param text - the query, as JSON
   * @param bookmark - of the previous page; empty for the first one
   * @throws {@link MangoError}; another Error for what a peer refuses itself
   */
  constructor(text: string, bookmark: string, indexes: readonly MangoIndex[]) {
    this.#options = parseFindOptions(text, bookmark);
    const { selector } = this.#options;
    this.#isEmpty = isEmptyList(selector);
    const index = chooseIndex(this.#options, indexes);
    this.#matcher = new DocumentMatcher(selector);
    this.#filter = index?.filter && new DocumentMatcher(index.filter);
    const columns = index?.columns ?? (this.#options.isDescending ? [] : undefined);
    this.#columns = columns?.map(parseField);
    this.#start = parseBookmark(this.#options.bookmark, this.#columns?.length ?? 0);
  }

  /** Returns the bookmark with which the next page begins. */
  bookmark(): string {
    if (this.#last === undefined) return this.#options.bookmark || NO_BOOKMARK;
    const { key, fields } = this.#last;
    return Buffer.from(JSON.stringify([key, ...fields])).toString('base64url');
  }

  /**
   * Yields the results in the order of CouchDB, and undefined after each step, so that the caller can let others run.
   * @throws {@link MangoError} for a comparison that takes too long
   */
  *run(source: DocumentSource): Generator<Entry | undefined, undefined> {
    if (this.#isEmpty) return;
    let [skipped, count] = [0, 0];
    const results = this.#columns === undefined ? this.#byKey(source) : this.#byIndex(source, this.#columns);
    for (const result of results) {
      if (result === undefined || skipped < this.#options.skip) {
        skipped += Number(result !== undefined);
        yield undefined;
        continue;
      }
      count += 1;
      if (count % RESULTS_AT_ONCE === 0) skipped = 0;
      const { key, fields, text } = result;
      this.#last = { key, fields };
      yield { key, value: Buffer.from(text) };
    }
  }

  /** Yields results while the state is read. */
  *#byKey(source: DocumentSource): Generator<Result | undefined> {
    for (const { key, value } of source.entries(this.#start?.key ?? ''))
      yield this.#resultOf({ key, fields: [] }, value);
  }

  /** Yields results after all documents have been read and sorted. Their values are not kept meanwhile. */
  *#byIndex(source: DocumentSource, columns: readonly FieldPath[]): Generator<Result | undefined> {
    const places: Place[] = [];
    for (const { key, value } of source.entries('')) {
      const document = this.#match(key, value);
      const place = document && placeOf(key, document, columns);
      if (place !== undefined && this.#isAfterStart(place)) places.push(place);
      yield undefined;
    }
    const direction = this.#options.isDescending ? -1 : 1;
    const sorted = yield* sortInSteps(places, (a, b) => direction * comparePlaces(a, b));
    for (const place of sorted) yield this.#resultOf(place, source.value(place.key));
  }

  #isAfterStart(place: Place): boolean {
    if (this.#start === undefined) return true;
    const order = comparePlaces(place, this.#start);
    return this.#options.isDescending ? order < 0 : order > 0;
  }

  /** Returns the document in a value if it matches. Selectors see its key as the field `_id`. */
  #match(key: string, value: Uint8Array): JsonObject | undefined {
    const document = parseDocument(value);
    if (document === undefined || Object.hasOwn(document, '_id')) return undefined;
    (document as Record<string, Json>)['_id'] = key;
    const isFound = this.#matcher.matches(document) && this.#filter?.matches(document) !== false;
    return isFound ? document : undefined;
  }

  /** Returns the result for a value that matches, and that a peer could have stored. */
  #resultOf(place: Place, value: Uint8Array): Result | undefined {
    const document = this.#match(place.key, value);
    if (document === undefined) return undefined;
    const stored = withoutKey(document);
    const text = reservedField(stored) === undefined ? documentText(stored) : undefined;
    if (text === undefined) return undefined;
    const { fields } = this.#options;
    return { ...place, text: fields === undefined ? text : (documentText(project(stored, fields)) ?? text) };
  }
}

function isEmptyList(selector: Selector): boolean {
  return (selector.kind === 'and' || selector.kind === 'or') && selector.selectors.length === 0;
}

/** Returns the place of a document in an index; undefined for one without all its fields. */
function placeOf(key: string, document: JsonObject, columns: readonly FieldPath[]): Place | undefined {
  const fields = columns.map((path) => fieldOf(document, path));
  const isComplete = (values: typeof fields): values is Json[] =>
    values.every((value) => typeof value !== 'symbol' && !isTooDeep(value));
  return isComplete(fields) ? { key, fields } : undefined;
}

/** Values are compared by recursion. */
function isTooDeep(value: Json): boolean {
  return typeof value === 'object' && isDeeper(value, MAX_DEPTH);
}

function comparePlaces(a: Place, b: Place): number {
  return collate(a.fields, b.fields) || compareBytes(a.key, b.key);
}

/** @throws {@link MangoError} for a bookmark of another query */
function parseBookmark(text: string, columns: number): Place | undefined {
  if (text === '') return undefined;
  try {
    const place = JSON.parse(Buffer.from(text, 'base64url').toString()) as Json;
    if (Array.isArray(place) && place.length === columns + 1) {
      const [key, ...fields] = place as readonly Json[];
      if (typeof key === 'string' && !fields.some(isTooDeep)) return { key, fields };
    }
  } catch {
    // Refused below.
  }
  throw new MangoError('invalid_bookmark', `Invalid bookmark value: ${JSON.stringify(text.slice(0, 500))}`);
}
