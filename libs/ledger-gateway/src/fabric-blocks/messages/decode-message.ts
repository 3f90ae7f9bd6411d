import { Buffer } from 'node:buffer';
import { LedgerError } from '../../errors/ledger.errors.js';
import type { FieldSchema, MessageSchema } from './schema.js';

/** How the content of a field is delimited. Fabric uses no groups, which are 3 and 4. */
export const WireType = { VARINT: 0, FIXED_64: 1, LENGTH_DELIMITED: 2, FIXED_32: 5 } as const;
export const MAX_VARINT_BYTES = 10;
/** Limit of nested messages; Fabric nests about ten. */
export const MAX_DEPTH = 100;
const NOTHING = new Uint8Array();

/**
 * Decodes a serialized message into an object with one property per field: an absent field has its default value, an absent message
 * is undefined, bytes are views of the input. As in Go, unknown fields are skipped and of a repeated single field the last one counts.
 * @throws RangeError when the bytes are not such a message
 */
export function decodeMessage<T>(schema: MessageSchema<T>, bytes: Uint8Array): T {
  return new MessageReader(bytes).message(schema, bytes.length, 0) as T;
}

/** Reads one serialized message, nested messages included, from its first byte to its last. */
class MessageReader {
  readonly #bytes: Uint8Array;
  readonly #text: Buffer;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message(schema: MessageSchema, end: number, depth: number): object {
    if (depth > MAX_DEPTH) throw new RangeError('messages are nested too deep');
    const values = emptyMessage(schema);
    while (this.#offset < end) {
      const tag = this.#varint();
      if (tag < 8) throw new RangeError('no field begins here');
      const wireType = tag % 8;
      const entry = schema.byNumber[Math.floor(tag / 8)];
      if (entry !== undefined && wireType === wireTypeOf(entry[1])) this.#field(values, entry, depth);
      else this.#skip(wireType);
      if (this.#offset > end) throw new RangeError('a field is cut off');
    }
    return values;
  }

  #field(values: Record<string, unknown>, [name, field]: readonly [string, FieldSchema], depth: number): void {
    const value = this.#value(field, depth);
    if (field.map === true) {
      const { key, value: content } = value as { readonly key: string; readonly value: unknown };
      // An entry without a value has the default of its type, for a message the empty one.
      (values[name] as Map<string, unknown>).set(key, content ?? emptyValueOf(field));
    } else if (field.repeated === true) (values[name] as unknown[]).push(value);
    else values[name] = value;
  }

  #value({ type }: FieldSchema, depth: number): unknown {
    const value = this.#varint();
    if (type === 'integer') return value;
    if (type === 'boolean') return value !== 0;
    const start = this.#offset;
    const end = start + value;
    if (end > this.#bytes.length) throw new RangeError('a field is cut off');
    if (typeof type === 'function') return this.message(type(), end, depth + 1);
    this.#offset = end;
    return type === 'text' ? this.#text.toString('utf8', start, end) : this.#bytes.subarray(start, end);
  }

  #skip(wireType: number): void {
    if (wireType === WireType.VARINT) this.#varint();
    else if (wireType === WireType.FIXED_64) this.#offset += 8;
    else if (wireType === WireType.FIXED_32) this.#offset += 4;
    else if (wireType === WireType.LENGTH_DELIMITED) this.#offset += this.#varint();
    else throw new RangeError('a group, which Fabric does not use');
  }

  /** Reads a varint as a signed 64-bit number, rounded beyond 2^53. */
  #varint(): number {
    let value = 0;
    let complement = 0;
    let factor = 1;
    let byte = 0x80;
    for (let index = 1; byte >= 0x80; index++) {
      const next = this.#bytes[this.#offset++];
      if (next === undefined) throw new RangeError('a number is cut off');
      if (index === MAX_VARINT_BYTES) {
        if (next > 1) throw new RangeError('a number is too large');
        return next === 1 ? -complement - 1 : value;
      }
      value += (next & 0x7f) * factor;
      complement += (~next & 0x7f) * factor;
      factor *= 0x80;
      byte = next;
    }
    return value;
  }
}

/** Returns the wire type of a field's elements. */
export function wireTypeOf({ type }: FieldSchema): number {
  return type === 'integer' || type === 'boolean' ? WireType.VARINT : WireType.LENGTH_DELIMITED;
}

function emptyMessage({ fields }: MessageSchema): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of fields) values[name] = defaultOf(field);
  return values;
}

function defaultOf({ type, map, repeated }: FieldSchema): unknown {
  if (map === true) return new Map();
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

/** The empty message of a map's values. */
function emptyValueOf(field: FieldSchema): unknown {
  const [, value] = (field.type as () => MessageSchema)().fields[1] as readonly [string, FieldSchema];
  return emptyMessage((value.type as () => MessageSchema)());
}

/**
 * Runs a decoder and gives its errors a cause that a user understands.
 * @throws `LEDGER.DAMAGED`, naming the message that the bytes are not
 */
export function decoding<T>(what: string, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new LedgerError('LEDGER.DAMAGED', `The bytes are not a ${what} of Hyperledger Fabric.`, { cause: error });
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
