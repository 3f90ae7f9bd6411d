/** How a field may be written. */
export interface FieldSchema {
  readonly type: 'integer' | 'boolean' | 'text' | 'bytes' | MessageSchema;
  /** May stand several times, one behind the other. */
  readonly repeated?: boolean;
  /** Repeated, each element with another value in its field 1. */
  readonly map?: boolean;
  /** Declared as bytes in the `.proto` file, so that an empty message is left out like any empty bytes. */
  readonly embedded?: boolean;
  /** One of several (`oneof`), or part of a map's entry: written even when it has its default value. */
  readonly explicit?: boolean;
}

/** The fields of a message by their numbers. */
export interface MessageSchema {
  readonly name: string;
  readonly fields: ReadonlyMap<number, FieldSchema>;
}

type Fields = Readonly<Record<number, FieldSchema>>;

export const integer: FieldSchema = { type: 'integer' };
export const boolean: FieldSchema = { type: 'boolean' };
export const text: FieldSchema = { type: 'text' };
export const bytes: FieldSchema = { type: 'bytes' };

export function message(name: string, fields: Fields): MessageSchema {
  return { name, fields: new Map(Object.entries(fields).map(([number, field]) => [Number(number), field])) };
}

/** A message field. */
export function one(type: MessageSchema): FieldSchema {
  return { type };
}

/** A bytes field that holds a serialized message. */
export function embedded(type: MessageSchema): FieldSchema {
  return { type, embedded: true };
}

export function many(field: FieldSchema | MessageSchema): FieldSchema {
  return { ...('fields' in field ? one(field) : field), repeated: true };
}

/** A map from text to the value, which is a message with the two. */
export function mapOf(value: FieldSchema): FieldSchema {
  const entry = message('entry', { 1: { ...text, explicit: true }, 2: { ...value, explicit: true } });
  return { type: entry, repeated: true, map: true };
}
