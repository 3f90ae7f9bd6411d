import { Buffer, isUtf8 } from 'node:buffer';

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

/** How strictly to look. */
export interface ScanOptions {
  /** Whether a scalar may be written although it has its default value, as some client libraries do. */
  readonly allowDefaults: boolean;
}

/**
 * Finds out whether bytes are the one canonical form of a message, so that encoding what they say gives the same bytes:
 * known fields in the order of their numbers, each once unless it is repeated, the shortest varints, nothing behind
 * (Protocol Buffers encoding, "Message Structure"). Entries of a map may stand in any order: Go writes them so.
 * @returns what is wrong and where, or undefined
 */
export function scanMessage(content: Uint8Array, schema: MessageSchema, options: ScanOptions): string | undefined {
  return new CanonicalScanner(content, options.allowDefaults).message(schema, content.length);
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_BYTES = 10;
/** Field 1 of a map's entry, its key. */
const KEY_TAG = 0x0a;
/** What {@link CanonicalScanner} gives for a varint that has a fault. */
const FAULTY = -1;

/** How a field begins. */
interface FieldHead {
  readonly number: number;
  readonly wireType: number;
  /** Its number, or its length. */
  readonly value: number;
}

/** What of a message was scanned already. */
interface Seen {
  /** Number of the field before. */
  last: number;
  keys: Set<string> | undefined;
}

/** Walks once over the bytes, messages within messages included, without making anything of them. */
class CanonicalScanner {
  readonly #bytes: Uint8Array;
  readonly #allowDefaults: boolean;
  #offset = 0;
  /** What is wrong with the varint that was {@link FAULTY}. */
  #fault = '';

  constructor(bytes: Uint8Array, allowDefaults: boolean) {
    this.#bytes = bytes;
    this.#allowDefaults = allowDefaults;
  }

  /** Scans the message that ends there. */
  message(schema: MessageSchema, end: number): string | undefined {
    const seen: Seen = { last: 0, keys: undefined };
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
    if (number === 0 || (wireType !== VARINT && wireType !== LENGTH_DELIMITED)) return ': no field begins here';
    const value = this.#varint(end);
    if (value === FAULTY) return `: ${this.#fault}`;
    if (wireType === LENGTH_DELIMITED && this.#offset + value > end) return ': a field is cut off';
    const fault = this.#content(schema.fields.get(number), { number, wireType, value }, seen);
    return fault && `.${number}${fault}`;
  }

  #content(field: FieldSchema | undefined, head: FieldHead, seen: Seen): string | undefined {
    if (field === undefined) return ': unknown field';
    if (head.number < seen.last) return ': fields are out of order';
    if (head.number === seen.last && field.repeated !== true) return ': the field stands twice';
    seen.last = head.number;
    const start = this.#offset;
    const fault = this.#value(field, head);
    return fault === undefined && field.map === true ? this.#mapKey(head.number, start, seen) : fault;
  }

  #value(field: FieldSchema, { wireType, value }: FieldHead): string | undefined {
    const isNumber = field.type === 'integer' || field.type === 'boolean';
    if (isNumber !== (wireType === VARINT)) return ': wrong wire type';
    if (value === 0 && !this.#mayBeDefault(field) && isDefault(field)) return ': a default value is written out';
    if (isNumber) return field.type === 'boolean' && value > 1 ? ': no boolean' : undefined;
    return this.#bytesOf(field, this.#offset + value);
  }

  /** Scans what stands in a field up to there. */
  #bytesOf({ type }: FieldSchema, end: number): string | undefined {
    if (typeof type === 'object') {
      const fault = this.message(type, end);
      return fault && ` ${fault}`;
    }
    const start = this.#offset;
    this.#offset = end;
    return type === 'text' && !isUtf8(this.#bytes.subarray(start, end)) ? ': text is not UTF-8' : undefined;
  }

  #mayBeDefault({ repeated, explicit }: FieldSchema): boolean {
    return this.#allowDefaults || repeated === true || explicit === true;
  }

  /** Looks at the key of the scanned entry that begins there; one that does not begin with its key has the empty one. */
  #mapKey(number: number, start: number, seen: Seen): string | undefined {
    const end = this.#offset;
    let key = `${number}:`;
    if (start < end && this.#bytes[start] === KEY_TAG) {
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

  /** The next varint, rounded above 2^53, where nothing but its being there is looked at. */
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

/** Whether a field of the value 0 or of no length has its default; a message that is there says something even when empty. */
function isDefault({ type, embedded }: FieldSchema): boolean {
  return typeof type === 'string' || embedded === true;
}
