/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json;
}

interface Described {
  /** The title of the schema, or the name of the member. */
  readonly label: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** A field with one value. `json` has a JSON text, for schemas that no other field shows. */
export interface LeafField extends Described {
  readonly kind: 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'date' | 'date-time' | 'json';
  /** The value of the schema's `default`, as the field shows it; empty without one. */
  readonly initial: string;
}
/** A field with one of several values, as JSON texts. */
export interface ChoiceField extends Described {
  readonly kind: 'choice';
  readonly choices: readonly string[];
  readonly initial: string;
}
/** A group of fields. */
export interface ObjectField extends Described {
  readonly kind: 'object';
  readonly members: readonly { readonly name: string; readonly field: FormField }[];
}
/** A list of equal fields. */
export interface ArrayField extends Described {
  readonly kind: 'array';
  readonly item: FormField;
}
/** A field of the form of a schema. */
export type FormField = LeafField | ChoiceField | ObjectField | ArrayField;

/** Deeper schemas, and those after this number of fields, are edited as JSON text. */
const MAX_DEPTH = 6;
const MAX_FIELDS = 200;
const MAX_CHOICES = 200;
/** Longer texts have several lines. */
const LONG_TEXT = 200;
const REFERENCE = '#/$defs/';

/** Where a schema is inside the schema of a type. */
interface Position {
  /** The definitions that contain it: a recursive one would have no end. */
  readonly definitions: readonly string[];
  readonly depth: number;
}

/** Creates the fields of a schema. */
class FormBuilder {
  readonly #definitions: JsonObject;
  #fields = 0;

  constructor(schema: Json) {
    const definitions = isObject(schema) ? schema['$defs'] : undefined;
    this.#definitions = isObject(definitions) ? definitions : {};
  }

  field(
    given: Json,
    name: string,
    isRequired: boolean,
    { definitions, depth }: Position = { definitions: [], depth: 0 },
  ): FormField {
    this.#fields += 1;
    const { schema, inside } = this.#resolve(given, definitions);
    const described = {
      label: textOf(schema, 'title') || name,
      description: textOf(schema, 'description'),
      isRequired,
    };
    const leaf = (kind: LeafField['kind']): LeafField => ({ ...described, kind, initial: initialOf(schema, kind) });
    if (depth > MAX_DEPTH || this.#fields > MAX_FIELDS) return leaf('json');
    const choices = choicesOf(schema);
    if (choices !== undefined)
      return { ...described, kind: 'choice', choices, initial: initialChoice(schema, choices) };
    const below = { definitions: inside, depth: depth + 1 };
    const members = this.#members(schema, below);
    if (members.length > 0) return { ...described, kind: 'object', members };
    const { type, items, prefixItems } = schema;
    if (type === 'array' && isObject(items) && prefixItems === undefined) {
      return { ...described, kind: 'array', item: this.field(items, '', true, below) };
    }
    return leaf(kindOf(schema));
  }

  /** Returns the fields of the members of an object; none for another schema. */
  #members(schema: JsonObject, below: Position): ObjectField['members'] {
    const { type = 'object', properties } = schema;
    if (type !== 'object' || !isObject(properties)) return [];
    const required = requiredOf(schema);
    return memberNames(schema).map((name) => ({
      name,
      field: this.field(properties[name] ?? true, name, required.includes(name), below),
    }));
  }

  /** Replaces a reference by its definition. A recursive or unknown one accepts any JSON, which the API validates. */
  #resolve(given: Json, definitions: readonly string[]): { schema: JsonObject; inside: readonly string[] } {
    const schema = isObject(given) ? given : {};
    const name = referenceOf(schema);
    if (name === undefined) return { schema, inside: definitions };
    const target = member(this.#definitions, name);
    if (definitions.includes(name) || !isObject(target)) return { schema: {}, inside: definitions };
    const siblings = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$ref'));
    return this.#resolve({ ...target, ...siblings }, [...definitions, name]);
  }
}

/** Returns the form of a schema; a single field of JSON text for a schema without members. */
export function formOf(schema: Json): FormField {
  return new FormBuilder(schema).field(schema, '', true);
}

/** Returns whether a value is an object. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own member of an object: a document may have one with the name of an inherited one. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Returns the names of the members that a schema names. A schema is stored with its members sorted, but `required` has the order in
 * which it was written, and comes first.
 */
export function memberNames(schema: Json): readonly string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  if (!isObject(properties)) return [];
  const required = requiredOf(schema).filter((name) => Object.hasOwn(properties, name));
  return [...new Set([...required, ...Object.keys(properties)])];
}

function requiredOf(schema: Json): readonly string[] {
  const required = isObject(schema) ? schema['required'] : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function referenceOf({ $ref: reference }: JsonObject): string | undefined {
  if (typeof reference !== 'string' || !reference.startsWith(REFERENCE)) return undefined;
  return reference.slice(REFERENCE.length).replaceAll('~1', '/').replaceAll('~0', '~');
}

function textOf(schema: JsonObject, keyword: 'title' | 'description'): string {
  const text = schema[keyword];
  return typeof text === 'string' ? text : '';
}

function choicesOf({ const: only, enum: values }: JsonObject): readonly string[] | undefined {
  const choices = only === undefined ? values : [only];
  if (!Array.isArray(choices) || choices.length === 0 || choices.length > MAX_CHOICES) return undefined;
  return choices.map((choice) => JSON.stringify(choice));
}

function kindOf({ type = '', format, maxLength }: JsonObject): LeafField['kind'] {
  if (type === 'number' || type === 'integer' || type === 'boolean') return type;
  if (type !== 'string') return 'json';
  if (format === 'date' || format === 'date-time') return format;
  return typeof maxLength === 'number' && maxLength > LONG_TEXT ? 'long-text' : 'text';
}

function initialChoice(schema: JsonObject, choices: readonly string[]): string {
  const text = JSON.stringify(schema['default'] ?? schema['const']);
  return choices.includes(text) ? text : '';
}

function initialOf({ default: value }: JsonObject, kind: LeafField['kind']): string {
  if (value === undefined) return '';
  if (kind === 'json') return JSON.stringify(value, null, 2);
  if (kind === 'number' || kind === 'integer') return typeof value === 'number' ? String(value) : '';
  if (kind === 'boolean') return typeof value === 'boolean' ? String(value) : '';
  return typeof value === 'string' ? value : '';
}
