import { isJsonObject } from '#json';
import { appendField, type FieldPath } from './field-path.js';
import { keysOf, type Json, type JsonObject } from './json-value.js';
import { badArgument, erlangTerm, MangoError } from './mango-error.js';
import { compilePattern, type Pattern } from './pattern.js';
import type { QueryJson } from './query-json.js';

/** Operators that compare a field with a value. */
export type Comparison = '$eq' | '$ne' | '$lt' | '$lte' | '$gt' | '$gte';

/** Operators for the items of an array, or the names in an object. */
export type InnerOperator = '$elemMatch' | '$allMatch' | '$keyMapMatch';

/** What a field must fulfil. */
export type Condition =
  | { readonly operator: Comparison; readonly argument: Json }
  | { readonly operator: '$in' | '$nin' | '$all'; readonly argument: readonly Json[] }
  | { readonly operator: '$exists'; readonly argument: boolean }
  | { readonly operator: '$type' | '$beginsWith'; readonly argument: string }
  | { readonly operator: '$regex'; readonly pattern: Pattern }
  | { readonly operator: '$mod'; readonly divisor: bigint; readonly remainder: bigint }
  | { readonly operator: '$size'; readonly argument: number }
  | { readonly operator: InnerOperator; readonly selector: Selector }
  | { readonly operator: '$not'; readonly condition: Condition };

/** A selector in which each condition names its whole field, and negations are next to conditions. */
export type Selector =
  | { readonly kind: 'everything' }
  | { readonly kind: 'and' | 'or'; readonly selectors: readonly Selector[] }
  /** Only within an operator for the items of an array, where CouchDB does not move negations. */
  | { readonly kind: 'not'; readonly selector: Selector }
  | { readonly kind: 'never' }
  | { readonly kind: 'field'; readonly path: FieldPath; readonly condition: Condition };

const MAX_PATTERNS = 100;

const NEGATED: Readonly<Record<Comparison, Comparison>> = {
  $eq: '$ne',
  $ne: '$eq',
  $lt: '$gte',
  $gte: '$lt',
  $lte: '$gt',
  $gt: '$lte',
};

const INNER: ReadonlySet<string> = new Set<InnerOperator>(['$elemMatch', '$allMatch', '$keyMapMatch']);

/** Operators that CouchDB knows and does not support; `$text` needs a search index, which no Fabric network has. */
const UNSUPPORTED = ['$where', '$geoWithin', '$geoIntersects', '$near', '$nearSphere', '$text'];

/**
 * Parses a selector as CouchDB 3 does: a bare value is an equality, several members are all required, and negations are moved
 * to the conditions, so that a negated comparison requires its field.
 * @throws {@link MangoError}
 */
export function parseSelector(selector: JsonObject, query: QueryJson): Selector {
  if (keysOf(selector).length === 0) return { kind: 'everything' };
  const parsed = new SelectorParser(query).parse(selector, [], false);
  if (parsed.kind === 'field' && parsed.path.length === 0) {
    throw new MangoError('invalid_selector', 'One or more conditions is missing a field name.');
  }
  return parsed;
}

/** The patterns of a query, each compiled once. */
class Patterns {
  readonly #compiled = new Map<string, Pattern>();

  /** @throws {@link MangoError} for an invalid pattern, and for too many: compiling them takes time */
  compile(text: string): Pattern {
    let pattern = this.#compiled.get(text);
    if (pattern === undefined) {
      if (this.#compiled.size === MAX_PATTERNS) {
        throw new MangoError('not_supported', `Unsupported operator: $regex more than ${MAX_PATTERNS} times`);
      }
      pattern = compilePattern(text);
      this.#compiled.set(text, pattern);
    }
    return pattern;
  }
}

class SelectorParser {
  readonly #query: QueryJson;
  readonly #patterns: Patterns;
  /** Whether the selector is one of the items of an array, and negations stay where they are. */
  readonly #isInner: boolean;

  constructor(query: QueryJson, patterns = new Patterns(), isInner = false) {
    this.#query = query;
    this.#patterns = patterns;
    this.#isInner = isInner;
  }

  parse(value: Json, path: FieldPath, isNegated: boolean): Selector {
    const keys = isJsonObject(value) ? keysOf(value) : [];
    if (!isJsonObject(value) || keys.length === 0) return comparison('$eq', value, path, isNegated);
    const selectors = keys.map((key) => this.#parseMember(value, key, path, isNegated));
    return selectors.length === 1 && selectors[0] !== undefined
      ? selectors[0]
      : { kind: isNegated ? 'or' : 'and', selectors };
  }

  #parseMember(holder: JsonObject, key: string, path: FieldPath, isNegated: boolean): Selector {
    const argument = holder[key] ?? null;
    if (!key.startsWith('$')) return this.parse(argument, appendField(path, key), isNegated);
    switch (key) {
      case '$and':
      case '$or':
        return this.#combine(key === '$or', requireList(key, argument), path, isNegated);
      case '$nor':
        return this.#nor(argument, path, isNegated);
      case '$not':
        if (!isJsonObject(argument)) throw badArgument(key, argument);
        if (this.#isInner) return { kind: 'not', selector: this.parse(argument, path, false) };
        return this.parse(argument, path, !isNegated);
      default: {
        const condition = this.#condition(holder, key, argument);
        return { kind: 'field', path, condition: isNegated ? negate(condition) : condition };
      }
    }
  }

  #combine(isOr: boolean, list: readonly Json[], path: FieldPath, isNegated: boolean): Selector {
    const selectors = list.map((each) => this.parse(each, path, isNegated));
    return { kind: isOr === isNegated ? 'and' : 'or', selectors };
  }

