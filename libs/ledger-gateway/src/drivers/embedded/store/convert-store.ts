import { rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LedgerError } from '../../../errors/ledger.errors.js';
import type { LedgerLogger } from '../../../ports/ledger.port.js';
import { openForWriting } from './open-store.js';
import { prepareRows } from './prepared-statements.js';
import { recordDigest, requireDigest } from './record-digest.js';
import { createStateTable, endOf, setFormat, STORE_FORMAT, storedKey, type StoreFormat } from './schema.js';
import { storeFailure } from './store-failure.js';
import { toolCommand } from '../../../files/installation.js';

/** A conversion of the derived tables to another format. */
export interface Conversion {
  readonly from: StoreFormat;
  readonly to: StoreFormat;
  /** Name of the chaincode, the only one in format 1. */
  readonly namespace: string;
  /** Called now and then with the number of keys converted and their total. */
  readonly progress?: (done: number, total: number) => void;
}

/** Page cache during a conversion, which reads the histories in the order of the keys. */
const CACHE_KIB = 128 * 1024;
/** Keys converted between two turns of the event loop, in which signals are handled. */
const KEYS_PER_TURN = 25_000;
/** Estimated bytes of a row of the state apart from key and value, of its entry in the index of owners, and of a history entry. */
const STATE_BYTES = 64;
const OWNER_BYTES = 64;
const ENTRY_BYTES = 48;
/** Free space that is left for everything else. */
const RESERVE_BYTES = 16 * 1024 * 1024;

/**
 * Converts a store to another format in one transaction: it has the old format until the commit is durable, also after
 * kill -9, a power loss or a full disk. No other process may write to the store.
 * @throws `LEDGER.MISCONFIGURED` when there is not enough free space, `LEDGER.DAMAGED` when a record is damaged
 */
