/** The type of a field's value in its wire form. A message that contains itself is named by a function. */
export type FieldType = 'integer' | 'boolean' | 'text' | 'bytes' | MessageSchema | (() => MessageSchema);

/** A field of a message: its number, how it is written and checked, and how the JSON form shows it. */
export interface FieldSchema<T = unknown> {
  /** Undefined for the number after that of the previous field. */
  readonly number?: number;
  readonly type: FieldType;
  readonly repeated?: boolean;
  /** The values of a map, which is repeated: each element is a message of key and value, with different keys. */
  readonly map?: FieldSchema;
  /** The message that the bytes contain. It may be omitted when it is empty, as any empty bytes. */
  readonly embedded?: MessageSchema;
  /**
   * The message that bytes contain, which depends on the message around them and, within a map, on its key. Bytes that cannot
   * be decoded as that are shown as base64. The canonical check does not look into them.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the schema around a field is not known while it is made
  readonly holds?: (message: any, key: string) => MessageSchema | undefined;
  /** One of several (`oneof`), or part of a map's entry: written even when it has its default value. */
  readonly explicit?: boolean;
  /** The field's name in its `.proto` file, where the decoded message has another one. */
  readonly protoName?: string;
  /** Names of an enum's numbers; a number without a name is shown as `UNKNOWN_<number>`. */
  readonly names?: Readonly<Record<string, number>>;
  /** Shows bytes as text where they are UTF-8, and adds a field `…_encoding` that distinguishes text from base64. */
  readonly textual?: boolean;
  /** Shows an empty embedded message as null. */
  readonly nullable?: boolean;
  /** Carries the type of the decoded value; never set. */
  readonly decoded?: T;
}

/** A field and its name. */
export type NamedField = readonly [name: string, field: FieldSchema & { readonly number: number }];

/** A message of Fabric by the field names of its `.proto` file, in camel case. */
export interface MessageSchema<T = unknown> {
  /** In the order of their numbers. */
  readonly fields: readonly NamedField[];
  readonly byNumber: readonly (NamedField | undefined)[];
  /** The field of a `oneof` that the JSON form omits. */
  unset?(message: T): string;
  /** Carries the type of the decoded message; never set. */
  readonly decoded?: T;
}

/** The result of `decodeMessage` for a schema. */
export type Decoded<S> = S extends MessageSchema<infer T> ? T : never;

type Fields = Readonly<Record<string, FieldSchema>>;
type MessageOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends FieldSchema<infer T> ? T : never };

/** Declares a message. Its fields are numbered from 1 in their order, except where a field has its own number. */
export function message<F extends Fields>(
  fields: F,
  unset?: (message: MessageOf<F>) => string,
): MessageSchema<MessageOf<F>> {
  let previous = 0;
  const byNumber: (NamedField | undefined)[] = [];
  const named = Object.entries(fields).map(([name, field]): NamedField => {
    previous = field.number ?? previous + 1;
    return (byNumber[previous] = [name, { ...field, number: previous }]);
  });
  return { fields: named, byNumber, ...(unset && { unset }) };
}

/** An integer of any of protobuf's varint types. */
export const integer: FieldSchema<number> = { type: 'integer' };
export const boolean: FieldSchema<boolean> = { type: 'boolean' };
export const text: FieldSchema<string> = { type: 'text' };
export const bytes: FieldSchema<Uint8Array> = { type: 'bytes' };
/** Bytes that are shown as text where they are UTF-8. */
export const textualBytes: FieldSchema<Uint8Array> = { type: 'bytes', textual: true };

/** Declares an integer whose values have names. */
export function enumeration(names: Readonly<Record<string, number>>): FieldSchema<number> {
  return { type: 'integer', names };
}

/** Declares bytes that contain a message which depends on the message around them. */
export function bytesOf(holds: NonNullable<FieldSchema['holds']>): FieldSchema<Uint8Array> {
  return { type: 'bytes', holds };
}

/** Declares bytes that contain the message which belongs to the value of another field. */
export function bytesBy(field: string, schemas: Readonly<Record<string, MessageSchema>>): FieldSchema<Uint8Array> {
  const byValue = new Map(Object.entries(schemas));
  return bytesOf((message: Readonly<Record<string, unknown>>) => byValue.get(String(message[field])));
}

/** Declares bytes that contain a serialized message. Their reader decodes them, so that no more is decoded than is read. */
export function embedded(type: MessageSchema): FieldSchema<Uint8Array> {
  return { type: 'bytes', embedded: type };
}

/** Declares a message field; its value is undefined when it is absent. */
export function one<T>(type: MessageSchema<T> | (() => MessageSchema<T>)): FieldSchema<T | undefined> {
  return { type };
}

/** Declares a repeated field of messages or scalars. */
export function many<T>(element: MessageSchema<T> | FieldSchema<T>): FieldSchema<readonly T[]> {
  return { ...fieldOf(element), repeated: true } as FieldSchema<readonly T[]>;
}

/** Declares a map from text to messages or scalars. */
export function mapOf<T>(
  value: MessageSchema<T> | FieldSchema<T> | (() => MessageSchema<T>),
): FieldSchema<ReadonlyMap<string, T>> {
  const map = { ...fieldOf(value), explicit: true };
  return { type: message({ key: { ...text, explicit: true }, value: map }), repeated: true, map };
}

function fieldOf(type: MessageSchema | FieldSchema | (() => MessageSchema)): FieldSchema {
  return 'type' in type ? type : { type };
}

/** Returns the message in a field, undefined for another type. */
export function messageOf({ type }: FieldSchema): MessageSchema | undefined {
  if (typeof type === 'string') return undefined;
  return typeof type === 'function' ? type() : type;
}
