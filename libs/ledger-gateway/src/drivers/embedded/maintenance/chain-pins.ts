import { LedgerError } from '../../../errors/ledger.errors.js';

/** A height that the chain had once, and the hash of its newest block then. */
export interface ExpectedHead {
  /** Number of blocks. */
  readonly height: number;
  /** Hexadecimal. */
  readonly hash: string;
}

/** What the caller knows of a chain from elsewhere: without it, whoever holds the keys can sign another chain as a whole. */
export interface ChainPins {
  readonly expect?: ExpectedHead | undefined;
  /** Hexadecimal hash of block 0. */
  readonly genesis?: string | undefined;
}

const HASH = /^[0-9a-f]{64}$/i;

/**
 * Reads `HEIGHT:HASH`.
 * @throws `LEDGER.MISCONFIGURED` when it is something else
 */
export function parseExpectedHead(text: string): ExpectedHead {
  const [, height, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (height !== undefined && hash !== undefined) return { height: Number(height), hash: hash.toLowerCase() };
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `"${text}" is not HEIGHT:HASH, a number of blocks and 64 hexadecimal digits.`,
  );
}

/**
 * Reads the hash of a block.
 * @throws `LEDGER.MISCONFIGURED` when it is something else
 */
export function parseHash(text: string): string {
  if (HASH.test(text)) return text.toLowerCase();
  throw new LedgerError('LEDGER.MISCONFIGURED', `"${text}" is not a hash of 64 hexadecimal digits.`);
}
