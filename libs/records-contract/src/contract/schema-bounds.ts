import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import { ContractError } from '#contract-kit';
import { escapePointer, isArray, isObject, shown, type Json, type JsonObject } from './strict-json.js';

// A schema comes from outside and runs in the ledger. These bounds limit the time of its compilation and of each validation.

/** Maximum number of bytes of a schema in its canonical form. */
export const MAX_SCHEMA_BYTES = 16_384;
const MAX_SUBSCHEMAS = 300;
const MAX_DEPTH = 16;
/** Maximum number of subschemas after each `$ref` is replaced by its definition. */
const MAX_EXPANDED = 10_000;
/** The same below a keyword that applies to every item or property, since a document may have thousands of them. */
const MAX_EXPANDED_REPEATED = 1000;
const MAX_UNIQUE_ITEMS = 1000;
const MAX_PATTERN_LENGTH = 256;
/** Maximum size of the program that re2js makes of a pattern; matching takes time in proportion to it. */
const MAX_PATTERN_SIZE = 1000;
/** Maximum sum of those sizes, after each `$ref` is replaced. */
const MAX_PATTERN_SIZES = 4000;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const REFERENCE = /^#\/\$defs\/[^/]+$/;
/** Identifiers and dynamic references could name a schema elsewhere, or one that is known only while it is applied. */
const REFUSED = ['$id', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$recursiveRef', 'definitions'];

/** Where a subschema applies, relative to the value of the schema: `.name`, `*` for every property, `[]` for every item. */
type Location = readonly string[];

/** Keywords with one schema, and where it applies. */
const SCHEMA_KEYWORDS: Readonly<Record<string, Location>> = {
  not: [],
  if: [],
  then: [],
  else: [],
  additionalProperties: ['*'],
  unevaluatedProperties: ['*'],
  propertyNames: ['*'],
  items: ['[]'],
  contains: ['[]'],
  unevaluatedItems: ['[]'],
  contentSchema: [],
};
/** Keywords with a list of schemas. */
const SCHEMA_ARRAYS: Readonly<Record<string, Location>> = { allOf: [], anyOf: [], oneOf: [], prefixItems: ['[]'] };
/** Keywords with schemas by names. */
const SCHEMA_MAPS: Readonly<Record<string, (name: string) => Location>> = {
  properties: (name) => [`.${name}`],
  patternProperties: () => ['*'],
  dependentSchemas: () => [],
};

/** A `$ref` with the location of the value to which it applies its definition. */
interface Reference {
  readonly name: string;
  readonly location: Location;
  readonly pointer: string;
}

/** A definition, or the schema itself under the empty name. */
interface Definition {
  subschemas: number;
  patternSizes: number;
  readonly references: Reference[];
}

/**
 * Checks that a schema stays within the bounds, and throws for the first violation. It does not check that the schema is
 * a valid one.
 * @throws `ContractError` RECORD_TYPE_INVALID with the JSON pointer and the bound
 */
export function requireBoundedSchema(schema: JsonObject): void {
  const definitions = new Survey(schema).definitions;
  for (const { references } of definitions.values()) {
    for (const { name, pointer } of references) {
      if (!definitions.has(name)) refuse(pointer, `refers to ${shown(name)}, which is not in $defs`);
    }
  }
  requireBoundedRecursion(definitions);
}

function refuse(pointer: string, rule: string): never {
  throw new ContractError('RECORD_TYPE_INVALID', `the schema is refused: ${pointer === '' ? 'it' : pointer} ${rule}`);
}

/** A subschema: its JSON pointer, where it applies, and how many subschemas it is inside. */
interface Place {
  readonly pointer: string;
  readonly location: Location;
  readonly depth: number;
}

/** A schema inside another, under the steps of a JSON pointer. */
interface Inner {
  readonly steps: string;
  readonly schema: Json | undefined;
  readonly location: Location;
}

/** Visits each subschema once. */
class Survey {
  readonly definitions = new Map<string, Definition>();
  #subschemas = 0;

  constructor(schema: JsonObject) {
    const { $defs, ...rest } = schema;
    this.#visit(rest, this.#define(''), { pointer: '', location: [], depth: 0 });
    for (const { steps, schema: each, name } of membersOf('$defs', $defs, '')) {
      this.#visit(each, this.#define(name), { pointer: `/${steps}`, location: [], depth: 0 });
    }
  }

  #define(name: string): Definition {
    const definition = { subschemas: 0, patternSizes: 0, references: [] };
    this.definitions.set(name, definition);
    return definition;
  }

  #visit(schema: Json | undefined, into: Definition, place: Place): void {
    const { pointer, location, depth } = place;
    this.#subschemas += 1;
    into.subschemas += 1;
    if (this.#subschemas > MAX_SUBSCHEMAS) refuse('', `has more than ${MAX_SUBSCHEMAS} subschemas`);
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) return refuse(pointer, 'must be a schema: an object, true or false');
    if (depth > MAX_DEPTH) refuse(pointer, `is nested deeper than ${MAX_DEPTH} schemas`);
    requireAllowedKeywords(schema, pointer);
    measure(schema, into, place);
    for (const inner of innerSchemas(schema, pointer)) {
      const below = {
        pointer: `${pointer}/${inner.steps}`,
        location: [...location, ...inner.location],
        depth: depth + 1,
      };
      this.#visit(inner.schema, into, below);
    }
  }
}

