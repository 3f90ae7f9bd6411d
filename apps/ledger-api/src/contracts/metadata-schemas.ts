import { isDeeper } from '#json';
import { isArray, isObject, type Json, type JsonObject } from '#records-contract';

// Metadata come from the chaincode. These bounds limit the time and the size of what is made of them.
const MAX_DEPTH = 32;
const MAX_SUBSCHEMAS = 10_000;
const MAX_DEFINITIONS = 500;

/** Prefixes by which the contract APIs refer to a schema of `components`; the nested ones of Node and Go are bare names. */
const REFERENCE = /^(?:components\.schemas\.json)?#\/(?:components\/schemas\/)?/;
const TYPES: ReadonlySet<unknown> = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);

type Test = (value: Json) => boolean;
const isNumber: Test = (value) => typeof value === 'number';
const isCount: Test = (value) => Number.isInteger(value) && Number(value) >= 0;
const isText: Test = (value) => typeof value === 'string';
const isFlag: Test = (value) => typeof value === 'boolean';
const isType: Test = (value) =>
  TYPES.has(value) || (isTextList(value) && (value as Json[]).every((each) => TYPES.has(each)));
const isTextList: Test = (value) =>
  Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length;

/** Keywords of JSON Schema (2020-12) without a schema in their value, with the test of the value. Others are removed. */
const VALUE_KEYWORDS: Readonly<Record<string, Test>> = {
  type: isType,
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  default: () => true,
  title: isText,
  description: isText,
  format: isText,
  pattern: isText,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  maximum: isNumber,
  minimum: isNumber,
  // Draft 4 has true here: such a limit is not checked.
  exclusiveMaximum: isNumber,
  exclusiveMinimum: isNumber,
  maxLength: isCount,
  minLength: isCount,
  maxItems: isCount,
  minItems: isCount,
  uniqueItems: isFlag,
  maxProperties: isCount,
  minProperties: isCount,
  required: isTextList,
  deprecated: isFlag,
};
const SCHEMA_KEYWORDS = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'] as const;
const SCHEMA_ARRAYS = ['allOf', 'anyOf', 'oneOf'] as const;
const SCHEMA_MAPS = ['properties', 'patternProperties'] as const;
/** Keywords whose schemas apply to the same value as the schema itself. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

const DEFINITIONS = '#/$defs/';

/**
 * The schemas of a chaincode's metadata as JSON Schema (2020-12), each with references to `#/$defs/NAME` only. Metadata are
 * neither JSON Schema nor OpenAPI: they have `$id`, references to names that do not exist, and names that no document can have.
 */
export class MetadataSchemas {
  /** The definitions by the names that references have: letters, digits, `_`, `.` and `-`. */
  readonly definitions: ReadonlyMap<string, Json>;
  readonly #names = new Map<string, string>();
  #subschemas = 0;

