import type { Ledger } from '../../ports/ledger.port.js';
import type { EmbeddedLedgerOptions } from './handover/open-embedded-ledger.js';

/**
 * Opens the ledger of a data directory, or creates a new one. Loads the driver's code on demand.
 * @throws `LEDGER.MISCONFIGURED` when the directory cannot be written, is in use by another process, or was created for
 * another channel, chaincode or MSP or by a newer version; `LEDGER.DAMAGED` when the stored data was altered
 */
export async function createEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  const { openEmbeddedLedger } = await import('./handover/open-embedded-ledger.js');
  return openEmbeddedLedger(options);
}
