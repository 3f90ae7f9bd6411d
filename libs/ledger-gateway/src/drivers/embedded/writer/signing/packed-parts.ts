/** Byte strings behind one another in one buffer, which changes threads without a copy. */
export interface PackedParts {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Where each of them ends. */
  readonly ends: readonly number[];
}

/** Copies byte strings into a buffer of their own. */
export function packParts(parts: readonly Uint8Array[]): PackedParts {
  const ends: number[] = [];
  let end = 0;
  for (const part of parts) ends.push((end += part.length));
  const bytes = new Uint8Array(new ArrayBuffer(end));
  parts.forEach((part, index) => {
    bytes.set(part, (ends[index] ?? 0) - part.length);
  });
  return { bytes, ends };
}

/** The byte strings again, as views. */
export function unpackParts({ bytes, ends }: PackedParts): Uint8Array[] {
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}