/** Adds what a subschema itself costs, and its reference. */
function measure(schema: JsonObject, into: Definition, { pointer, location }: Place): void {
  const { $ref: reference, enum: values, pattern, patternProperties } = schema;
  if (reference !== undefined) into.references.push(referenceOf(reference, pointer, location));
  // Each value of an enumeration is compared, like a subschema.
  if (values !== undefined && isArray(values)) into.subschemas += values.length;
  if (pattern !== undefined) into.patternSizes += patternSize(pattern, `${pointer}/pattern`);
  for (const { steps, name } of membersOf('patternProperties', patternProperties, pointer)) {
    into.patternSizes += patternSize(name, `${pointer}/${steps}`);
  }
}

/** Returns the schemas that a subschema contains. */
function innerSchemas(schema: JsonObject, pointer: string): readonly Inner[] {
  return [
    ...Object.entries(SCHEMA_KEYWORDS).flatMap(([keyword, location]) => {
      const inner = schema[keyword];
      return inner === undefined ? [] : [{ steps: keyword, schema: inner, location }];
    }),
    ...Object.entries(SCHEMA_ARRAYS).flatMap(([keyword, location]) => {
      const list = schema[keyword] ?? [];
      if (!isArray(list)) return refuse(`${pointer}/${keyword}`, 'must be an array of schemas');
      return list.map((inner, index) => ({ steps: `${keyword}/${index}`, schema: inner, location }));
    }),
    ...Object.entries(SCHEMA_MAPS).flatMap(([keyword, locationOf]) =>
      membersOf(keyword, schema[keyword], pointer).map(({ name, ...inner }) => ({
        ...inner,
        location: locationOf(name),
      })),
    ),
  ];
}

function membersOf(
  keyword: string,
  map: Json | undefined,
  pointer: string,
): readonly Readonly<{ name: string; steps: string; schema: Json }>[] {
  if (map === undefined) return [];
  if (!isObject(map)) return refuse(`${pointer}/${keyword}`, 'must be an object of schemas');
  return Object.entries(map).map(([name, schema]) => ({ name, steps: `${keyword}/${escapePointer(name)}`, schema }));
}

function requireAllowedKeywords(schema: JsonObject, pointer: string): void {
  for (const keyword of REFUSED) {
    if (schema[keyword] !== undefined) refuse(`${pointer}/${keyword}`, 'is not supported');
  }
  if (schema['$defs'] !== undefined) refuse(`${pointer}/$defs`, 'must be at the top of the schema');
  const dialect = schema['$schema'];
  if (dialect !== undefined && dialect !== DIALECT) refuse(`${pointer}/$schema`, `must be ${DIALECT}`);
  const { uniqueItems, maxItems } = schema;
  if (uniqueItems === true && !(typeof maxItems === 'number' && maxItems <= MAX_UNIQUE_ITEMS)) {
    refuse(`${pointer}/uniqueItems`, `needs maxItems of at most ${MAX_UNIQUE_ITEMS}`);
  }
}

function referenceOf(value: Json, pointer: string, location: Location): Reference {
  const at = `${pointer}/$ref`;
  if (typeof value !== 'string' || !REFERENCE.test(value)) return refuse(at, 'must have the form #/$defs/NAME');
  const name = decodeURIComponentOrText(value.slice('#/$defs/'.length)).replaceAll('~1', '/').replaceAll('~0', '~');
  return { name, location, pointer: at };
}

function decodeURIComponentOrText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the size of the program of a pattern. */
function patternSize(pattern: Json, pointer: string): number {
  if (typeof pattern !== 'string') return refuse(pointer, 'must be a string');
  if (pattern.length > MAX_PATTERN_LENGTH) refuse(pointer, `must not exceed ${MAX_PATTERN_LENGTH} characters`);
  let size: number;
  try {
    size = compilePattern(pattern).programSize();
  } catch (error) {
    return refuse(pointer, `is not a pattern that takes linear time (RE2): ${(error as Error).message}`);
  }
  if (size > MAX_PATTERN_SIZE)
    refuse(pointer, `repeats too much: its program has ${size} steps, more than ${MAX_PATTERN_SIZE}`);
  return size;
}

