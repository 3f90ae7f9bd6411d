import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirectory, requireEmptyDirectory } from '../store/directory/data-directory.js';
import { syncDirectory, writeFileDurably } from '../../../files/durable-files.js';
import { readPin } from '../store/head-pin.js';
import { type ChainHead, openProven } from '../store/prove-store.js';
import { blockFile, EXPORT_FORMAT, EXPORT_MANIFEST, openBlock, storedChain, type Progress } from './chain-source.js';

/** What {@link exportLedger} needs. */
export interface LedgerExport {
  readonly dataDir: string;
  /** A new or empty directory. */
  readonly target: string;
  readonly progress?: Progress;
}

/**
 * Writes every block as a file of its own, as Fabric's tools read it. The ledger may be in use meanwhile: blocks never
 * change, and those that come later are left out. Keys are not part of it.
 */
export function exportLedger({ dataDir, target, progress = () => undefined }: LedgerExport): ChainHead {
  const directory = new DataDirectory(dataDir);
  const names = directory.names();
  const store = directory.store(names.channel);
  const pin = readPin(directory.pin(names.channel));
  const { db, reader, head } = openProven(store, pin, 'blocks');
  try {
    const chain = storedChain(reader);
    const { height } = head;
    requireEmptyDirectory(target);
    for (let number = 0; number < height; number++) {
      writeFileSync(join(target, blockFile(number)), openBlock(chain.raw(number)).bytes, { flush: true });
      progress(number + 1, height);
    }
    const manifest = { format: EXPORT_FORMAT, ...names, height, currentBlockHash: head.currentHash };
    // The manifest says that the export is whole, so it comes last.
    syncDirectory(target);
    writeFileDurably(join(target, EXPORT_MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, 0o644);
    return head;
  } finally {
    db.close();
  }
}
