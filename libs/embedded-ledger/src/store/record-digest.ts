import { hash } from 'node:crypto';
import { toolCommand } from '#files';
import { damaged, type LedgerError } from '#ledger-gateway';

/** Advice in the error of a damaged record. */
export const REPAIR = `run "${toolCommand('ledger')} verify", then restore a backup, or rebuild when only records derived from the blocks are damaged.`;

/** Creates the error for a record whose digest is wrong. */
export function damagedRecord(name: string): LedgerError {
  return damaged(`${name} is damaged: ${REPAIR}`);
}

/** Hexadecimal digits of a digest: SHA-256 cut to 16 bytes, enough to rule out an accidental match. */
const DIGEST_DIGITS = 32;

const KIND_BYTE = { block: 1, state: 2, transaction: 3, history: 4, dictionary: 5 } as const;

/** The kind of record that a digest covers: equal fields in two tables have different digests. */
type RecordKind = keyof typeof KIND_BYTE;

/** The texts and bytes of a record. */
type Texts = readonly (string | Uint8Array | null)[];

/** Large enough for all records except the largest values, which get their own buffer. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Returns the digest of a record: over its kind, its numbers (8 bytes each), and its texts and bytes (each preceded by its
 * length), so that no two different records have the same input.
 */
export function recordDigest(kind: RecordKind, numbers: readonly number[], texts: Texts): Buffer {
  return Buffer.from(fullDigest(kind, numbers, texts).slice(0, DIGEST_DIGITS), 'hex');
}

/** Returns whether this is the digest of the record, in hexadecimal. */
export function isDigestOf(stored: unknown, kind: RecordKind, numbers: readonly number[], texts: Texts): boolean {
  if (typeof stored !== 'string' || stored.length !== DIGEST_DIGITS) return false;
  try {
    return fullDigest(kind, numbers, texts).startsWith(stored.toLowerCase());
  } catch {
    // The record contains a value of a type that is never written there.
    return false;
  }
}

/** The whole digest in hexadecimal, which is cheaper to produce than bytes. */
function fullDigest(kind: RecordKind, numbers: readonly number[], texts: Texts): string {
  let need = 1 + numbers.length * 8;
  for (const text of texts) need += 4 + (text === null ? 0 : maxBytes(text));
  const buffer = need <= scratch.length ? scratch : Buffer.allocUnsafeSlow(need);
  let end = buffer.writeUInt8(KIND_BYTE[kind]);
  for (const number of numbers) end = buffer.writeDoubleBE(requireNumber(number), end);
  for (const text of texts) end = append(buffer, end, text);
  return hash('sha256', buffer.subarray(0, end), 'hex');
}

function maxBytes(text: string | Uint8Array): number {
  return typeof text === 'string' ? text.length * 3 : text.length;
}

/** A damaged row may contain any type, which would be converted to a number. */
function requireNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  throw new TypeError('the record contains another type where a number was written');
}

/** A missing value has the length 2^32 - 1, which no present value can have. */
function append(buffer: Buffer, at: number, text: string | Uint8Array | null): number {
  if (text === null) return buffer.writeUInt32BE(0xffffffff, at);
  let length = text.length;
  if (typeof text === 'string') length = buffer.write(text, at + 4, 'utf8');
  else buffer.set(text, at + 4);
  buffer.writeUInt32BE(length, at);
  return at + 4 + length;
}
