// The part of `node:buffer` that the verification of receipts uses. The bundler replaces the module by this one for browsers, so
// that the code which runs in Node keeps its speed. An export that is missing here fails the build.

type Encoding = 'utf8' | 'latin1' | 'hex' | 'base64';

/** How many characters are made at once: more are too many arguments of a function. */
const CHUNK = 8192;
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

class Bytes extends Uint8Array {
  override toString(encoding: Encoding = 'utf8', start = 0, end = this.length): string {
    const bytes = this.subarray(start, end);
    switch (encoding) {
      case 'utf8':
        return UTF8.decode(bytes);
      case 'hex':
        return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
      case 'latin1':
        return latin1(bytes);
      case 'base64':
        return btoa(latin1(bytes));
    }
  }

  readUInt8(offset = 0): number {
    return this.#view().getUint8(offset);
  }

  readUInt32BE(offset = 0): number {
    return this.#view().getUint32(offset);
  }

  readBigUInt64BE(offset = 0): bigint {
    return this.#view().getBigUint64(offset);
  }

  writeUInt32BE(value: number, offset = 0): number {
    this.#view().setUint32(offset, value);
    return offset + 4;
  }

  #view(): DataView {
    return new DataView(this.buffer, this.byteOffset, this.byteLength);
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += CHUNK) {
    parts.push(String.fromCharCode(...bytes.subarray(offset, offset + CHUNK)));
  }
  return parts.join('');
}

function fromLatin1(text: string): Bytes {
  const bytes = new Bytes(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** Returns no bytes for text that is not base64, of which Node decodes a part: neither is the canonical form of the text. */
function fromBase64(text: string): Bytes {
  try {
    return fromLatin1(atob(text));
  } catch {
    return new Bytes(0);
  }
}

function fromText(text: string, encoding: Encoding): Bytes {
  switch (encoding) {
    case 'utf8':
      return new Bytes(new TextEncoder().encode(text));
    case 'hex':
      return new Bytes(Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (digits) => Number.parseInt(digits, 16)));
    case 'latin1':
      return fromLatin1(text);
    case 'base64':
      return fromBase64(text);
  }
}

function from(text: string, encoding?: Encoding): Bytes;
function from(bytes: ArrayLike<number>): Bytes;
function from(buffer: ArrayBuffer, offset: number, length: number): Bytes;
function from(
  value: string | ArrayLike<number> | ArrayBuffer,
  second: Encoding | number = 'utf8',
  length?: number,
): Bytes {
  if (typeof value === 'string') return fromText(value, second as Encoding);
  return value instanceof ArrayBuffer ? new Bytes(value, second as number, length) : new Bytes(value);
}

function concat(parts: readonly Uint8Array[]): Bytes {
  const joined = new Bytes(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const index = a.findIndex((byte, at) => byte !== b[at]);
  if (index === -1) return a.length === b.length ? 0 : -1;
  return index < b.length && (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1;
}

const alloc = (length: number): Bytes => new Bytes(length);
const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Bytes with the methods of Node's `Buffer` that are used. */
export const Buffer = { from, concat, compare, byteLength, alloc, allocUnsafe: alloc };

/** Returns whether bytes are UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    STRICT_UTF8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
