/** Bytes of a number in the head. */
const NUMBER = 4;

/**
 * Packs byte arrays into one, which can be moved to another thread: to clone many small ones, or as many texts, costs more than twice
 * as much. The head contains their number and their lengths.
 */
export function packBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const headBytes = NUMBER * (1 + parts.length);
  const total = parts.reduce((sum, { length }) => sum + length, headBytes);
  // Not from the pool of buffers, which would be moved as a whole.
  const packed = new Uint8Array(Buffer.allocUnsafeSlow(total).buffer);
  const head = new Uint32Array(packed.buffer, 0, 1 + parts.length);
  head[0] = parts.length;
  let offset = headBytes;
  for (const [index, part] of parts.entries()) {
    head[1 + index] = part.length;
    packed.set(part, offset);
    offset += part.length;
  }
  return packed;
}

/** Returns views of the byte arrays that {@link packBytes} packed. */
export function unpackBytes({ buffer, byteOffset }: Uint8Array): Uint8Array[] {
  const [count = 0] = new Uint32Array(buffer, byteOffset, 1);
  const lengths = new Uint32Array(buffer, byteOffset + NUMBER, count);
  let offset = byteOffset + NUMBER * (1 + count);
  return Array.from(lengths, (length) => {
    const part = new Uint8Array(buffer, offset, length);
    offset += length;
    return part;
  });
}

/** Named byte arrays in a form that is cheap to clone. */
export interface PackedMap {
  readonly names: readonly string[];
  /** See {@link packBytes}. */
  readonly packed: Uint8Array;
}

export function packMap(map: ReadonlyMap<string, Uint8Array>): PackedMap {
  return { names: [...map.keys()], packed: packBytes([...map.values()]) };
}

/** Returns the map with views of its byte arrays. */
export function unpackMap({ names, packed }: PackedMap): ReadonlyMap<string, Uint8Array> {
  const values = unpackBytes(packed);
  return new Map(names.map((name, index) => [name, values[index] ?? new Uint8Array()]));
}

/** Bytes as text with one character per byte: a few small texts are cheaper to clone than as many byte arrays. */
export type ByteText = string;

export function byteText({ buffer, byteOffset, byteLength }: Uint8Array): ByteText {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

export function bytesOf(text: ByteText): Uint8Array {
  return Buffer.from(text, 'latin1');
}
