/** One field as it stands on the wire. */
export interface WireField {
  readonly number: number;
  /** Of a varint field; 0 of any other. */
  readonly value: bigint;
  /** Of a length-delimited field; undefined of a varint. */
  readonly content: Uint8Array | undefined;
}

const VARINT = 0;
const LENGTH_DELIMITED = 2;
const MAX_VARINT_BYTES = 10;
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn;

/** Reads protobuf fields one by one and takes nothing but their shortest form. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#offset >= this.#bytes.length;
  }

  /** The next field, or what is wrong with it. */
  next(): WireField | string {
    const tag = this.#varint();
    if (typeof tag === 'string') return tag;
    const number = Number(tag >> 3n);
    const wireType = Number(tag & 7n);
    if (number === 0 || (wireType !== VARINT && wireType !== LENGTH_DELIMITED)) return 'no field begins here';
    const value = this.#varint();
    if (typeof value === 'string') return value;
    if (wireType === VARINT) return { number, value, content: undefined };
    return this.#content(number, value);
  }

  #content(number: number, length: bigint): WireField | string {
    const end = this.#offset + Number(length);
    if (end > this.#bytes.length) return 'a field is cut off';
    const content = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return { number, value: 0n, content };
  }

  #varint(): bigint | string {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = this.#bytes[this.#offset++];
      if (byte === undefined) return 'a number is cut off';
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return byte === 0 && index > 0 ? 'a number is not in its shortest form' : checked(value);
    }
    return 'a number is too long';
  }
}

function checked(value: bigint): bigint | string {
  return value > MAX_UINT64 ? 'a number is too large' : value;
}
