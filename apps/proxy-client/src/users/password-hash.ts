import { randomBytes, scrypt } from 'node:crypto';

/** The cost of one derivation (RFC 7914): memory of 128 × 2^logN × blockSize bytes, time proportional to that × parallel. */
export interface ScryptCost {
  /** The base 2 logarithm of N. */
  readonly logN: number;
  readonly blockSize: number;
  readonly parallel: number;
}

/** A parsed password hash. */
export interface PasswordHash {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** 16 MiB and about 0.2 s: one of the equivalent settings of OWASP's Password Storage Cheat Sheet. */
export const DEFAULT_COST: ScryptCost = { logN: 14, blockSize: 8, parallel: 5 };
export const SALT_BYTES = 16;
export const KEY_BYTES = 32;

const PREFIX = 'scrypt:';
const FORM = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w-]{11,86}):([\w-]{43})$/;
const MAX_MEMORY = 268_435_456;
const MAX_PARALLEL = 16;

/** Returns whether a text is intended as a hash and not as a password. */
export function looksHashed(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Parses `scrypt:logN:blockSize:parallel:salt:key`, salt and key in base64url.
 *
 * @returns undefined if it is malformed, is not a cost of scrypt, or would require more than 256 MiB
 */
export function readPasswordHash(text: string): PasswordHash | undefined {
  const [, logN, blockSize, parallel, salt = '', key = ''] = FORM.exec(text) ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallel: Number(parallel) };
  const isPositive = cost.logN > 0 && cost.blockSize > 0 && cost.parallel > 0;
  // RFC 7914, section 2: N is less than 2^(128 × blockSize / 8). OpenSSL refuses to derive a key otherwise.
  const isValid = isPositive && cost.logN < 16 * cost.blockSize && cost.parallel <= MAX_PARALLEL;
  if (!isValid || memoryOf(cost) > MAX_MEMORY) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') };
}

/** Hashes a password with a new salt, in the form that {@link readPasswordHash} parses. */
export async function hashPassword(password: string, cost = DEFAULT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(password, salt, cost);
  const { logN, blockSize, parallel } = cost;
  return `${PREFIX}${[logN, blockSize, parallel, salt.toString('base64url'), key.toString('base64url')].join(':')}`;
}

/** Derives the key of a password after NFC normalization: terminals and browsers send different forms (RFC 7617, section 2.1). */
export async function deriveKey(password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const { logN, blockSize, parallel } = cost;
  const options = { N: 2 ** logN, r: blockSize, p: parallel, maxmem: 2 * MAX_MEMORY };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function memoryOf({ logN, blockSize }: ScryptCost): number {
  return 128 * 2 ** logN * blockSize;
}
