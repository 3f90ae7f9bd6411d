import { randomBytes, scrypt } from 'node:crypto';

/** What one derivation costs (RFC 7914): memory of 128 × 2^logN × blockSize bytes, time in proportion to that × parallel. */
export interface ScryptCost {
  /** The base 2 logarithm of N. */
  readonly logN: number;
  readonly blockSize: number;
  readonly parallel: number;
}

/** A password as it is kept. */
export interface PasswordHash {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

/** 16 MiB and about a fifth of a second: one of the settings that OWASP's cheat sheet on storing passwords calls equal. */
export const DEFAULT_COST: ScryptCost = { logN: 14, blockSize: 8, parallel: 5 };
export const SALT_BYTES = 16;
export const KEY_BYTES = 32;

const PREFIX = 'scrypt:';
const FORM = /^scrypt:(\d{1,2}):(\d{1,2}):(\d{1,2}):([\w-]{11,86}):([\w-]{43})$/;
const MAX_MEMORY = 268_435_456;
const MAX_PARALLEL = 16;

/** Whether a text is meant to be a hash and not a password. */
export function looksHashed(text: string): boolean {
  return text.startsWith(PREFIX);
}

/**
 * Reads `scrypt:logN:blockSize:parallel:salt:key`, salt and key in base64url.
 *
 * @returns undefined when it is none, or would take more than 256 MiB
 */
export function readPasswordHash(text: string): PasswordHash | undefined {
  const [, logN, blockSize, parallel, salt = '', key = ''] = FORM.exec(text) ?? [];
  const cost = { logN: Number(logN), blockSize: Number(blockSize), parallel: Number(parallel) };
  const isPossible = cost.logN > 0 && cost.blockSize > 0 && cost.parallel > 0 && cost.parallel <= MAX_PARALLEL;
  if (!isPossible || memoryOf(cost) > MAX_MEMORY) return undefined;
  return { cost, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') };
}

/** Makes the text that {@link readPasswordHash} reads, with a salt of its own. */
export async function hashPassword(password: string, cost = DEFAULT_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(password, salt, cost);
  const { logN, blockSize, parallel } = cost;
  return `${PREFIX}${[logN, blockSize, parallel, salt.toString('base64url'), key.toString('base64url')].join(':')}`;
}

/** The key of a password, in one form of Unicode: terminals and browsers send others (RFC 7617, section 2.1). */
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
