import { Buffer, isUtf8 } from 'node:buffer';
import { messageOf, type FieldSchema, type MessageSchema, type NamedField } from './schema.js';

/** How the content of a field is delimited. Fabric uses no groups, which are 3 and 4. */
const WireType = { VARINT: 0, FIXED_64: 1, LENGTH_DELIMITED: 2, FIXED_32: 5 } as const;
const MAX_VARINT_BYTES = 10;
/** Limit of nested messages; Fabric nests about ten. */
const MAX_DEPTH = 100;
const NOTHING = new Uint8Array();

/** How strict the check of the canonical form is. */
export interface CanonicalForm {
  /** Allows scalars that are written although they have their default value, as some client libraries do. */
  readonly allowDefaults: boolean;
}

/**
 * Decodes a serialized message into an object with one property per field: an absent field has its default value, an absent message
 * is undefined, bytes are views of the input. As in Go, unknown fields are skipped and of a repeated single field the last one counts.
 * @throws RangeError when the bytes are not such a message
 */
export function decodeMessage<T>(schema: MessageSchema<T>, bytes: Uint8Array): T {
  return new MessageReader(bytes).message(schema, bytes.length) as T;
}

/**
 * Checks that bytes are the one canonical form of a message, so that encoding the decoded message returns the same bytes: known
 * fields in the order of their numbers, each once unless it is repeated, the shortest varints, nothing after the last field
 * (Protocol Buffers encoding, "Message Structure"). Entries of a map may be in any order, because Go writes them so. Messages
 * that are embedded in bytes are checked too.
 * @returns the error and its place, or undefined
 */
export function canonicalFault(bytes: Uint8Array, schema: MessageSchema, form: CanonicalForm): string | undefined {
  try {
    new MessageReader(bytes, form).message(schema, bytes.length);
    return undefined;
  } catch (error) {
    return (error as RangeError).message;
  }
}

