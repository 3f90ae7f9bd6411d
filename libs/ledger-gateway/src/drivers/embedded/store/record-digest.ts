import { hash } from 'node:crypto';

/** Bytes of a digest: SHA-256, cut to what makes an accidental match impossible in practice. */
const DIGEST_BYTES = 16;

/** What kind of record a digest is of: equal fields in two tables have different digests. */
export type RecordKind = 'block' | 'state' | 'transaction' | 'history' | 'dictionary';

const KIND_BYTE = { block: 1, state: 2, transaction: 3, history: 4, dictionary: 5 } as const satisfies Record<
  RecordKind,
  number
>;

/** Large enough for any record but the largest values, which get a buffer of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The digest of a stored record: over its kind, its numbers (each as eight bytes), and its texts and bytes (each after
 * its length), so that no two different records have the same input.
 */
export function recordDigest(
  kind: RecordKind,
  numbers: readonly number[],
  texts: readonly (string | Uint8Array | null)[],
): Buffer {
  const need = 1 + numbers.length * 8 + texts.reduce((sum, text) => sum + 4 + (text === null ? 0 : maxBytes(text)), 0);
  const buffer = need <= scratch.length ? scratch : Buffer.allocUnsafe(need);
  let end = buffer.writeUInt8(KIND_BYTE[kind], 0);
  for (const number of numbers) end = buffer.writeDoubleBE(number, end);
  for (const text of texts) end = append(buffer, end, text);
  return hash('sha256', buffer.subarray(0, end), 'buffer').subarray(0, DIGEST_BYTES);
}

function maxBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** A missing value has the length 2^32 - 1, which no present one can have. */
function append(buffer: Buffer, at: number, text: string | Uint8Array | null): number {
  if (text === null) return buffer.writeUInt32BE(0xffffffff, at);
  let length = text.length;
  if (typeof text === 'string') length = buffer.write(text, at + 4, 'utf8');
  else buffer.set(text, at + 4);
  buffer.writeUInt32BE(length, at);
  return at + 4 + length;
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
