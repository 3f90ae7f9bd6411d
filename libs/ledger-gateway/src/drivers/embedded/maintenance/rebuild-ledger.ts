import { renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DataDirectory } from '../directory/data-directory.js';
import { DirectoryLock } from '../directory/directory-lock.js';
import { syncDirectory } from '../directory/write-file-durably.js';
import { headOf } from '../store/check-head.js';
import { DamagedError } from '../../../errors/ledger.errors.js';
import { HeadPin, readPin, type PinnedHead } from '../store/head-pin.js';
import { storeFailure } from '../store/store-failure.js';
import { openForReading, openForWriting, requireFormat } from '../store/open-store.js';
import { StoreReader } from '../store/store-reader.js';
import type { ChainHead } from '../writer/messages.js';
import { buildStore } from './build-store.js';
import { storedChain, type Progress } from './chain-source.js';
import { replayBlocks } from './replay-blocks.js';

/** What {@link rebuildLedger} needs. */
export interface LedgerRebuild {
  readonly dataDir: string;
  readonly progress?: Progress;
}

/**
 * Makes state, index and histories anew from the blocks, in a new file that replaces the old one when it is whole; also
 * writes the pin anew when that is lost.
 * @throws {@link DamagedError} when blocks are damaged or lost: only a backup helps then
 */
export function rebuildLedger({ dataDir, progress = () => undefined }: LedgerRebuild): ChainHead {
  const directory = new DataDirectory(dataDir);
  const { channel, chaincode } = directory.names();
  const lock = DirectoryLock.take(directory.lock, directory.path);
  const store = directory.store(channel);
  const rebuilt = `${store}.rebuilt`;
  let db: DatabaseSync | undefined;
  try {
    const pin = readPin(directory.pin(channel));
    db = openForWriting(store);
    requireFormat(db, store);
    buildStore({
      path: rebuilt,
      source: storedChain(new StoreReader(db)),
      takerFor: (built) => replayBlocks(built, chaincode),
      progress,
    });
    const head = headOfStore(rebuilt, pin ?? undefined);
    // Nothing of the old file may be left to SQLite's recovery when the new one takes its place.
    db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE');
    db.close();
    renameSync(rebuilt, store);
    syncDirectory(directory.channel(channel));
    pinAnew(directory.pin(channel), head);
    return head;
  } catch (error) {
    throw storeFailure(error, store);
  } finally {
    if (db?.isOpen === true) db.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${rebuilt}${suffix}`, { force: true });
    lock.release();
  }
}

function headOfStore(path: string, pin: PinnedHead | undefined): ChainHead {
  const db = openForReading(path);
  try {
    const reader = new StoreReader(db);
    const head = headOf(reader, pin ?? pinOf(reader), path);
    if (head === undefined) throw new DamagedError(`${path} holds no block: restore a backup.`);
    return head;
  } finally {
    db.close();
  }
}

/** For a lost pin the store itself is believed. */
function pinOf(reader: StoreReader): PinnedHead | undefined {
  const newest = reader.block(reader.height() - 1);
  return newest && { number: newest.number, hash: newest.hash };
}

function pinAnew(path: string, { height, currentHash }: ChainHead): void {
  rmSync(path, { force: true });
  const pin = HeadPin.open(path);
  pin.write({ number: height - 1, hash: currentHash });
  pin.close();
}
