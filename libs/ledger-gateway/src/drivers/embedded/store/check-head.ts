import { DamagedError } from '../../../errors/ledger.errors.js';
import type { PinnedHead } from './head-pin.js';
import { requireBlock, type StoreReader } from './store-reader.js';

/** The newest block. */
export interface ChainHead {
  readonly height: number;
  /** Hexadecimal. */
  readonly currentHash: string;
  /** Hexadecimal; empty at height 1. */
  readonly previousHash: string;
}

/**
 * Checks at the start, without reading the chain, that the newest block is whole and that the store still holds the
 * block that was pinned beside it.
 * @returns where the chain ends, or undefined for a store without a block
 * @throws {@link DamagedError} when the store ends before the pinned block or holds another one in its place
 */
export function headOf(reader: StoreReader, pin: PinnedHead | null | undefined, path: string): ChainHead | undefined {
  const height = reader.height();
  if (pin !== undefined && pin !== null) requirePinned(reader, height, pin, path);
  // A ledger is pinned before anything in it is acknowledged but its configuration block.
  else if (height > 1) throw pinLost(path, pin);
  return height === 0 ? undefined : headAt(reader, height);
}

/**
 * The head of a chain of that many blocks, one at least.
 * @throws {@link DamagedError} when the newest are not there or not whole
 */
export function headAt(reader: StoreReader, height: number): ChainHead {
  const { hash } = requireBlock(reader, height - 1);
  return { height, currentHash: hash, previousHash: height === 1 ? '' : requireBlock(reader, height - 2).hash };
}

function pinLost(path: string, pin: null | undefined): DamagedError {
  return new DamagedError(
    `The pin of the newest block beside ${path} is ${pin === null ? 'damaged' : 'missing'}: run "npm run ledger -- verify"; ` +
      '"npm run ledger -- rebuild" writes it anew from a store that is whole.',
  );
}

function requirePinned(reader: StoreReader, height: number, pin: PinnedHead, path: string): void {
  if (pin.number >= height) {
    throw new DamagedError(
      `${path} ends at block ${height - 1}, but block ${pin.number} was written to it: its end is lost. Restore a backup.`,
    );
  }
  if (reader.block(pin.number)?.hash !== pin.hash) {
    throw new DamagedError(
      `Block ${pin.number} in ${path} is not the one that was written (${pin.hash}): restore a backup.`,
    );
  }
}
