import { Buffer, isUtf8 } from 'node:buffer';
import { MAX_DEPTH, MAX_VARINT_BYTES, WireType, wireTypeOf } from './decode-message.js';
import type { FieldSchema, MessageSchema } from './schema.js';

/** How strict the check is. */
export interface ScanOptions {
  /** Allows scalars that are written although they have their default value, as some client libraries do. */
  readonly allowDefaults: boolean;
}

/**
 * Checks that bytes are the one canonical form of a message, so that encoding the decoded message gives the same bytes: known
 * fields in the order of their numbers, each once unless it is repeated, the shortest varints, nothing after the last field
 * (Protocol Buffers encoding, "Message Structure"). Entries of a map may be in any order, because Go writes them so.
 * @returns the error and its place, or undefined
 */
export function scanMessage(content: Uint8Array, schema: MessageSchema, options: ScanOptions): string | undefined {
  return new CanonicalScanner(content, options.allowDefaults).message(schema, content.length, 0);
}

/** The first byte of a map's entry whose key is not empty: the head of field 1. */
const KEY_HEAD = 0x0a;
/** The result for a varint that has a fault. */
const FAULTY = -1;

/** The head of a field. */
interface FieldHead {
  readonly number: number;
  readonly wireType: number;
  /** The number itself, or the length of the content. */
  readonly value: number;
}

/** What was read of a message so far. */
interface Seen {
  readonly depth: number;
  /** Number of the previous field. */
  last: number;
  keys: Set<string> | undefined;
}

/** Reads the bytes once, nested messages included, without decoding them. */
class CanonicalScanner {
  readonly #bytes: Uint8Array;
  readonly #allowDefaults: boolean;
  #offset = 0;
  /** The error in the varint that was {@link FAULTY}. */
  #fault = '';

  constructor(bytes: Uint8Array, allowDefaults: boolean) {
    this.#bytes = bytes;
    this.#allowDefaults = allowDefaults;
  }

  message(schema: MessageSchema, end: number, depth: number): string | undefined {
    if (depth > MAX_DEPTH) return `${schema.name}: nested too deep`;
    const seen: Seen = { depth, last: 0, keys: undefined };
    while (this.#offset < end) {
      const fault = this.#field(schema, seen, end);
      if (fault !== undefined) return `${schema.name}${fault}`;
    }
    return undefined;
  }

  #field(schema: MessageSchema, seen: Seen, end: number): string | undefined {
    const tag = this.#varint(end);
    if (tag === FAULTY) return `: ${this.#fault}`;
    const [number, wireType] = [Math.floor(tag / 8), tag % 8];
    const isKnownType = wireType === WireType.VARINT || wireType === WireType.LENGTH_DELIMITED;
    if (number === 0 || !isKnownType) return ': no field begins here';
    const value = this.#varint(end);
    if (value === FAULTY) return `: ${this.#fault}`;
    if (wireType === WireType.LENGTH_DELIMITED && this.#offset + value > end) return ': a field is cut off';
    const fault = this.#content(schema.byNumber[number]?.[1], { number, wireType, value }, seen);
    return fault && `.${number}${fault}`;
  }

  #content(field: FieldSchema | undefined, head: FieldHead, seen: Seen): string | undefined {
    if (field === undefined) return ': unknown field';
    if (head.number < seen.last) return ': fields are out of order';
    if (head.number === seen.last && field.repeated !== true) return ': the field appears twice';
    seen.last = head.number;
    const start = this.#offset;
    const fault = this.#value(field, head, seen.depth);
    return fault === undefined && field.map === true ? this.#mapKey(head.number, start, seen) : fault;
  }

  #value(field: FieldSchema, { wireType, value }: FieldHead, depth: number): string | undefined {
    if (wireType !== wireTypeOf(field)) return ': wrong wire type';
    if (value === 0 && !this.#mayBeDefault(field) && isDefault(field)) return ': a default value is written out';
    if (wireType === WireType.VARINT) return field.type === 'boolean' && value > 1 ? ': no boolean' : undefined;
    return this.#bytesOf(field, this.#offset + value, depth);
  }

  #bytesOf({ type, embedded }: FieldSchema, end: number, depth: number): string | undefined {
    const content = typeof type === 'function' ? type() : embedded;
    if (content !== undefined) {
      const fault = this.message(content, end, depth + 1);
      return fault && ` ${fault}`;
    }
    const start = this.#offset;
    this.#offset = end;
    return type === 'text' && !isUtf8(this.#bytes.subarray(start, end)) ? ': text is not UTF-8' : undefined;
  }

  #mayBeDefault({ repeated, explicit }: FieldSchema): boolean {
    return this.#allowDefaults || repeated === true || explicit === true;
  }

  /** Checks the key of the entry that begins there; an entry that does not begin with its key has the empty one. */
  #mapKey(number: number, start: number, seen: Seen): string | undefined {
    const end = this.#offset;
    let key = `${number}:`;
    if (start < end && this.#bytes[start] === KEY_HEAD) {
      this.#offset = start + 1;
      const length = this.#varint(end);
      key += Buffer.from(this.#bytes.subarray(this.#offset, this.#offset + length)).toString('latin1');
      this.#offset = end;
    }
    seen.keys ??= new Set();
    if (seen.keys.has(key)) return ': the map has a key twice';
    seen.keys.add(key);
    return undefined;
  }

  /** Reads the next varint, rounded beyond 2^53, where only its presence counts. */
  #varint(end: number): number {
    let value = 0;
    let factor = 1;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined || this.#offset > end) return this.#fail('a number is cut off');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        if (byte === 0 && index > 0) return this.#fail('a number is not in its shortest form');
        // The tenth byte holds the 64th bit alone.
        return index === MAX_VARINT_BYTES - 1 && byte > 1 ? this.#fail('a number is too large') : value;
      }
      factor *= 0x80;
    }
    return this.#fail('a number is too long');
  }

  #fail(fault: string): number {
    this.#fault = fault;
    return FAULTY;
  }
}

/** Returns whether a field of the value 0 or of no length has its default; a message that is present is not. */
function isDefault({ type }: FieldSchema): boolean {
  return typeof type !== 'function';
}
