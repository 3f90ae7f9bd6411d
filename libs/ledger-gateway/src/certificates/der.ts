/** The Distinguished Encoding Rules of ASN.1 (X.690), as far as certificates need them. */

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const LONG_LENGTH = 0x80;
/** UTCTime has two digits for the year, and is used until 2049 (RFC 5280, section 4.1.2.5). */
const FIRST_GENERALIZED_YEAR = 2050;
const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** Encodes a value: its tag, its length and its contents. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const length = contents.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...contents]);
}

function lengthBytes(length: number): readonly number[] {
  if (length < LONG_LENGTH) return [length];
  const hex = length.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return [LONG_LENGTH + bytes.length, ...bytes];
}

/** Encodes an object identifier, such as `2.5.4.3`. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(TAG.objectIdentifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** Returns the number in groups of seven bits, of which all but the last have the highest bit set. */
function base128(number: number): readonly number[] {
  const groups = [number & 0x7f];
  for (let rest = number >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** Encodes a text as a PrintableString if possible, else as a UTF8String. */
export function directoryString(text: string): Buffer {
  return der(PRINTABLE.test(text) ? TAG.printableString : TAG.utf8String, Buffer.from(text));
}

/** Encodes a time with a precision of seconds. */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  return date.getUTCFullYear() < FIRST_GENERALIZED_YEAR
    ? der(TAG.utcTime, Buffer.from(text.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(text));
}

/** Encodes a bit string whose last byte has the given number of unused bits. */
export function bitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return der(TAG.bitString, Buffer.from([unusedBits]), bytes);
}

/**
 * Returns the contents of an encoded value.
 * @param encoded - of a key or certificate that Node has already parsed
 */
export function contentsOf(encoded: Buffer): Buffer {
  return encoded.subarray(headOf(encoded).size);
}

/** Returns the values, with tag and length, in the contents of a constructed value that Node has already parsed. */
export function partsOf(encoded: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let rest = contentsOf(encoded); rest.length > 0;) {
    const { size, length } = headOf(rest);
    parts.push(rest.subarray(0, size + length));
    rest = rest.subarray(size + length);
  }
  return parts;
}

function headOf(encoded: Buffer): { readonly size: number; readonly length: number } {
  const first = encoded.readUInt8(1);
  if (first < LONG_LENGTH) return { size: 2, length: first };
  const bytes = first - LONG_LENGTH;
  return { size: 2 + bytes, length: encoded.readUIntBE(2, bytes) };
}
