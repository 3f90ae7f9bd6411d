import { hash } from 'node:crypto';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { toolCommand } from '../../../files/installation.js';

/** Advice in the error of a damaged record. */
export const REPAIR = `run "${toolCommand('ledger')} verify", then restore a backup, or rebuild when only records derived from the blocks are damaged.`;

/** Hexadecimal digits of a digest: SHA-256 cut to 16 bytes, enough to rule out an accidental match. */
const DIGEST_DIGITS = 32;

const KIND_BYTE = { block: 1, state: 2, transaction: 3, history: 4, dictionary: 5 } as const;

/** The kind of record that a digest covers: equal fields in two tables have different digests. */
export type RecordKind = keyof typeof KIND_BYTE;

/** The texts and bytes of a record. */
type Texts = readonly (string | Uint8Array | null)[];

/** Large enough for all records except the largest values, which get their own buffer. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const scratchView = new DataView(scratch.buffer);

/**
 * Returns the digest of a record: over its kind, its numbers (8 bytes each), and its texts and bytes (each preceded by its
 * length), so that no two different records have the same input.
 */
export function recordDigest(kind: RecordKind, numbers: readonly number[], texts: Texts): Buffer {
  return Buffer.from(fullDigest(kind, numbers, texts).slice(0, DIGEST_DIGITS), 'hex');
}

/** Returns whether this is the digest of the record, as bytes or in hexadecimal. */
export function isDigestOf(stored: unknown, kind: RecordKind, numbers: readonly number[], texts: Texts): boolean {
  try {
    const text = stored instanceof Uint8Array ? Buffer.from(stored).toString('hex') : stored;
    if (typeof text !== 'string' || text.length !== DIGEST_DIGITS) return false;
    return fullDigest(kind, numbers, texts).startsWith(text.toLowerCase());
  } catch {
    // The record contains a value of a type that is never written there.
    return false;
  }
}

/**
 * Checks the digest of a record.
 * @param name - of the record, for the error
 * @throws `LEDGER.DAMAGED` when the record is not as it was written
 */
export function requireDigest(
  kind: RecordKind,
  name: string,
  digest: unknown,
  numbers: readonly number[],
  texts: Texts,
): void {
  if (!isDigestOf(digest, kind, numbers, texts))
    throw new LedgerError('LEDGER.DAMAGED', `${name} is damaged: ${REPAIR}`);
}

/** The whole digest in hexadecimal, which is cheaper to produce than bytes. */
function fullDigest(kind: RecordKind, numbers: readonly number[], texts: Texts): string {
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

/** A damaged row may contain any type, and `setFloat64` would convert it to a number. */
function requireNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('the record contains another type where a number was written');
}

/** A missing value has the length 2^32 - 1, which no present value can have. */
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
