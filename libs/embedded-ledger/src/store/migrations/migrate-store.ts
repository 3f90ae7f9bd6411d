import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { beginTransaction, rollBack } from '#chain-pages';
import { type LedgerLogger, misconfigured } from '#ledger-gateway';
import type { Migration, MigrationContext } from './migration.js';
import { MIGRATIONS } from './migrations.js';
import { formatOf, openForWriting } from '../open-store.js';
import { schemaFaults, setFormat } from '../schema.js';
import { storeFailure } from '../store-failure.js';

/** Page cache during a migration, which may read the histories in the order of the keys. */
const CACHE_KIB = 128 * 1024;
/** Free space that is left for everything else. */
const RESERVE_BYTES = 16 * 1024 * 1024;
const MIB = 1024 * 1024;

/**
 * Upgrades a store to the newest format in one transaction. No other process may write to the store.
 * @throws `LEDGER.MISCONFIGURED` when there is not enough free space, `LEDGER.DAMAGED` when a record is damaged
 */
export async function migrateStore(
  path: string,
  context: MigrationContext,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const db = openForWriting(path);
  try {
    const format = formatOf(db, path);
    const pending = migrations.filter((migration) => migration.format > format);
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_checkpoint(PASSIVE)`);
    requireSpace(db, path, pending);
    // Until COMMIT returns, the store has the old format: a crash or a full disk leaves nothing of the migrations, and the
    // next start begins again. Afterwards it has the new one; the log that the crash left is read by the next connection.
    const transaction = beginTransaction(db);
    for (const migration of pending) {
      await migration.run(transaction, context);
      setFormat(transaction, migration.format);
    }
    requireSchema(db, pending.at(-1)?.format ?? format);
    db.exec('COMMIT');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    rollBack(db);
    throw storeFailure(error, path);
  } finally {
    db.close();
  }
}

/** A migration that leaves other tables than a new store has would make every later start fail. */
function requireSchema(db: DatabaseSync, format: number): void {
  const [fault] = schemaFaults(db, format);
  if (fault !== undefined) throw new Error(`The migration to format ${format} is incomplete: ${fault}.`);
}

/** New rows are written to the log first and then to the store, so that they take their space twice. */
function requireSpace(db: DatabaseSync, path: string, migrations: readonly Migration[]): void {
  const added = migrations.reduce((sum, migration) => sum + migration.addedBytes(db), 0);
  const needed = 2 * added + RESERVE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  if (free >= needed) return;
  throw misconfigured(
    `Upgrading ${path} requires ${Math.ceil(needed / MIB)} MiB of free space; ` +
      `${Math.ceil(free / MIB)} MiB are free. Nothing was changed. Free space, then start again.`,
  );
}

/**
 * Upgrades a store and logs the progress.
 * @throws what {@link migrateStore} throws
 */
export async function upgradeStore(path: string, namespace: string, logger?: LedgerLogger): Promise<void> {
  logger?.info({ store: path }, 'upgrading the store; this happens once');
  await migrateStore(path, {
    namespace,
    progress: (done, total, unit) => logger?.info({ store: path, done, total, unit }, 'upgrading the store'),
  });
  logger?.info({ store: path }, 'store upgraded');
}