export async function convertStore(path: string, conversion: Conversion): Promise<void> {
  const db = openForWriting(path);
  try {
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_checkpoint(PASSIVE)`);
    requireSpace(db, path, conversion.from);
    db.exec('BEGIN IMMEDIATE');
    await convertState(db, conversion);
    setFormat(db, conversion.to);
    db.exec('COMMIT');
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch (error) {
    // After some failures SQLite has rolled back already. Closing the file drops what was not committed.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw storeFailure(error, path);
  } finally {
    db.close();
  }
  // Release 0.1 stored the index of owners in its own file, and creates it again when it is missing.
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(dirname(path), `owners.db${suffix}`), { force: true });
}

/** The new rows are written to the log first and then to the store, so that they take their space twice. */
function requireSpace(db: DatabaseSync, path: string, from: StoreFormat): void {
  const { keys, bytes, entries } = db
    .prepare(
      `SELECT count(*) AS keys, coalesce(sum(2 * length(CAST(${from === 1 ? 'key' : 'qualified_key'} AS BLOB))
        + coalesce(length(value), 0)), 0) AS bytes, (SELECT coalesce(max(entry), 0) FROM history) AS entries FROM state`,
    )
    .get() as Record<'keys' | 'bytes' | 'entries', number>;
  const written = bytes + keys * (STATE_BYTES + OWNER_BYTES) + entries * ENTRY_BYTES;
  const needed = 2 * written + RESERVE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize >= needed) return;
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `Converting ${path} to another format requires ${mebibytes(needed)} MiB of free space; ` +
      `${mebibytes(bavail * bsize)} MiB are free. Nothing was changed. Free space, then start again.`,
  );
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}

/** A row of the state. */
type StateRow = [
  key: string,
  value: Uint8Array | null,
  block: number,
  position: number,
  entry: number,
  digest: unknown,
];

/**
 * Converts the state and the histories in a transaction that the caller commits. The digest of each record is checked
 * before it gets a new one, so that damage cannot become valid.
 * @throws `LEDGER.DAMAGED` when a record is damaged, `LEDGER.MISCONFIGURED` when format 1 cannot store all namespaces
 */
export async function convertState(db: DatabaseSync, conversion: Conversion): Promise<void> {
  const { from, to, namespace, progress } = conversion;
  if (to === 1) requireOneNamespace(db, namespace);
  // SQLite changes the text of a definition when a table is renamed: the new table must be created under its final name.
  db.exec('DROP INDEX IF EXISTS owners; ALTER TABLE state RENAME TO old_state');
  createStateTable(db, to);
  const { keys: total } = db.prepare('SELECT count(*) AS keys FROM old_state').get() as { keys: number };
  const rows = prepareRows(db, 'SELECT * FROM old_state').iterate() as unknown as Iterable<StateRow>;
  const insert = db.prepare('INSERT INTO state VALUES (?, ?, ?, ?, ?, ?)');
  const histories = new HistoryConverter(db);
  let done = 0;
  for (const [oldKey, value, block, position, entry, digest] of rows) {
    const numbers = [block, position, entry];
    requireDigest('state', `the state of ${JSON.stringify(oldKey)}`, digest, numbers, [oldKey, value]);
    const key = from === 1 ? oldKey : oldKey.slice(namespace.length + 1);
    const newKey = storedKey(to, namespace, key);
    insert.run(newKey, value, block, position, entry, recordDigest('state', numbers, [newKey, value]));
    histories.convert(oldKey, newKey, entry);
    if (++done % KEYS_PER_TURN !== 0) continue;
    progress?.(done, total);
    await nextTurn();
  }
  histories.requireComplete();
  db.exec('DROP TABLE old_state');
  progress?.(done, total);
}

function requireOneNamespace(db: DatabaseSync, namespace: string): void {
  const other = db
    .prepare('SELECT qualified_key FROM state WHERE qualified_key < ? OR qualified_key >= ? LIMIT 1')
    .get(storedKey(2, namespace, ''), endOf(namespace));
  if (other === undefined) return;
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `Format 1 cannot store ${JSON.stringify(other['qualified_key'])}, a key of another chaincode. Nothing was changed.`,
  );
}

/** Replaces the digests of history entries, key by key. */
class HistoryConverter {
  readonly #read;
  readonly #update;
  readonly #count;
  #converted = 0;

  constructor(db: DatabaseSync) {
    this.#read = prepareRows(db, 'SELECT previous, block, position, digest FROM history WHERE entry = ?');
    this.#update = db.prepare('UPDATE history SET digest = ? WHERE entry = ?');
    this.#count = db.prepare('SELECT count(*) AS entries FROM history');
  }

  convert(oldKey: string, newKey: string, newest: number): void {
    for (let entry = newest; entry !== 0;) {
      const row = this.#read.get(entry) as unknown as [number, number, number, unknown] | undefined;
      const name = `entry ${entry} of the history of ${JSON.stringify(oldKey)}`;
      const [previous, block, position, digest] = row ?? [0, 0, 0, undefined];
      const numbers = [entry, previous, block, position];
      requireDigest('history', name, digest, numbers, [oldKey]);
      this.#update.run(recordDigest('history', numbers, [newKey]), entry);
      this.#converted++;
      entry = previous;
    }
  }

  /** @throws `LEDGER.DAMAGED` when an entry belongs to no key */
  requireComplete(): void {
    const { entries } = this.#count.get() as { entries: number };
    if (entries === this.#converted) return;
    throw new LedgerError(
      'LEDGER.DAMAGED',
      `The histories contain entries that belong to no key: run "${toolCommand('ledger')} rebuild".`,
    );
  }
}

/** Options of {@link upgradeStore}. */
export interface StoreUpgrade {
  readonly from: StoreFormat;
  readonly namespace: string;
  readonly logger: LedgerLogger | undefined;
}

/**
 * Converts a store to the format that this program writes, and logs the progress.
 * @throws what {@link convertStore} throws
 */
export async function upgradeStore(path: string, { from, namespace, logger }: StoreUpgrade): Promise<void> {
  const facts = { store: path, from, to: STORE_FORMAT };
  logger?.info(facts, 'upgrading the store; this happens once');
  await convertStore(path, {
    from,
    to: STORE_FORMAT,
    namespace,
    progress: (done, total) => {
      logger?.info({ ...facts, done, total }, 'upgrading the store');
    },
  });
  logger?.info(facts, 'store upgraded');
}