  constructor(components: readonly (readonly [string, unknown])[]) {
    const read = components.slice(0, MAX_DEFINITIONS);
    const used = new Set<string>();
    for (const [name] of read) {
      const unique = uniqueName(name, used);
      used.add(unique);
      this.#names.set(name, unique);
    }
    const definitions = new Map(read.map(([name, schema]) => [this.#names.get(name) ?? '', this.schemaOf(schema)]));
    this.definitions = withoutCycles(definitions);
  }

  /** Returns a schema of the metadata; `{}`, which any value meets, for one that cannot be read. */
  schemaOf(schema: unknown): Json {
    return this.#read(schema as Json, 0);
  }

  /**
   * Returns the definitions to which a schema refers, directly or by another one.
   * @returns undefined if they have more characters of JSON than a limit
   */
  definitionsFor(schema: Json, limit: number): JsonObject | undefined {
    const found = new Map<string, Json>();
    const pending = referencesIn(schema);
    let length = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const definition = this.definitions.get(name);
      if (definition === undefined || found.has(name)) continue;
      found.set(name, definition);
      length += JSON.stringify(definition).length;
      if (length > limit) return undefined;
      pending.push(...referencesIn(definition));
    }
    return Object.fromEntries(found);
  }

  #read(schema: Json | undefined, depth: number): Json {
    this.#subschemas += 1;
    if (typeof schema === 'boolean') return schema;
    if (!isObject(schema) || depth > MAX_DEPTH || this.#subschemas > MAX_SUBSCHEMAS) return {};
    const below = (inner: Json | undefined): Json => this.#read(inner, depth + 1);
    const { $ref: reference, items } = schema;
    const name = typeof reference === 'string' ? this.#names.get(reference.replace(REFERENCE, '')) : undefined;
    const entries = [
      ...(name === undefined ? [] : [['$ref', DEFINITIONS + name] as const]),
      ...valuesIn(schema),
      ...SCHEMA_KEYWORDS.filter((keyword) => isSchema(ownMember(schema, keyword))).map(
        (keyword) => [keyword, below(schema[keyword])] as const,
      ),
      ...SCHEMA_ARRAYS.map((keyword) => [keyword, listOf(ownMember(schema, keyword)).map(below)] as const),
      // Before 2020-12, a list of items had this form.
      ['prefixItems', listOf(items).map(below)] as const,
      ...SCHEMA_MAPS.map((keyword) => [keyword, mapped(ownMember(schema, keyword), below)] as const),
    ];
    return Object.fromEntries(
      entries.filter(([, value]) => value !== undefined && !(isArray(value) && value.length === 0)),
    ) as JsonObject;
  }
}

/** Returns the keywords of a schema that have no schema in their value. */
function valuesIn(schema: JsonObject): readonly (readonly [string, Json])[] {
  const found = Object.entries(VALUE_KEYWORDS).flatMap(([keyword, test]): readonly (readonly [string, Json])[] => {
    const value = ownMember(schema, keyword);
    return value !== undefined && !isDeeper(value, MAX_DEPTH) && test(value) ? [[keyword, value]] : [];
  });
  const { nullable, type } = schema;
  // OpenAPI 3.0 has this keyword for null.
  return nullable === true && TYPES.has(type) ? [...found, ['type', [type ?? '', 'null']]] : found;
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isArray(value) ? value : [];
}

/** Returns an object of schemas with each one read; undefined for another value. */
function mapped(map: Json | undefined, read: (schema: Json) => Json): JsonObject | undefined {
  if (!isObject(map)) return undefined;
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, read(schema)]));
}

function isSchema(value: Json | undefined): boolean {
  return typeof value === 'boolean' || isObject(value);
}

function ownMember(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns a name that a component of an OpenAPI document can have, and that is not used. */
export function uniqueName(name: string, used: ReadonlySet<string>): string {
  const valid = name.slice(0, 64).replaceAll(/[^A-Za-z0-9._-]/g, '_');
  const base = /^[A-Za-z]/.test(valid) ? valid : `T${valid}`;
  let unique = base;
  for (let number = 2; used.has(unique); number += 1) unique = `${base}_${number}`;
  return unique;
}

/** Returns the names in the references of a schema. Its depth is bounded. */
function referencesIn(schema: Json): string[] {
  return parts(schema).flatMap((part) => {
    const { $ref: reference } = part;
    return typeof reference === 'string' ? [reference.slice(DEFINITIONS.length)] : [];
  });
}

/** Returns a schema and those inside it. */
function parts(
  schema: Json,
  keywords: readonly string[] = [...SCHEMA_KEYWORDS, ...SCHEMA_ARRAYS, 'prefixItems'],
): readonly JsonObject[] {
  if (!isObject(schema)) return [];
  const maps = keywords === IN_PLACE ? [] : SCHEMA_MAPS;
  const inner = [
    ...keywords.flatMap((keyword): readonly Json[] => [ownMember(schema, keyword) ?? true].flat()),
    ...maps.flatMap((keyword) => Object.values((ownMember(schema, keyword) ?? {}) as JsonObject)),
  ];
  return [schema, ...inner.flatMap((each) => parts(each, keywords))];
}

/** Replaces definitions that apply themselves to the same value again: validators and generators would not end. */
function withoutCycles(definitions: ReadonlyMap<string, Json>): ReadonlyMap<string, Json> {
  const applied = new Map(
    [...definitions].map(([name, schema]) => [
      name,
      parts(schema, IN_PLACE).flatMap(({ $ref: reference }) =>
        typeof reference === 'string' ? [reference.slice(DEFINITIONS.length)] : [],
      ),
    ]),
  );
  const isCyclic = (name: string): boolean => {
    const found = new Set<string>();
    const pending = [...(applied.get(name) ?? [])];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (next === name) return true;
      if (found.has(next)) continue;
      found.add(next);
      pending.push(...(applied.get(next) ?? []));
    }
    return false;
  };
  return new Map(
    [...definitions].map(([name, schema]) => [
      name,
      isCyclic(name)
        ? { description: 'The schema in the metadata refers to itself, so that it has no meaning.' }
        : schema,
    ]),
  );
}
