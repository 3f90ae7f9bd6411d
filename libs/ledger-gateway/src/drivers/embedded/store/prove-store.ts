import type { DatabaseSync } from 'node:sqlite';
import { LedgerError, isLedgerError } from '../../../errors/ledger.errors.js';
import { damageInLog } from './damage-in-log.js';
import type { PinnedHead } from './head-pin.js';
import { openForReading } from './open-store.js';
import { REPAIR } from './prepared-statements.js';
import { schemaFaults, type StorePart } from './schema.js';
import { storeFailure } from './store-failure.js';
import { requireBlock, StoreReader } from './store-reader.js';

/** A store that is open for reading, and where its chain ends. */
export interface ProvenStore {
  readonly db: DatabaseSync;
  readonly reader: StoreReader;
  readonly head: ChainHead;
}

/**
 * Opens a store for reading and proves its head, before anything on disk is changed: opened for writing, SQLite would cut
 * a damaged log to what it can read of it, and delete the rest with the last connection.
 * @param part - which of its tables have to be those of its format
 * @param pin - read before, since the store may be in use and is never behind it
 * @throws `LEDGER.DAMAGED`, `LEDGER.MISCONFIGURED`; nothing is open then
 */
export function openProven(path: string, pin: PinnedHead | null | undefined, part: StorePart = 'all'): ProvenStore {
  let db: DatabaseSync | undefined;
  try {
    db = openForReading(path);
    requireSchema(db, path, part);
    const reader = new StoreReader(db);
    const head = headOf(reader, pin, path);
    if (head === undefined)
      throw new LedgerError('LEDGER.DAMAGED', `${path} holds no block: restore it from a backup.`);
    return { db, reader, head };
  } catch (error) {
    db?.close();
    throw withDamageInLog(storeFailure(error, path), path);
  }
}

/**
 * Refuses a store whose tables are not those of its format.
 * @throws `LEDGER.DAMAGED`
 */
export function requireSchema(db: DatabaseSync, path: string, part: StorePart): void {
  const [fault] = schemaFaults(db, part);
  if (fault === undefined) return;
  throw new LedgerError(
    'LEDGER.DAMAGED',
    `${path} is not as it was made: ${fault}. ${REPAIR[0]?.toUpperCase() ?? ''}${REPAIR.slice(1)}`,
  );
}

/** Says where the log is damaged that a damaged store depends on. */
export function withDamageInLog(error: Error, path: string): Error {
  const damage = isLedgerError(error, 'LEDGER.DAMAGED') ? damageInLog(path) : undefined;
  return damage === undefined
    ? error
    : new LedgerError('LEDGER.DAMAGED', `${error.message} ${damage}`, { cause: error });
}

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
 * @throws `LEDGER.DAMAGED` when the store ends before the pinned block or holds another one in its place
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
 * @throws `LEDGER.DAMAGED` when the newest are not there or not whole
 */
export function headAt(reader: StoreReader, height: number): ChainHead {
  const { hash } = requireBlock(reader, height - 1);
  return { height, currentHash: hash, previousHash: height === 1 ? '' : requireBlock(reader, height - 2).hash };
}

function pinLost(path: string, pin: null | undefined): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The pin of the newest block beside ${path} is ${pin === null ? 'damaged' : 'missing'}: run "npm run ledger -- verify"; ` +
      '"npm run ledger -- rebuild" writes it anew from a store that is whole.',
  );
}

function requirePinned(reader: StoreReader, height: number, pin: PinnedHead, path: string): void {
  if (pin.number >= height) {
    throw new LedgerError(
      'LEDGER.DAMAGED',
      `${path} ends at block ${height - 1}, but block ${pin.number} was written to it: its end is lost. Restore a backup.`,
    );
  }
  if (reader.block(pin.number)?.hash !== pin.hash) {
    throw new LedgerError(
      'LEDGER.DAMAGED',
      `Block ${pin.number} in ${path} is not the one that was written (${pin.hash}): restore a backup.`,
    );
  }
}
