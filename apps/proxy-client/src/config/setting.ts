import { advice, FaultList, type ConfigLocation } from './config-faults.js';

/** A JSON schema (draft 07) of a value as it is written in a configuration file; only the keywords that settings need. */
export interface JsonSchema {
  /** The name of the type in the library. */
  readonly title?: string;
  /** One line of meaning. */
  readonly description?: string;
  /** The meaning of a type with a title. */
  readonly $comment?: string;
  /** As written in a file. */
  readonly default?: string | number | boolean | readonly unknown[];
  readonly type?: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly enum?: readonly (string | number | boolean)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | false;
  readonly anyOf?: readonly JsonSchema[];
}

type Read<T> = (value: unknown, location: ConfigLocation) => T | undefined;

/**
 * Validates a value of a configuration file and converts it. Reports a fault at the location and returns undefined if the value
 * is invalid. Faults never contain the value. `json` describes the values that it accepts.
 */
export type ValueReader<T> = Read<T> & { readonly json: JsonSchema };

/** The reader of a key with a default. */
export type Defaulted<T> = ValueReader<T> & { readonly default: T };

/** The readers of an object's keys. */
export type Shape = Readonly<Record<string, ValueReader<unknown>>>;

/** The result of {@link object}: absent and invalid keys are missing. */
export type ReadKeys<S extends Shape> = { readonly [K in keyof S]?: NonNullable<ReturnType<S[K]>> };

/** The reader of a group of keys. */
export type GroupReader<S extends Shape, R extends keyof S = never> = ValueReader<
  ReadKeys<S> & Required<Pick<ReadKeys<S>, R>>
> & { readonly shape: S };

/** The defaults of those keys that have one. */
export type Defaults<S extends Shape> = {
  readonly [K in keyof S as S[K] extends Defaulted<unknown> ? K : never]: S[K] extends Defaulted<infer T> ? T : never;
};

/** Creates a reader from its schema and its function. */
export function setting<T>(json: JsonSchema, read: Read<T>): ValueReader<T> {
  return withProperties(read, { json });
}

/**
 * Returns a reader with further conditions, or another result, for the same values.
 *
 * @param convert - called with a valid value; reports faults like a reader
 */
export function refine<T, U>(
  reader: ValueReader<T>,
  convert: (read: T, location: ConfigLocation, value: unknown) => U | undefined,
): ValueReader<U> {
  return setting(reader.json, (value, location) => {
    const read = reader(value, location);
    return read === undefined ? undefined : convert(read, location, value);
  });
}

/**
 * Declares a key: its values, its meaning and its default. The library's types, the JSON schema and the tables of the documentation are
 * generated from it (`npm run proxy-config`).
 *
 * @param meaning - one line, without the default
 * @param written - the default as written in a file; absent: the key has none
 */
export function key<R extends ValueReader<unknown>>(reader: R, meaning: string): R;
export function key<R extends ValueReader<unknown>>(
  reader: R,
  meaning: string,
  written: JsonSchema['default'],
): R & { readonly default: NonNullable<ReturnType<R>> };
export function key<R extends ValueReader<unknown>>(reader: R, meaning: string, written?: JsonSchema['default']): R {
  const json = { ...reader.json, description: meaning };
  if (written === undefined) return withProperties(reader, { json });
  const faults = new FaultList();
  const read = reader(written, faults.at('default'));
  if (faults.faults.length > 0) throw new Error(`The default of "${meaning}" is invalid.`);
  return withProperties(reader, { json: { ...json, default: written }, default: read });
}

/**
 * Names the values of a reader, as a type of the library.
 *
 * @param meaning - the comment of the type
 */
export function titled<R extends ValueReader<unknown>>(title: string, meaning: string, reader: R): R {
  return withProperties(reader, { json: { ...reader.json, title, $comment: meaning } });
}

/** Returns a copy of a function with its properties and further ones. */
function withProperties<F extends Read<unknown>, P extends object>(read: F, properties: P): F & P {
  return Object.assign((value: unknown, location: ConfigLocation) => read(value, location), read, properties);
}

/** Reads a group of keys, some of which are required. Unknown keys are faults. */
export function object<S extends Shape, R extends keyof S & string = never>(
  shape: S,
  ...required: readonly R[]
): GroupReader<S, R> {
  type Result = ReadKeys<S> & Required<Pick<ReadKeys<S>, R>>;
  const properties = Object.fromEntries(Object.entries(shape).map(([name, { json }]) => [name, json]));
  const json: JsonSchema = {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const read: Read<Result> = (value, location) => {
    if (!(value instanceof Map)) {
      location.report(`must be a group of keys (${Object.keys(shape).join(', ')})${kindOf(value)}`);
      return undefined;
    }
    const fields: Record<string, unknown> = {};
    for (const [name, entry] of value as Map<string, unknown>) {
      const reader = Object.hasOwn(shape, name) ? shape[name] : undefined;
      if (reader === undefined) location.report(unknownKey(name, Object.keys(shape)));
      const field = reader?.(entry, location.child(name));
      if (field !== undefined) fields[name] = field;
    }
    for (const name of required) if (!value.has(name)) location.child(name).report('is missing');
    return required.some((name) => fields[name] === undefined) ? undefined : (fields as Result);
  };
  return withProperties(read, { json, shape });
}

/** Returns the defaults of a group's keys. */
export function defaultsOf<S extends Shape>({ shape }: { readonly shape: S }): Defaults<S> {
  const defaulted = Object.entries(shape).filter(
    (entry): entry is [string, Defaulted<unknown>] => 'default' in entry[1],
  );
  return Object.fromEntries(defaulted.map(([name, reader]) => [name, reader.default])) as Defaults<S>;
}

/**
 * Reads a list with one reader for its items; invalid items are reported individually.
 *
 * @param whenEmpty - why an empty list is a fault; absent: it is none
 */
export function listOf<T>(item: ValueReader<T>, whenEmpty?: string): ValueReader<readonly T[]> {
  const json: JsonSchema = { type: 'array', items: item.json, ...(whenEmpty !== undefined && { minItems: 1 }) };
  return setting(json, (value, location) => {
    if (!Array.isArray(value)) {
      location.report(`must be a list${kindOf(value)}`);
      return undefined;
    }
    if (value.length === 0 && whenEmpty !== undefined) location.report(`is an empty list: ${whenEmpty}`);
    return value.flatMap((entry: unknown, index) => item(entry, location.child(`[${index}]`)) ?? []);
  });
}

/** Returns a reader that also accepts `off`. */
export function orOff<T>(reader: ValueReader<T>): ValueReader<T | 'off'> {
  return setting({ anyOf: [{ enum: ['off', false] }, reader.json] }, (value, location) =>
    value === 'off' || value === false ? 'off' : reader(value, location),
  );
}

/** Describes the kind of an invalid value, without the value itself. */
export function kindOf(value: unknown): string {
  if (value === null || value === '') return ', but is empty';
  if (Array.isArray(value)) return ', but is a list';
  if (value instanceof Map) return ', but is a group of keys';
  return typeof value === 'boolean' ? ', but is true or false' : '';
}

/** Quotes the key only if it looks like one: it may be a misplaced value. */
export function unknownKey(name: unknown, known: readonly string[]): string {
  const isKey = typeof name === 'string' && /^[A-Za-z][\w-]{0,30}$/.test(name);
  return isKey ? `unknown key "${name}"; ${advice(name, known)}` : `unknown key; known are ${known.join(', ')}`;
}

/** Returns whether a value is a group with this key, whatever its value. */
export function hasKey(value: unknown, name: string): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map && value.has(name);
}
