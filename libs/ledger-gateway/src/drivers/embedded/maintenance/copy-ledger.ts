import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { backup, type DatabaseSync } from 'node:sqlite';
import { damaged } from '../../../errors/ledger.errors.js';
import { makeDirectory, syncDirectory, writeFileDurably } from '../../../files/durable-files.js';
import { DataDirectory, requireEmptyDirectory } from '../store/data-directory.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { copyIdentities, IdentityStore } from '../store/identity-store.js';
import { openProven } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import type { ChainHead } from '../store/store-reader.js';
import { blockFile, EXPORT_FORMAT, EXPORT_MANIFEST, openBlock, storedChain, type Progress } from './chain-source.js';

/** Pages copied between two reports of progress. */
const PAGES_PER_REPORT = 2000;

/** Options of {@link backupLedger} and {@link exportLedger}. */
export interface LedgerCopy {
  readonly dataDir: string;
  /** A new or empty directory. */
  readonly target: string;
  readonly progress?: Progress;
}

/**
 * Copies a ledger, in use or not, with its keys into a directory that can be used as a data directory. The copy is of one
 * moment and in the format of the original; writes continue meanwhile.
 */
export async function backupLedger({ dataDir, target, progress = () => undefined }: LedgerCopy): Promise<ChainHead> {
  const from = new DataDirectory(dataDir);
  const to = new DataDirectory(target);
  const { channel, mspId } = from.names();
  requireUsableIdentities(from, mspId);
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

  // Against the pin that was read before the copy began: the copy must contain what was acknowledged by then.
  const { db, head } = openProven(to.store(channel), pin);
  db.close();
  HeadPin.open(to.pin(channel), { number: head.height - 1, hash: head.currentHash }).close();
  // The manifest is last: with it the directory is a ledger.
  writeFileDurably(to.manifest, readFileSync(from.manifest));
  return head;
}

/** Damaged keys in a backup would be discovered only when it is needed. */
function requireUsableIdentities({ identities }: DataDirectory, mspId: string): void {
  const store = new IdentityStore(identities, mspId);
  const [fault] = store.exists() ? store.faults() : [];
  if (fault !== undefined) throw damaged(`${fault} Nothing was copied; "export" writes the blocks alone.`);
}

async function copyStore(db: DatabaseSync, to: string, progress: Progress): Promise<void> {
  // An open read transaction keeps the copy at one moment; without it each write would restart the copy.
  db.exec('BEGIN; SELECT count(*) FROM sqlite_schema');
  await backup(db, to, {
    rate: PAGES_PER_REPORT,
    progress: ({ totalPages, remainingPages }) => {
      progress(totalPages - remainingPages, totalPages);
    },
  });
  chmodSync(to, 0o600);
}

/**
 * Writes every block as its own file, as Fabric's tools read it. The ledger may be in use: blocks never change, and newer
 * ones are left out. Keys are not exported.
 */
export function exportLedger({ dataDir, target, progress = () => undefined }: LedgerCopy): ChainHead {
  const directory = new DataDirectory(dataDir);
  const names = directory.names();
  const pin = readPin(directory.pin(names.channel));
  const { db, reader, head } = openProven(directory.store(names.channel), pin, 'blocks');
  try {
    const chain = storedChain(reader);
    const { height } = head;
    requireEmptyDirectory(target);
    for (let number = 0; number < height; number++) {
      writeFileSync(join(target, blockFile(number)), openBlock(chain.raw(number)).bytes, { flush: true });
      progress(number + 1, height);
    }
    const manifest = { format: EXPORT_FORMAT, ...names, height, currentBlockHash: head.currentHash };
    // The manifest is last: with it the export is complete.
    syncDirectory(target);
    writeFileDurably(join(target, EXPORT_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, 0o644);
    return head;
  } finally {
    db.close();
  }
}
