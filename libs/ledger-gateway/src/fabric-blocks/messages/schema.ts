/** The type of a field's value in its wire form. */
export type FieldType = 'integer' | 'boolean' | 'text' | 'bytes' | (() => MessageSchema);

/** How the JSON form shows a field that is not shown by its type alone. */
export interface FieldView {
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
  /** Repeated, each element a message of key and value, with different keys. */
  readonly map?: boolean;
  /** The message that the bytes contain. It may be left out when it is empty, as any empty bytes. */
  readonly embedded?: MessageSchema;
  /** One of several (`oneof`), or part of a map's entry: written even when it has its default value. */
  readonly explicit?: boolean;
  readonly view?: FieldView;
  /** Carries the type of the decoded value; never set. */
  readonly decoded?: T;
}

/** A message of Fabric by the names that its `.proto` file gives its fields, in camel case. */
export interface MessageSchema<T = unknown> {
  readonly name: string;
  /** The fields and their names, in the order of their numbers. */
  readonly fields: readonly (readonly [name: string, field: FieldSchema])[];
  readonly byNumber: readonly (readonly [name: string, field: FieldSchema] | undefined)[];
  /** The field of a `oneof` that the JSON form leaves out. */
  unset?(message: T): string;
  /** Carries the type of the decoded message; never set. */
  readonly decoded?: T;
}

/** What `decodeMessage` returns for a schema. */
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
  const byNumber: MessageSchema['byNumber'][number][] = [];
  for (const entry of entries) byNumber[entry[1].number] = entry;
  return { name, fields: entries, byNumber, ...(unset && { unset }) };
}

/** An integer field of any of protobuf's varint types. */
export function integer(number: number, view?: FieldView): FieldSchema<number> {
  return { number, type: 'integer', ...(view && { view }) };
}

export function boolean(number: number): FieldSchema<boolean> {
  return { number, type: 'boolean' };
}

export function text(number: number): FieldSchema<string> {
  return { number, type: 'text' };
}

export function bytes(number: number, view?: FieldView): FieldSchema<Uint8Array> {
  return { number, type: 'bytes', ...(view && { view }) };
}

/** A message field; undefined when it is absent. */
export function one<T>(number: number, type: () => MessageSchema<T>): FieldSchema<T | undefined> {
  return { number, type };
}

/** A bytes field that contains a serialized message. It is decoded by its reader, so that no more is decoded than is read. */
export function embedded(number: number, type: MessageSchema, view?: FieldView): FieldSchema<Uint8Array> {
  return { number, type: 'bytes', embedded: type, ...(view && { view }) };
}

/** A repeated field. */
export function many<T>(field: FieldSchema<T>): FieldSchema<readonly NonNullable<T>[]> {
  return { ...field, repeated: true } as FieldSchema<readonly NonNullable<T>[]>;
}

/** A map from text to the values of a field. */
export function mapOf<T>(number: number, value: FieldSchema<T>): FieldSchema<ReadonlyMap<string, NonNullable<T>>> {
  const entry = message('entry', {
    key: { ...text(1), explicit: true },
    value: { ...value, number: 2, explicit: true },
  });
  return { number, type: () => entry, repeated: true, map: true };
}
