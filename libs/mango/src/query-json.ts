import { isDeeper } from '#json';
import type { Json, JsonObject } from './json-value.js';
import { MangoError } from './mango-error.js';

/** Numbers that need their text: a fraction or exponent, or more digits than a number has. */
const EXACT = /\d[.eE]|\d{16}/;
const INTEGER = /^-?\d+$/;
/** Characters of a query. Longer ones would delay other requests while they are parsed. */
const MAX_LENGTH = 256 * 1024;
/** Levels of arrays and objects in a query. */
const MAX_DEPTH = 200;
/** Digits of the longest integer that a value of a document can be equal to. */
const MAX_DIGITS = 400;

type Reviver = (this: object, key: string, value: Json, context: { readonly source?: string }) => Json;
const parse = JSON.parse as (text: string, reviver?: Reviver) => Json;

/** The JSON text of a query. Its integers are told from other numbers, as CouchDB does: `2.0` is none. */
export class QueryJson {
  readonly value: Json;
  /** The members that are integral numbers, and were written with a fraction or an exponent. */
  readonly #fractions = new Map<object, Set<string>>();

  /** @throws SyntaxError with the text of Go when it is not JSON; {@link MangoError} when it is too long or nested too deep */
  constructor(text: string) {
    if (text.length > MAX_LENGTH) {
      throw new MangoError('bad_request', `the query is longer than ${MAX_LENGTH} characters`);
    }
    const value = parseAsGo(text);
    if (isDeeper(value, MAX_DEPTH)) {
      throw new MangoError('bad_request', `the query is nested deeper than ${MAX_DEPTH} levels`);
    }
    if (!EXACT.test(text)) {
      this.value = value;
      return;
    }
    const fractions = this.#fractions;
    this.value = parse(text, function revive(key, value, { source = '' }) {
      if (typeof value !== 'number') return value;
      if (!INTEGER.test(source)) fractions.set(this, (fractions.get(this) ?? new Set()).add(key));
      else if (!Number.isSafeInteger(value) && source.length <= MAX_DIGITS) return BigInt(source);
      return value;
    });
  }

  /** Returns whether a member of an object or array is an integer. */
  isInteger(holder: JsonObject | readonly Json[], key: string): boolean {
    const value = (holder as JsonObject)[key];
    if (typeof value === 'bigint') return true;
    return Number.isInteger(value) && !this.#fractions.get(holder)?.has(key);
  }
}

/** Parses JSON. Its error is the one of Go, by which a peer refuses a query, as far as that names the place. */
function parseAsGo(text: string): Json {
  try {
    return parse(text);
  } catch (error) {
    if (text.trim() === '') throw new SyntaxError('EOF', { cause: error });
    const { message } = error as Error;
    const at = Number(/at position (\d+)/.exec(message)?.[1] ?? NaN);
    if (at >= text.length || message.startsWith('Unexpected end'))
      throw new SyntaxError('unexpected EOF', { cause: error });
    const character = /^Unexpected token '(.)'/su.exec(message)?.[1] ?? text.charAt(at);
    throw new SyntaxError(`invalid character '${character}' in the query`, { cause: error });
  }
}
