import { isJsonObject } from '#json';
import { fieldOf, NOT_FOUND } from './field-path.js';
import { canonicalText } from './document.js';
import { collate, compareBytes, typeOf, type Json } from './json-value.js';
import { MangoError } from './mango-error.js';
import type { Comparison, Condition, InnerOperator, Selector } from './selector.js';

/** Returns whether a value matches. */
type Matcher = (value: Json) => boolean;
type Order = (a: Json, b: Json) => number;

const HOLDS: Readonly<Record<Comparison, (order: number) => boolean>> = {
  $eq: (order) => order === 0,
  $ne: (order) => order !== 0,
  $lt: (order) => order < 0,
  $lte: (order) => order <= 0,
  $gt: (order) => order > 0,
  $gte: (order) => order >= 0,
};

/** Numbers from here on are no integers in CouchDB, which reads them with an exponent. */
const MAX_INTEGER = 1e21;

/** Steps that the comparison of one document may take: items of arrays, each with its conditions, and characters of patterns. */
const MAX_STEPS = 8_000_000;
/** The steps of an item, next to one for a character that a pattern reads. */
const STEPS_OF_ITEM = 4;
/** The steps of a character of an item that is compared as text. */
const STEPS_OF_CHARACTER = 2;

/** A selector, compiled into a function on documents. */
export class DocumentMatcher {
  readonly #matches: Matcher;
  #steps = 0;

  constructor(selector: Selector) {
    this.#matches = this.#compile(selector);
  }

  /**
   * Returns whether a document matches.
   * @throws {@link MangoError} when the comparison would take too long
   */
  matches(document: Json): boolean {
    this.#steps = 0;
    return this.#matches(document);
  }

  #compile(selector: Selector): Matcher {
    switch (selector.kind) {
      case 'everything':
        return () => true;
      case 'never':
        return () => false;
      case 'and': {
        const matchers = selector.selectors.map((each) => this.#compile(each));
        return (value) => matchers.every((matches) => matches(value));
      }
      case 'or': {
        const matchers = selector.selectors.map((each) => this.#compile(each));
        // An empty list matches everything in CouchDB.
        return (value) => matchers.length === 0 || matchers.some((matches) => matches(value));
      }
      case 'not': {
        const matches = this.#compile(selector.selector);
        return (value) => !matches(value);
      }
      case 'field':
        return this.#compileField(selector);
    }
  }

  /** A missing field fulfils `$exists: false` only, not even a negation. */
  #compileField({ path, condition }: Extract<Selector, { kind: 'field' }>): Matcher {
    const isAbsent = condition.operator === '$exists' && !condition.argument;
    const isKey = path.length === 1 && path[0] === '_id';
    const matches = this.#compileCondition(condition, isKey ? compareKeys : collate);
    return (value) => {
      const field = fieldOf(value, path);
      return typeof field === 'symbol' ? isAbsent && field === NOT_FOUND : matches(field);
    };
  }

