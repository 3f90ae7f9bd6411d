import { rmSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CreatorNames } from '#chain-pages';
import { decodeBlock } from '#fabric-codec';
import { toolCommand } from '#files';
import { damaged, type LedgerLogger, misconfigured } from '#ledger-gateway';
import { CallIndexWriter } from './call-index.js';
import { recordsOf } from './derived-tables.js';
import { openForWriting } from './open-store.js';
import { damagedRecord, isDigestOf, recordDigest } from './record-digest.js';
import {
  createCallTables,
  createHashIndex,
  createStateTable,
  endOf,
  keyColumn,
  setFormat,
  STORE_FORMAT,
  storedKey,
  type StoreFormat,
} from './schema.js';
import { storeFailure } from './store-failure.js';
import { prepareRows, StoreReader } from './store-reader.js';

/** A conversion of the derived tables to another format. */
export interface Conversion {
  /** The format is converted from the other one. */
  readonly to: StoreFormat;
  /** Name of the chaincode, the only one in format 1. */
  readonly namespace: string;
  /** Called now and then with the number of keys converted, then of blocks indexed, and their total. */
  readonly progress?: ((done: number, total: number, unit: 'keys' | 'blocks') => void) | undefined;
}

/** Page cache during a conversion, which reads the histories in the order of the keys. */
const CACHE_KIB = 128 * 1024;
/** Keys converted, and blocks indexed, between two turns of the event loop, in which signals are handled. */
const KEYS_PER_TURN = 25_000;
const BLOCKS_PER_TURN = 500;
/** Estimated bytes of a row of the state apart from key and value, with its entry in the index of owners, and of a history entry. */
const STATE_BYTES = 128;
const ENTRY_BYTES = 48;
/** Estimated bytes of the index of calls and of that of hashes for a block. */
const BLOCK_BYTES = 176;
/** Free space that is left for everything else. */
const RESERVE_BYTES = 16 * 1024 * 1024;
const MIB = 1024 * 1024;

/**
 * Converts a store to another format in one transaction: it has the old format until the commit is durable, also after
 * kill -9, a power loss or a full disk. No other process may write to the store.
 * @throws `LEDGER.MISCONFIGURED` when there is not enough free space, `LEDGER.DAMAGED` when a record is damaged
 */
