import { hash } from 'node:crypto';
import type { IdempotencyKey } from '../ports/ledger.port.js';

/** Keeps these nonces apart from whatever else is hashed of the same words; another number makes all keys new. */
const DOMAIN = 'ledger-gateway/idempotency-key/1';

/**
 * The nonce of a keyed write's transaction. With the creator it makes the transaction's id, so that the same key has the same
 * id on every replica and after every crash, and the ledger itself refuses the second one.
 * @param attempt - from 0 on; the next one only when the one before is recorded as a conflict
 * @returns 32 bytes; Fabric takes a nonce of any length
 */
export function attemptNonce(channel: string, { key, owner }: IdempotencyKey, attempt: number): Buffer {
  return digest([DOMAIN, channel, owner ?? null, key, attempt]);
}

const WEEK_MS = 7 * 24 * 3600 * 1000;

/** From when on certificates count under which an earlier copy may have been recorded. */
export function lookedForSince({ since = Date.now() - WEEK_MS }: IdempotencyKey): number {
  return since;
}

/**
 * The id of an asset that is created under a key without one: the same for every copy of the write, whatever its attempt.
 * @returns a UUID of version 8 (RFC 9562, 5.8)
 */
export function idOfKey(channel: string, { key, owner }: IdempotencyKey): string {
  const bytes = digest([channel, owner ?? null, key]).subarray(0, 16);
  bytes[6] = 0x80 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** SHA-256 over a JSON array: no two lists of words have the same text, as they would have if they were joined. */
function digest(words: readonly (string | number | null)[]): Buffer {
  return Buffer.from(hash('sha256', JSON.stringify(words), 'binary'), 'latin1');
}