  #compileCondition(condition: Condition, order: Order): Matcher {
    switch (condition.operator) {
      case '$not': {
        const matches = this.#compileCondition(condition.condition, order);
        return (value) => !matches(value);
      }
      case '$regex': {
        const { search, cost } = condition.pattern;
        return (value) => {
          if (typeof value !== 'string') return false;
          this.#spend(value.length * cost);
          return search(value);
        };
      }
      case '$elemMatch':
      case '$allMatch':
      case '$keyMapMatch':
        return this.#compileInner(condition.operator, condition.selector);
      case '$in':
        return this.#compileIn(condition.argument, order);
      case '$nin': {
        const matches = this.#compileIn(condition.argument, order);
        return (value) => !matches(value);
      }
      case '$all':
        return this.#compileAll(condition.argument);
      default:
        return compileTerminal(condition, order);
    }
  }

  /** In an array, one of the items must be listed. The array itself is never compared. */
  #compileIn(list: readonly Json[], order: Order): Matcher {
    const isListed = compileList(list, order);
    return (value) => {
      if (!Array.isArray(value)) return isListed(value);
      this.#spend(value.length * STEPS_OF_ITEM);
      return value.some((item: Json) => isListed(item));
    };
  }

  /** All must be items of the array. A single argument that is an array may be the array itself. */
  #compileAll(list: readonly Json[]): Matcher {
    const texts = list.map(canonicalText);
    const whole = list.length === 1 && Array.isArray(list[0]) ? texts[0] : undefined;
    return (value) => {
      if (!Array.isArray(value) || list.length === 0) return false;
      const items = (value as readonly Json[]).map(canonicalText);
      this.#spend(items.reduce((sum, text) => sum + text.length, 0) * STEPS_OF_CHARACTER);
      const found = new Set(items);
      return texts.every((text) => found.has(text)) || (whole !== undefined && `[${items.join(',')}]` === whole);
    };
  }

  /** An empty array fulfils neither `$elemMatch` nor `$allMatch`. */
  #compileInner(operator: InnerOperator, selector: Selector): Matcher {
    const matchesItem = this.#compile(selector);
    const cost = sizeOf(selector) * STEPS_OF_ITEM;
    const matches: Matcher = (item) => {
      this.#spend(cost);
      return matchesItem(item);
    };
    switch (operator) {
      case '$elemMatch':
        return (value) => Array.isArray(value) && value.some((item: Json) => matches(item));
      case '$allMatch':
        return (value) => Array.isArray(value) && value.length > 0 && value.every((item: Json) => matches(item));
      case '$keyMapMatch':
        return (value) => {
          if (!isJsonObject(value)) return false;
          const keys = Object.keys(value);
          this.#spend(keys.length * STEPS_OF_ITEM);
          return keys.some((key) => matches(key));
        };
    }
  }

  /** Counts steps: a comparison cannot be interrupted, and other requests wait for it. */
  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps <= MAX_STEPS) return;
    throw new MangoError('too_expensive', `the selector takes more than ${MAX_STEPS} steps for one document`);
  }
}

/** Returns the number of conditions of a selector. */
function sizeOf(selector: Selector): number {
  switch (selector.kind) {
    case 'and':
    case 'or':
      return selector.selectors.reduce((sum, each) => sum + sizeOf(each), 1);
    case 'not':
      return 1 + sizeOf(selector.selector);
    default:
      return 1;
  }
}

type Terminal = Exclude<Condition, { operator: '$not' | '$regex' | '$in' | '$nin' | '$all' | InnerOperator }>;

function compileTerminal(condition: Terminal, order: Order): Matcher {
  switch (condition.operator) {
    case '$exists':
      return () => condition.argument;
    case '$type':
      return (value) => typeOf(value) === condition.argument;
    case '$beginsWith':
      return (value) => typeof value === 'string' && value.startsWith(condition.argument);
    case '$mod':
      return compileModulo(condition.divisor, condition.remainder);
    case '$size':
      return (value) => Array.isArray(value) && value.length === condition.argument;
    default: {
      const { operator, argument } = condition;
      const holds = HOLDS[operator];
      return (value) => holds(order(value, argument));
    }
  }
}

/** Returns whether a value is in a list, in a time that grows with the logarithm of its length. */
function compileList(list: readonly Json[], order: Order): Matcher {
  const sorted = [...list].sort(order);
  return (value) => {
    for (let [low, high] = [0, sorted.length]; low < high;) {
      const middle = (low + high) >>> 1;
      const found = order(value, sorted[middle] ?? null);
      if (found === 0) return true;
      if (found < 0) high = middle;
      else low = middle + 1;
    }
    return false;
  };
}

function compileModulo(divisor: bigint, remainder: bigint): Matcher {
  return (value) =>
    Number.isInteger(value) &&
    Math.abs(value as number) < MAX_INTEGER &&
    BigInt(value as number) % divisor === remainder;
}

/** Keys of the state are compared by their bytes. */
function compareKeys(a: Json, b: Json): number {
  return typeof a === 'string' && typeof b === 'string' ? compareBytes(a, b) : collate(a, b);
}
