import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { DataDirectory, requireEmptyDirectory } from '../store/directory/data-directory.js';
import { makeDirectory, writeFileDurably } from '../../../files/durable-files.js';
import { copyIdentities, IdentityStore } from '../store/identities/identity-store.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { type ChainHead, openProven } from '../store/prove-store.js';
import { storeFailure } from '../store/store-failure.js';
import type { Progress } from './chain-source.js';

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
  const { channel, mspId } = from.names();
  requireSoundIdentities(from, mspId);
  const pin = readPin(from.pin(channel));
  const { db: source } = openProven(from.store(channel), pin);
  try {
    requireEmptyDirectory(target);
    makeDirectory(to.channel(channel));
    await copyStore(source, to.store(channel), progress);
  } catch (error) {
    throw storeFailure(error, from.store(channel));
  } finally {
    source.close();
  }
  if (existsSync(from.identities)) copyIdentities(from.identities, to.identities);

  // Against the pin that was read before the copy began: what was acknowledged then must be in it.
  const { db, head } = openProven(to.store(channel), pin);
  try {
    HeadPin.create(to.pin(channel), { number: head.height - 1, hash: head.currentHash });
    // The manifest makes it a ledger, so it comes last.
    writeFileDurably(to.manifest, readFileSync(from.manifest));
    return head;
  } finally {
    db.close();
  }
}

/** A backup with keys that nobody can use would be found out when it is needed. */
function requireSoundIdentities({ identities }: DataDirectory, mspId: string): void {
  const store = new IdentityStore(identities, mspId);
  const [fault] = store.exists() ? store.faults() : [];
  if (fault !== undefined)
    throw new LedgerError('LEDGER.DAMAGED', `${fault} Nothing was copied; "export" writes the blocks alone.`);
}

async function copyStore(db: DatabaseSync, to: string, progress: Progress): Promise<void> {
  // An open read transaction keeps the copy on one moment; without it each write would start the copy anew.
  db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  await backup(db, to, {
    rate: PAGES_AT_ONCE,
    progress: ({ totalPages, remainingPages }) => {
      progress(totalPages - remainingPages, totalPages);
    },
  });
  chmodSync(to, 0o600);
}