/** Compiles a pattern of ECMA-262 for linear time. Lookaround and backreferences are refused. */
export function compilePattern(pattern: string): Re2.RE2JS {
  const { RE2JS: Pattern } = createRequire(import.meta.url)('re2js') as typeof Re2;
  return Pattern.compile(Pattern.translateRegExp(pattern));
}

/**
 * A schema that applies a definition to the same value again would never end. One that applies a definition to one value in two
 * ways would double the work at each level of a document.
 */
function requireBoundedRecursion(definitions: ReadonlyMap<string, Definition>): void {
  const reachable = new Map([...definitions.keys()].map((name) => [name, reachableFrom(name, definitions)]));
  const isRecursive = (from: string, to: string): boolean => reachable.get(to)?.has(from) === true;
  const applied = new Map<string, readonly Location[]>();
  for (const name of definitions.keys()) {
    const locations = recursiveLocations(name, definitions, isRecursive, applied, []);
    for (const [index, location] of locations.entries()) {
      if (locations.slice(index + 1).some((other) => overlap(location, other))) {
        refuse(name === '' ? '' : `/$defs/${escapePointer(name)}`, 'is recursive in two ways for one value');
      }
    }
  }
  requireBoundedExpansion(definitions, isRecursive);
}

function reachableFrom(name: string, definitions: ReadonlyMap<string, Definition>): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [name];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { name: target } of definitions.get(next)?.references ?? []) {
      if (!found.has(target)) pending.push(target);
      found.add(target);
    }
  }
  return found;
}

/** Returns where a definition applies a definition that leads back to it. */
function recursiveLocations(
  name: string,
  definitions: ReadonlyMap<string, Definition>,
  isRecursive: (from: string, to: string) => boolean,
  applied: Map<string, readonly Location[]>,
  path: readonly string[],
): readonly Location[] {
  const known = applied.get(name);
  if (known !== undefined) return known;
  const locations = (definitions.get(name)?.references ?? []).flatMap((reference) => {
    if (!isRecursive(name, reference.name)) return [];
    if (reference.location.length > 0) return [reference.location];
    if (reference.name === name || path.includes(reference.name)) {
      return refuse(reference.pointer, 'leads back to itself without a property or an item between');
    }
    return recursiveLocations(reference.name, definitions, isRecursive, applied, [...path, name]);
  });
  applied.set(name, locations);
  return locations;
}

/** Returns whether two locations may be the same, or one may be inside the other. */
function overlap(a: Location, b: Location): boolean {
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((step, index) => {
    const other = b[index];
    if (step === '[]' || other === '[]') return step === other;
    return step === '*' || other === '*' || step === other;
  });
}

/** Sums of a definition after each reference that does not lead back is replaced. */
interface Expansion {
  readonly subschemas: number;
  readonly patternSizes: number;
}

function requireBoundedExpansion(
  definitions: ReadonlyMap<string, Definition>,
  isRecursive: (from: string, to: string) => boolean,
): void {
  const expansions = new Map<string, Expansion>();
  const expand = (name: string): Expansion => {
    const known = expansions.get(name);
    if (known !== undefined) return known;
    const { subschemas = 0, patternSizes = 0, references = [] } = definitions.get(name) ?? {};
    let expansion: Expansion = { subschemas, patternSizes };
    for (const reference of references) {
      if (isRecursive(name, reference.name)) continue;
      const inner = expand(reference.name);
      const isRepeated = reference.location.some((step) => step === '[]' || step === '*');
      if (isRepeated && inner.subschemas > MAX_EXPANDED_REPEATED) {
        refuse(reference.pointer, `expands to more than ${MAX_EXPANDED_REPEATED} subschemas for each item or property`);
      }
      expansion = {
        subschemas: expansion.subschemas + inner.subschemas,
        patternSizes: expansion.patternSizes + inner.patternSizes,
      };
    }
    expansions.set(name, expansion);
    return expansion;
  };
  for (const name of definitions.keys()) {
    const { subschemas, patternSizes } = expand(name);
    const pointer = name === '' ? '' : `/$defs/${escapePointer(name)}`;
    if (subschemas > MAX_EXPANDED) refuse(pointer, `expands to more than ${MAX_EXPANDED} subschemas`);
    if (patternSizes > MAX_PATTERN_SIZES)
      refuse(pointer, `has patterns with more than ${MAX_PATTERN_SIZES} steps in all`);
  }
}
