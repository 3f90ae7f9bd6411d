import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { backup } from 'node:sqlite';
import { DamagedError } from '../../../errors/ledger.errors.js';
import { DataDirectory } from '../directory/data-directory.js';
import { writeFileDurably } from '../directory/write-file-durably.js';
import { copyIdentities } from '../identities/copy-identities.js';
import { headOf } from '../store/check-head.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { openForReading } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import type { ChainHead } from '../writer/messages.js';
import type { Progress } from './chain-source.js';
import { requireEmptyDirectory } from './require-empty-directory.js';

/** Pages copied between two reports of progress. */
const PAGES_AT_ONCE = 2000;

/** What {@link backupLedger} needs. */
export interface LedgerBackup {
  readonly dataDir: string;
  /** A new or empty directory. */
  readonly target: string;
  readonly progress?: Progress;
}

/**
 * Copies a ledger, in use or not, with its keys into a directory that can be used as a data directory as it is. The copy
 * is of one moment; writes go on meanwhile.
 */
export async function backupLedger({ dataDir, target, progress = () => undefined }: LedgerBackup): Promise<ChainHead> {
  const from = new DataDirectory(dataDir);
  const to = new DataDirectory(target);
  const { channel } = from.names();
  const pin = readPin(from.pin(channel));
  requireEmptyDirectory(target);
  mkdirSync(to.channel(channel), { recursive: true, mode: 0o700 });
  await copyStore(from.store(channel), to.store(channel), progress);
  if (existsSync(from.identities)) copyIdentities(from.identities, to.identities);

  const db = openForReading(to.store(channel));
  try {
    // Against the pin that was read before the copy began: what was acknowledged then must be in it.
    const head = headOf(new StoreReader(db), pin, from.store(channel));
    if (head === undefined) throw new DamagedError(`${from.store(channel)} holds no block.`);
    const copy = HeadPin.open(to.pin(channel));
    copy.write({ number: head.height - 1, hash: head.currentHash });
    copy.close();
    // The manifest makes it a ledger, so it comes last.
    writeFileDurably(to.manifest, readFileSync(from.manifest));
    return head;
  } finally {
    db.close();
  }
}

async function copyStore(from: string, to: string, progress: Progress): Promise<void> {
  const db = openForReading(from);
  try {
    // An open read transaction keeps the copy on one moment; without it each write would start the copy anew.
    db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
    await backup(db, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => {
        progress(totalPages - remainingPages, totalPages);
      },
    });
    chmodSync(to, 0o600);
  } catch (error) {
    throw storeFailure(error, from);
  } finally {
    db.close();
  }
}
