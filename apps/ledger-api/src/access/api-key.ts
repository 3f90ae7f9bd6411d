import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

// An API key is `lk_<id>_<secret><checksum>`. The id names it, in lists and in the log; the secret is 32 random bytes;
// the checksum distinguishes a badly copied key from an unknown one, and lets secret scanners recognize keys.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
const SECRET_BYTES = 32;
/** Digits that 32 bytes can need: 256 / log2(62). */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const KEY = new RegExp(`^lk_([0-9a-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A key that was just made: the text is shown once, and its hash kept. */
export interface NewApiKey {
  readonly id: string;
  readonly text: string;
  readonly sha256: string;
}

/** Makes a key from the system's random numbers. */
export function makeApiKey(): NewApiKey {
  const id = base62(randomBytes(SECRET_BYTES)).slice(-ID_LENGTH).toLowerCase();
  const body = `lk_${id}_${base62(randomBytes(SECRET_BYTES)).padStart(SECRET_LENGTH, '0')}`;
  const text = body + checksum(body);
  return { id, text, sha256: hashOf(text) };
}

/** Returns the id in a text that has the form of a key. {@link isWhole} checks whether it is a key. */
export function claimedIdOf(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

/** Whether the checksum at the end of a text of a key's form is that of what is before it. */
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

/** What is compared with where nothing is kept: no text has that hash. */
const NO_HASH = Buffer.alloc(32);

/** Whether that is what is kept of a key, as bytes; takes the same time whatever they hold, and where nothing is kept. */
export function isHashOf(text: string, kept: Uint8Array = NO_HASH): boolean {
  // By way of its text: as a Buffer it would be memory outside the heap in each request, which costs more than the hash.
  return timingSafeEqual(Buffer.from(hashOf(text), 'hex'), kept);
}

/** CRC-32 of what is before it, as GitHub's tokens have it. */
function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECKSUM_LENGTH; rest = Math.floor(rest / 62)) {
    text = DIGITS.charAt(rest % 62) + text;
  }
  return text;
}

function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; rest > 0n; rest /= 62n) text = `${DIGITS[Number(rest % 62n)] ?? ''}${text}`;
  return text;
}
