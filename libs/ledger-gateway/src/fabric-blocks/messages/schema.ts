/** The type of a field's value in its wire form. A message that contains itself is named by a function. */
export type FieldType = 'integer' | 'boolean' | 'text' | 'bytes' | MessageSchema | (() => MessageSchema);

/** How the JSON form shows a field that is not shown by its type alone. */
export interface FieldView {
  /** The field's name in its `.proto` file, where the decoded message has another one. */
  readonly protoName?: string;
  /** Names of an enum's numbers; a number without a name is shown as `UNKNOWN_<number>`. */
  readonly names?: Readonly<Record<string, number>>;
  /** Shows bytes as text where they are UTF-8, and adds a field `…_encoding` that distinguishes text from base64. */
  readonly textual?: boolean;
  /** Shows an empty embedded message as null. */
  readonly nullable?: boolean;
  /** Leaves the field out of the JSON form. */
  readonly hidden?: boolean;
  /**
   * The message that bytes contain, which depends on the message around them and, within a map, on its key. Bytes that cannot
   * be decoded as that are shown as base64. The canonical check does not look into them.
   */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the schema around a field is not known while it is made
  readonly holds?: (message: any, key: string) => MessageSchema | undefined;
}

/** A field of a message: its number, and how it is written, checked and shown. */
export interface FieldSchema<T = unknown> {
  readonly number: number;
  readonly type: FieldType;
  readonly repeated?: boolean;
  /** The values of a map, which is repeated: each element is a message of key and value, with different keys. */
  readonly map?: FieldSchema;
  /** The message that the bytes contain. It may be left out when it is empty, as any empty bytes. */
  readonly embedded?: MessageSchema;
  /** One of several (`oneof`), or part of a map's entry: written even when it has its default value. */
  readonly explicit?: boolean;
  readonly view?: FieldView | undefined;
  /** Carries the type of the decoded value; never set. */
  readonly decoded?: T;
}

/** A field and its name. */
export type NamedField = readonly [name: string, field: FieldSchema];

/** A message of Fabric by the names that its `.proto` file gives its fields, in camel case. */
export interface MessageSchema<T = unknown> {
  readonly name: string;
  /** In the order of their numbers. */
  readonly fields: readonly NamedField[];
  readonly byNumber: readonly (NamedField | undefined)[];
  /** The field of a `oneof` that the JSON form leaves out. */
  unset?(message: T): string;
  /** Carries the type of the decoded message; never set. */
  readonly decoded?: T;
}

/** The result of `decodeMessage` for a schema. */
export type Decoded<S> = S extends MessageSchema<infer T> ? T : never;

type Fields = Readonly<Record<string, FieldSchema>>;
type MessageOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends FieldSchema<infer T> ? T : never };

/** Declares a message. */
export function message<F extends Fields>(
  name: string,
  fields: F,
  unset?: (message: MessageOf<F>) => string,
): MessageSchema<MessageOf<F>> {
  const entries = Object.entries(fields);
  const byNumber: (NamedField | undefined)[] = [];
  for (const entry of entries) byNumber[entry[1].number] = entry;
  return { name, fields: entries, byNumber, ...(unset && { unset }) };
}

/** Declares an integer field of any of protobuf's varint types. */
export function integer(number: number, view?: FieldView): FieldSchema<number> {
  return { number, type: 'integer', view };
}

export function boolean(number: number): FieldSchema<boolean> {
  return { number, type: 'boolean' };
}

export function text(number: number): FieldSchema<string> {
  return { number, type: 'text' };
}

export function bytes(number: number, view?: FieldView): FieldSchema<Uint8Array> {
  return { number, type: 'bytes', view };
}

/** Declares a message field; its value is undefined when it is absent. */
export function one<T>(number: number, type: MessageSchema<T> | (() => MessageSchema<T>)): FieldSchema<T | undefined> {
  return { number, type };
}

/** Declares a bytes field that contains a serialized message. Its reader decodes it, so that no more is decoded than is read. */
export function embedded(number: number, type: MessageSchema, view?: FieldView): FieldSchema<Uint8Array> {
  return { number, type: 'bytes', embedded: type, view };
}

/** Declares a repeated field. */
export function many<T>(field: FieldSchema<T>): FieldSchema<readonly NonNullable<T>[]> {
  return { ...field, repeated: true } as FieldSchema<readonly NonNullable<T>[]>;
}

/** Declares a map from text to the values of a field. */
export function mapOf<T>(number: number, value: FieldSchema<T>): FieldSchema<ReadonlyMap<string, NonNullable<T>>> {
  const key = { ...text(1), explicit: true };
  return { number, type: message('entry', { key, value: { ...value, explicit: true } }), repeated: true, map: value };
}

/** Returns the message in a field, undefined for another type. */
export function messageOf({ type }: FieldSchema): MessageSchema | undefined {
  if (typeof type === 'string') return undefined;
  return typeof type === 'function' ? type() : type;
}
