import { Buffer, isUtf8 } from 'node:buffer';
import { attempt, decodeMessage } from './decode-message.js';
import { Timestamp } from './fabric-messages.js';
import { messageOf, type Decoded, type FieldSchema, type MessageSchema } from './schema.js';
import { base64, encodedText, enumName, timestampText } from './text.js';

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A decoded message with the field names of Fabric's configtxlator. */
export type JsonObject = Readonly<Record<string, JsonValue>>;

const PEM = Buffer.from('-----BEGIN');

/**
 * Returns a decoded message as JSON with the field names of its `.proto` file, as Fabric's configtxlator writes them: bytes as
 * base64, certificates as PEM, absent messages as null, messages within bytes decoded.
 * @throws RangeError where bytes that must contain a message do not
 */
export function messageJson<T>(schema: MessageSchema<T>, message: T): JsonObject {
  return objectJson(schema, message as Record<string, unknown>, '');
}

/** A field as it is about to be shown. */
interface ShownField {
  readonly field: FieldSchema;
  /** The message around it. */
  readonly message: Readonly<Record<string, unknown>>;
  /** The key of that message in its map. */
  readonly key: string;
}

function objectJson(schema: MessageSchema, message: Readonly<Record<string, unknown>>, key: string): JsonObject {
  const unset = schema.unset?.(message);
  const json: Record<string, JsonValue> = {};
  for (const [name, field] of schema.fields) {
    if (name === unset) continue;
    const value = message[name];
    const shownName = field.protoName ?? snakeCase(name);
    json[shownName] = fieldJson(value, { field, message, key });
    if (field.textual === true) json[`${shownName}_encoding`] = encodingJson(value);
  }
  return json;
}

function fieldJson(value: unknown, shown: ShownField): JsonValue {
  const { map, repeated } = shown.field;
  if (map !== undefined) {
    const entries = [...(value as ReadonlyMap<string, unknown>)];
    return Object.fromEntries(entries.map(([key, it]) => [key, elementJson(it, { ...shown, field: map, key })]));
  }
  if (repeated === true) return (value as readonly unknown[]).map((element) => elementJson(element, shown));
  return elementJson(value, shown);
}

function elementJson(value: unknown, { field, message, key }: ShownField): JsonValue {
  const { type, names } = field;
  if (names !== undefined) return enumName(names, value as number);
  if (type === 'bytes') return bytesJson(value as Uint8Array, { field, message, key });
  const schema = messageOf(field);
  if (schema === undefined) return value as string | number | boolean;
  // An absent timestamp is the empty text.
  if (schema === Timestamp) return timestampText(value as Decoded<typeof Timestamp> | undefined);
  return value === undefined ? null : objectJson(schema, value as Record<string, unknown>, key);
}

function bytesJson(
  bytes: Uint8Array,
  { field: { textual, nullable, embedded, holds }, message, key }: ShownField,
): JsonValue {
  if (textual === true) return encodedText(bytes).text;
  if (nullable === true && bytes.length === 0) return null;
  if (embedded !== undefined) return decodedJson(embedded, bytes, key);
  // A peer records transactions even if they are malformed, with a validation code that reports it.
  const content = attempt(() => {
    const schema = holds?.(message, key);
    return schema && decodedJson(schema, bytes, key);
  });
  if (content !== undefined) return content;
  const isPem = Buffer.compare(bytes.subarray(0, PEM.length), PEM) === 0 && isUtf8(bytes);
  return isPem ? Buffer.from(bytes).toString() : base64(bytes);
}

function decodedJson(schema: MessageSchema, bytes: Uint8Array, key: string): JsonObject {
  return objectJson(schema, decodeMessage(schema, bytes) as Record<string, unknown>, key);
}

/** The encodings of a textual field, one for each element where it is repeated. */
function encodingJson(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map((element: Uint8Array) => encodedText(element).encoding);
  return encodedText(value as Uint8Array).encoding;
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
