import { hash } from 'node:crypto';

/** Hexadecimal digits of a digest: SHA-256, cut to 16 bytes, which makes an accidental match impossible in practice. */
const DIGEST_DIGITS = 32;

/** What kind of record a digest is of: equal fields in two tables have different digests. */
export type RecordKind = 'block' | 'state' | 'transaction' | 'history' | 'dictionary';

const KIND_BYTE = { block: 1, state: 2, transaction: 3, history: 4, dictionary: 5 } as const satisfies Record<
  RecordKind,
  number
>;

/** Large enough for any record but the largest values, which get a buffer of their own. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const scratchView = new DataView(scratch.buffer);

/**
 * The digest of a stored record: over its kind, its numbers (each as eight bytes), and its texts and bytes (each after
 * its length), so that no two different records have the same input.
 */
export function recordDigest(
  kind: RecordKind,
  numbers: readonly number[],
  texts: readonly (string | Uint8Array | null)[],
): Buffer {
  return Buffer.from(fullDigest(kind, numbers, texts).slice(0, DIGEST_DIGITS), 'hex');
}

/** The whole digest in hexadecimal, which is cheaper to make than bytes. */
function fullDigest(
  kind: RecordKind,
  numbers: readonly number[],
  texts: readonly (string | Uint8Array | null)[],
): string {
  let need = 1 + numbers.length * 8;
  for (const text of texts) need += 4 + (text === null ? 0 : maxBytes(text));
  const fits = need <= scratch.length;
  const buffer = fits ? scratch : Buffer.allocUnsafeSlow(need);
  const view = fits ? scratchView : new DataView(buffer.buffer);
  buffer[0] = KIND_BYTE[kind];
  let end = 1;
  for (const number of numbers) {
    view.setFloat64(end, requireNumber(number));
    end += 8;
  }
  for (const text of texts) end = append(buffer, view, end, text);
  return hash('sha256', buffer.subarray(0, end), 'hex');
}

function maxBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** From a damaged row anything may come, and `setFloat64` would take it for a number. */
function requireNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('a record has something else where a number was written');
}

/** A missing value has the length 2^32 - 1, which no present one can have. */
function append(buffer: Buffer, view: DataView, at: number, text: string | Uint8Array | null): number {
  if (text === null) {
    view.setUint32(at, 0xffffffff);
    return at + 4;
  }
  let length = text.length;
  if (typeof text === 'string') length = buffer.write(text, at + 4, 'utf8');
  else buffer.set(text, at + 4);
  view.setUint32(at, length);
  return at + 4 + length;
}

/**
 * Whether that is the digest of the record, as bytes or in hexadecimal; a record with values of a kind that was never
 * written there has none.
 */
export function isDigestOf(
  stored: unknown,
  kind: RecordKind,
  numbers: readonly number[],
  texts: readonly (string | Uint8Array | null)[],
): boolean {
  try {
    const text = stored instanceof Uint8Array ? Buffer.from(stored).toString('hex') : stored;
    if (typeof text !== 'string' || text.length !== DIGEST_DIGITS) return false;
    return fullDigest(kind, numbers, texts).startsWith(text.toLowerCase());
  } catch {
    return false;
  }
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