  #nor(argument: Json, path: FieldPath, isNegated: boolean): Selector {
    if (!Array.isArray(argument)) throw invalidOperator('$nor');
    const combined = this.#combine(true, argument, path, !isNegated);
    // CouchDB cannot evaluate it there, and takes the error for a mismatch.
    return this.#isInner ? { kind: 'never' } : combined;
  }

  #condition(holder: JsonObject, operator: string, argument: Json): Condition {
    if (INNER.has(operator)) {
      if (!isJsonObject(argument)) throw badArgument(operator, argument);
      const selector = new SelectorParser(this.#query, this.#patterns, true).parse(argument, [], false);
      return { operator: operator as InnerOperator, selector };
    }
    const parse = TERMINALS[operator];
    if (parse === undefined) throw unknownOperator(operator, holder);
    return parse(argument, { holder, query: this.#query, patterns: this.#patterns });
  }
}

/** Where an argument is in the query. */
interface Context {
  readonly holder: JsonObject;
  readonly query: QueryJson;
  readonly patterns: Patterns;
}

const comparisonOf =
  (operator: Comparison) =>
  (argument: Json): Condition => ({ operator, argument });
const listOf =
  (operator: '$in' | '$nin' | '$all') =>
  (argument: Json): Condition => ({ operator, argument: requireList(operator, argument) });

/** The operators whose arguments contain no further ones. */
const TERMINALS: Readonly<Record<string, (argument: Json, context: Context) => Condition>> = {
  $eq: comparisonOf('$eq'),
  $ne: comparisonOf('$ne'),
  $lt: comparisonOf('$lt'),
  $lte: comparisonOf('$lte'),
  $gt: comparisonOf('$gt'),
  $gte: comparisonOf('$gte'),
  $in: listOf('$in'),
  $nin: listOf('$nin'),
  $all: listOf('$all'),
  $exists: (argument) => {
    if (typeof argument !== 'boolean') throw badArgument('$exists', argument);
    return { operator: '$exists', argument };
  },
  $type: (argument) => {
    if (typeof argument !== 'string') throw badArgument('$type', argument);
    return { operator: '$type', argument };
  },
  $beginsWith: (argument) => {
    if (typeof argument !== 'string') throw invalidOperator('$beginsWith');
    return { operator: '$beginsWith', argument };
  },
  $regex: (argument, { patterns }) => {
    if (typeof argument !== 'string') throw invalidOperator('$regex');
    return { operator: '$regex', pattern: patterns.compile(argument) };
  },
  $mod: (argument, { query }) => {
    if (!Array.isArray(argument)) throw badArgument('$mod', argument);
    const pair = argument as readonly Json[];
    const isPair = pair.length === 2 && query.isInteger(pair, '0') && query.isInteger(pair, '1');
    // CouchDB fails on each document when it divides by zero.
    if (!isPair || Number(pair[0]) === 0) throw badArgument('$mod', argument);
    return { operator: '$mod', divisor: BigInt(pair[0] as number), remainder: BigInt(pair[1] as number) };
  },
  $size: (argument, { holder, query }) => {
    if (!query.isInteger(holder, '$size') || Number(argument) < 0) throw badArgument('$size', argument);
    return { operator: '$size', argument: Number(argument) };
  },
};

function comparison(operator: Comparison, argument: Json, path: FieldPath, isNegated: boolean): Selector {
  return { kind: 'field', path, condition: { operator: isNegated ? NEGATED[operator] : operator, argument } };
}

function negate(condition: Condition): Condition {
  switch (condition.operator) {
    case '$in':
      return { operator: '$nin', argument: condition.argument };
    case '$nin':
      return { operator: '$in', argument: condition.argument };
    case '$exists':
      return { operator: '$exists', argument: !condition.argument };
    default:
      return isComparison(condition)
        ? { operator: NEGATED[condition.operator], argument: condition.argument }
        : { operator: '$not', condition };
  }
}

function isComparison(condition: Condition): condition is Extract<Condition, { operator: Comparison }> {
  return Object.hasOwn(NEGATED, condition.operator);
}

function requireList(operator: string, argument: Json): readonly Json[] {
  if (!Array.isArray(argument)) throw badArgument(operator, argument);
  return argument as readonly Json[];
}

function invalidOperator(operator: string): MangoError {
  return new MangoError('invalid_operator', `Invalid operator: ${operator.slice(0, 500)}`);
}

function unknownOperator(operator: string, holder: JsonObject): MangoError {
  if (UNSUPPORTED.includes(operator)) return new MangoError('not_supported', `Unsupported operator: ${operator}`);
  if (operator !== '$default') return invalidOperator(operator);
  return new MangoError('bad_field', `Invalid field normalization on selector: ${erlangTerm(holder)}`);
}