/** Reads one serialized message, nested messages included, from its first byte to its last. */
class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #text: Buffer;
  /** Undefined to accept other forms than the canonical one. */
  readonly #form: CanonicalForm | undefined;
  /** The names of the fields around the offset; empty before the head of a field was read. */
  readonly #path: string[] = [];
  #offset = 0;

  constructor(bytes: Uint8Array, form?: CanonicalForm) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#form = form;
  }

  message(schema: MessageSchema, end: number): Record<string, unknown> {
    const depth = this.#path.push('') - 1;
    if (depth > MAX_DEPTH) throw this.#fault('nested too deep');
    const values = emptyMessage(schema);
    let previous = 0;
    while (this.#offset < end) {
      this.#path[depth] = '';
      const tag = this.#varint(end);
      if (tag < 8) throw this.#fault('no field begins here');
      const number = Math.floor(tag / 8);
      const named = schema.byNumber[number];
      this.#path[depth] = named?.[0] ?? '';
      if (named === undefined || tag % 8 !== wireTypeOf(named[1])) this.#skip(tag, named, end);
      else {
        if (this.#form !== undefined) this.#checkOrder(named[1], previous);
        this.#field(values, named, end);
      }
      previous = number;
    }
    this.#path.pop();
    return values;
  }

  #field(values: Record<string, unknown>, [name, field]: NamedField, end: number): void {
    const value = this.#value(field, end);
    if (field.map !== undefined) {
      const { key, value: content } = value as { readonly key: string; readonly value: unknown };
      const map = values[name] as Map<string, unknown>;
      if (this.#form !== undefined && map.has(key)) throw this.#fault('the map has a key twice');
      // An entry of messages without a value is the empty message.
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- Values of other types have their default.
      map.set(key, content ?? emptyMessage(messageOf(field.map)!));
    } else if (field.repeated === true) (values[name] as unknown[]).push(value);
    else values[name] = value;
  }

  #value(field: FieldSchema, limit: number): unknown {
    const value = this.#varint(limit);
    if (value === 0 && this.#form?.allowDefaults === false) this.#checkDefault(field);
    if (field.type === 'integer') return value;
    if (field.type !== 'boolean') return this.#content(field, this.#endAfter(value, limit));
    if (value > 1 && this.#form !== undefined) throw this.#fault('no boolean');
    return value !== 0;
  }

  #content(field: FieldSchema, end: number): unknown {
    const start = this.#offset;
    const content = messageOf(field);
    if (content !== undefined) return this.message(content, end);
    if (this.#form !== undefined) this.#checkContent(field, end);
    this.#offset = end;
    return field.type === 'text' ? this.#text.toString('utf8', start, end) : this.#bytes.subarray(start, end);
  }

  #checkOrder({ number, repeated }: NamedField[1], previous: number): void {
    if (number < previous) throw this.#fault('fields are out of order');
    if (number === previous && repeated !== true) throw this.#fault('the field appears twice');
  }

  /** A message that is present is not the default, even if it is empty. */
  #checkDefault(field: FieldSchema): void {
    if (field.repeated === true || field.explicit === true || messageOf(field) !== undefined) return;
    throw this.#fault('a default value is written out');
  }

  #checkContent({ type, embedded }: FieldSchema, end: number): void {
    if (embedded !== undefined) this.message(embedded, end);
    if (type === 'text' && !isUtf8(this.#bytes.subarray(this.#offset, end))) throw this.#fault('text is not UTF-8');
  }

  #skip(tag: number, known: NamedField | undefined, end: number): void {
    const wireType = tag % 8;
    if (this.#form !== undefined) {
      throw this.#fault(known === undefined ? `unknown field ${(tag - wireType) / 8}` : 'wrong wire type');
    }
    if (wireType === WireType.VARINT) this.#varint(end);
    else if (wireType === WireType.FIXED_64) this.#offset = this.#endAfter(8, end);
    else if (wireType === WireType.FIXED_32) this.#offset = this.#endAfter(4, end);
    else if (wireType === WireType.LENGTH_DELIMITED) this.#offset = this.#endAfter(this.#varint(end), end);
    else throw this.#fault('a group, which Fabric does not use');
  }

  /** Returns the offset after content of that length, which a varint can make negative. */
  #endAfter(length: number, limit: number): number {
    const end = this.#offset + length;
    if (length < 0 || end > limit) throw this.#fault('a field is cut off');
    return end;
  }

  /** Reads a varint as a signed 64-bit number, rounded beyond 2^53. */
  #varint(end: number): number {
    let value = 0;
    let complement = 0;
    let factor = 1;
    for (let index = 1; index < MAX_VARINT_BYTES; index++) {
      const byte = this.#byte(end);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (byte === 0 && index > 1) this.#checkShortest();
        return value;
      }
      complement += (~byte & 0x7f) * factor;
      factor *= 0x80;
    }
    // The tenth byte holds the sign alone.
    const last = this.#byte(end);
    if (last > 1) throw this.#fault('a number is too large');
    if (last === 0) this.#checkShortest();
    return last === 1 ? -complement - 1 : value;
  }

  #byte(end: number): number {
    const byte = this.#offset < end ? this.#bytes[this.#offset++] : undefined;
    if (byte === undefined) throw this.#fault('a number is cut off');
    return byte;
  }

  #checkShortest(): void {
    if (this.#form !== undefined) throw this.#fault('a number is not in its shortest form');
  }

  #fault(what: string): RangeError {
    const path = this.#path.filter((name) => name !== '').join('.');
    return new RangeError(path === '' ? what : `${path}: ${what}`);
  }
}

/** Returns the wire type of a field's elements. */
function wireTypeOf({ type }: FieldSchema): number {
  return type === 'integer' || type === 'boolean' ? WireType.VARINT : WireType.LENGTH_DELIMITED;
}

function emptyMessage(schema: MessageSchema): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of schema.fields) values[name] = defaultOf(field);
  return values;
}

function defaultOf({ type, map, repeated }: FieldSchema): unknown {
  if (map !== undefined) return new Map();
  if (repeated === true) return [];
  switch (type) {
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'text':
      return '';
    case 'bytes':
      return NOTHING;
    default:
      return undefined;
  }
}

/** An error about bytes that are not the message they should be. It has the properties of the port's errors. */
export class DecodingError extends Error {
  override readonly name = 'DecodingError';
  readonly code = 'LEDGER.DAMAGED';
  readonly retryable = false;
  readonly transactionId = undefined;
  readonly endpoint = undefined;
}

/**
 * Runs a decoder and wraps its errors in one that a user understands.
 * @throws {@link DecodingError}, naming the message that the bytes are not
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new DecodingError(`The bytes are not a ${what} of Hyperledger Fabric.`, { cause: error });
  }
}

/** Returns the result of a function, or undefined where it throws. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
