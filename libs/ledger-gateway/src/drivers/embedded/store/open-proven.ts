import type { DatabaseSync } from 'node:sqlite';
import { DamagedError } from '../../../errors/ledger.errors.js';
import type { ChainHead } from './check-head.js';
import { headOf } from './check-head.js';
import { damageInLog } from './damage-in-log.js';
import type { PinnedHead } from './head-pin.js';
import { openForReading } from './open-store.js';
import { REPAIR } from './prepared-statements.js';
import { schemaFaults, type StorePart } from './schema.js';
import { storeFailure } from './store-failure.js';
import { StoreReader } from './store-reader.js';

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
 * @throws {@link DamagedError}, {@link MisconfiguredError}; nothing is open then
 */
export function openProven(path: string, pin: PinnedHead | null | undefined, part: StorePart = 'all'): ProvenStore {
  let db: DatabaseSync | undefined;
  try {
    db = openForReading(path);
    requireSchema(db, path, part);
    const reader = new StoreReader(db);
    const head = headOf(reader, pin, path);
    if (head === undefined) throw new DamagedError(`${path} holds no block: restore it from a backup.`);
    return { db, reader, head };
  } catch (error) {
    db?.close();
    throw withDamageInLog(storeFailure(error, path), path);
  }
}

/**
 * Refuses a store whose tables are not those of its format.
 * @throws {@link DamagedError}
 */
export function requireSchema(db: DatabaseSync, path: string, part: StorePart): void {
  const [fault] = schemaFaults(db, part);
  if (fault === undefined) return;
  throw new DamagedError(
    `${path} is not as it was made: ${fault}. ${REPAIR[0]?.toUpperCase() ?? ''}${REPAIR.slice(1)}`,
  );
}

/** Says where the log is damaged that a damaged store depends on. */
export function withDamageInLog(error: Error, path: string): Error {
  const damage = error instanceof DamagedError ? damageInLog(path) : undefined;
  return damage === undefined ? error : new DamagedError(`${error.message} ${damage}`, { cause: error });
}
