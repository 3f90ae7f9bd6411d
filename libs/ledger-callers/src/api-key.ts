import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

// An API key is `lk_<id>_<secret><checksum>`. The id names it, in lists and in the log; the secret has 256 random bits;
// the checksum distinguishes a badly copied key from an unknown one, and lets secret scanners recognize keys.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
/** Digits for 256 bits: 256 / log2(62). */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KEY = new RegExp(`^lk_([0-9a-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key: its text is shown once, and its hash is stored. */
export interface NewApiKey {
  readonly id: string;
  readonly text: string;
  readonly sha256: string;
}

/** Creates a key from the system's random numbers. */
export function makeApiKey(): NewApiKey {
  const id = randomText(ID_DIGITS, ID_LENGTH);
  const body = `lk_${id}_${randomText(DIGITS, SECRET_LENGTH)}`;
  const text = body + checksum(body);
  return { id, text, sha256: hashOf(text) };
}

/** Returns the id in a text that has the form of a key. {@link isWhole} checks whether it is a key. */
export function claimedIdOf(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

/** Checks whether the checksum at the end of a text in the form of a key is correct. */
export function isWhole(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/**
 * The stored form of a key: hexadecimal SHA-256 of its text. 256 random bits cannot be guessed, so no slower hash is needed, as
 * it would be for passwords.
 */
function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The hash of no text, for keys that are not stored. */
const NO_HASH = Buffer.alloc(32);

/** Compares a text with the stored hash of a key. The time it takes depends on neither. */
export function isHashOf(text: string, stored: Uint8Array = NO_HASH): boolean {
  // As text first: as a Buffer, the hash would be memory outside the heap in each request, which costs more than the hash.
  return timingSafeEqual(Buffer.from(hashOf(text), 'hex'), stored);
}

/** Returns the CRC-32 of a text, as in GitHub's tokens. */
function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / DIGITS.length)) {
    text = DIGITS.charAt(rest % DIGITS.length) + text;
  }
  return text;
}

function randomText(digits: string, length: number): string {
  return Array.from({ length }, () => digits.charAt(randomInt(digits.length))).join('');
}
