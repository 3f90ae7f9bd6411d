import { convertStore } from '../store/convert-store.js';
import { DataDirectory } from '../store/data-directory.js';
import { readPin } from '../store/head-pin.js';
import { openProven, type ChainHead } from '../store/open-store.js';
import type { StoreFormat } from '../store/schema.js';
import type { Progress } from './chain-source.js';

/** Options of {@link convertLedger}. */
export interface LedgerConversion {
  readonly dataDir: string;
  /** The format that the store shall have. */
  readonly format: StoreFormat;
  readonly progress?: Progress;
}

/** The result of a conversion. */
export interface ConvertedLedger extends ChainHead {
  /** The format that the store had before. */
  readonly previousFormat: StoreFormat;
}

/**
 * Converts the store of a ledger that is not in use to another format: to an older one for an older program, whose blocks,
 * keys and later writes remain.
 * @throws `LEDGER.MISCONFIGURED` when the ledger is in use or there is not enough free space, `LEDGER.DAMAGED`
 */
export async function convertLedger({ dataDir, format, progress }: LedgerConversion): Promise<ConvertedLedger> {
  const directory = new DataDirectory(dataDir);
  const { channel, chaincode: namespace } = directory.names();
  const lock = directory.hold();
  try {
    directory.finishRebuild(channel);
    const path = directory.store(channel);
    const { db, format: from, head } = openProven(path, readPin(directory.pin(channel)));
    db.close();
    if (from !== format) await convertStore(path, { from, to: format, namespace, ...(progress && { progress }) });
    return { ...head, previousFormat: from };
  } finally {
    lock.release();
  }
}