export async function convertStore(path: string, conversion: Conversion): Promise<void> {
  const db = openForWriting(path);
  try {
    db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA wal_checkpoint(PASSIVE)`);
    requireSpace(db, path, conversion.to);
    db.exec('BEGIN IMMEDIATE');
    await convertState(db, conversion);
    createHashIndex(db, conversion.to);
    if (conversion.to === STORE_FORMAT) await indexCalls(db, conversion);
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

function otherFormat(format: StoreFormat): StoreFormat {
  return format === 1 ? 2 : 1;
}

/** The new rows are written to the log first and then to the store, so that they take their space twice. */
function requireSpace(db: DatabaseSync, path: string, to: StoreFormat): void {
  const { keys, bytes, entries, blocks } = db
    .prepare(
      `SELECT count(*) AS keys, coalesce(sum(2 * length(CAST(${keyColumn(otherFormat(to))} AS BLOB))
        + coalesce(length(value), 0)), 0) AS bytes, (SELECT coalesce(max(entry), 0) FROM history) AS entries,
        (SELECT coalesce(max(number), 0) FROM blocks) AS blocks FROM state`,
    )
    .get() as Record<'keys' | 'bytes' | 'entries' | 'blocks', number>;
  const indexed = to === STORE_FORMAT ? blocks * BLOCK_BYTES : 0;
  const needed = 2 * (bytes + keys * STATE_BYTES + entries * ENTRY_BYTES + indexed) + RESERVE_BYTES;
  const { bavail, bsize } = statfsSync(dirname(path));
  const free = bavail * bsize;
  if (free >= needed) return;
  throw misconfigured(
    `Converting ${path} to another format requires ${Math.ceil(needed / MIB)} MiB of free space; ` +
      `${Math.ceil(free / MIB)} MiB are free. Nothing was changed. Free space, then start again.`,
  );
}

/** A row of the state. */
type StateRow = [key: string, value: Uint8Array | null, block: number, position: number, entry: number, digest: string];

/**
 * Converts the state and the histories in a transaction that the caller commits. The digest of each record is checked
 * before it gets a new one, so that damage cannot become valid.
 * @throws `LEDGER.DAMAGED` when a record is damaged, `LEDGER.MISCONFIGURED` when format 1 cannot store all namespaces
 */
export async function convertState(db: DatabaseSync, conversion: Conversion): Promise<void> {
  const { to, namespace, progress } = conversion;
  if (to === 1) {
    requireOneNamespace(db, namespace);
    createCallTables(db, to);
  }
  // SQLite changes the text of a definition when a table is renamed: the new table must be created under its final name.
  db.exec('DROP INDEX IF EXISTS owners; ALTER TABLE state RENAME TO old_state');
  createStateTable(db, to);
  const { keys: total } = db.prepare('SELECT count(*) AS keys FROM old_state').get() as { keys: number };
  const select = `SELECT ${keyColumn(otherFormat(to))}, value, block, position, entry, hex(digest) FROM old_state`;
  const insert = db.prepare('INSERT INTO state VALUES (?, ?, ?, ?, ?, ?)');
  const convertHistory = historyConverter(db);
  let [done, entries] = [0, 0];
  for (const row of prepareRows(db, select).iterate()) {
    const [oldKey, value, block, position, entry, digest] = row as unknown as StateRow;
    const numbers = [block, position, entry];
    if (!isDigestOf(digest, 'state', numbers, [oldKey, value])) {
      throw damagedRecord(`the state of ${JSON.stringify(oldKey)}`);
    }
    const newKey = storedKey(to, namespace, to === 1 ? oldKey.slice(namespace.length + 1) : oldKey);
    insert.run(newKey, value, block, position, entry, recordDigest('state', numbers, [newKey, value]));
    entries += convertHistory(oldKey, newKey, entry);
    if (++done % KEYS_PER_TURN !== 0) continue;
    progress?.(done, total, 'keys');
    await nextTurn();
  }
  const { count } = db.prepare('SELECT count(*) AS count FROM history').get() as { count: number };
  if (count !== entries) {
    throw damaged(`The histories contain entries that belong to no key: run "${toolCommand('ledger')} rebuild".`);
  }
  db.exec('DROP TABLE old_state');
  progress?.(done, total, 'keys');
}

/** Creates the index of calls from the blocks, in a transaction that the caller commits. */
async function indexCalls(db: DatabaseSync, { to, namespace, progress }: Conversion): Promise<void> {
  createCallTables(db, to);
  const [reader, creators, index] = [new StoreReader(db), new CreatorNames(), new CallIndexWriter(db)];
  db.exec('CREATE TEMP TABLE present (key TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID');
  const add = db.prepare('INSERT OR IGNORE INTO present VALUES (?)');
  const remove = db.prepare('DELETE FROM present WHERE key = ?');
  const height = reader.height();
  for (let number = 0; number < height; number++) {
    const { calls, writes } = recordsOf(decodeBlock(reader.requireBlock(number).bytes), creators);
    let newAssets = 0;
    for (const { key, value } of writes.filter((write) => write.namespace === namespace)) {
      newAssets += value === null ? -Number(remove.run(key).changes) : Number(add.run(key).changes);
    }
    index.add(number, calls, newAssets);
    if ((number + 1) % BLOCKS_PER_TURN !== 0) continue;
    progress?.(number + 1, height, 'blocks');
    await nextTurn();
  }
  db.exec('DROP TABLE temp.present');
  progress?.(height, height, 'blocks');
}

function requireOneNamespace(db: DatabaseSync, namespace: string): void {
  const other = db
    .prepare('SELECT qualified_key AS key FROM state WHERE qualified_key < ? OR qualified_key >= ? LIMIT 1')
    .get(storedKey(2, namespace, ''), endOf(namespace));
  if (other === undefined) return;
  const key = JSON.stringify(other['key']);
  throw misconfigured(`Format 1 cannot store ${key}, a key of another chaincode. Nothing was changed.`);
}

/** Returns a function that replaces the digests of a key's history entries and returns their number. */
function historyConverter(db: DatabaseSync): (oldKey: string, newKey: string, newest: number) => number {
  const read = prepareRows(db, 'SELECT previous, block, position, hex(digest) FROM history WHERE entry = ?');
  const update = db.prepare('UPDATE history SET digest = ? WHERE entry = ?');
  return (oldKey, newKey, newest) => {
    let count = 0;
    for (let entry = newest; entry !== 0; count++) {
      const row = read.get(entry) as unknown as [number, number, number, unknown] | undefined;
      const [previous, block, position, digest] = row ?? [0, 0, 0, undefined];
      const numbers = [entry, previous, block, position];
      if (!isDigestOf(digest, 'history', numbers, [oldKey])) {
        throw damagedRecord(`entry ${entry} of the history of ${JSON.stringify(oldKey)}`);
      }
      update.run(recordDigest('history', numbers, [newKey]), entry);
      entry = previous;
    }
    return count;
  };
}

/**
 * Converts a store to the format that this program writes, and logs the progress.
 * @throws what {@link convertStore} throws
 */
export async function upgradeStore(path: string, namespace: string, logger?: LedgerLogger): Promise<void> {
  const facts = { store: path, from: otherFormat(STORE_FORMAT), to: STORE_FORMAT };
  logger?.info(facts, 'upgrading the store; this happens once');
  const progress: Conversion['progress'] = (done, total, unit) => {
    logger?.info({ ...facts, done, total, unit }, 'upgrading the store');
  };
  await convertStore(path, { to: STORE_FORMAT, namespace, progress });
  logger?.info(facts, 'store upgraded');
}
