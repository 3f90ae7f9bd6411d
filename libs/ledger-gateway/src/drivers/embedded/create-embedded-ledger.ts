import type { Ledger } from '../../ports/ledger.port.js';
import type { EmbeddedLedgerOptions } from './handover/open-embedded-ledger.js';

/**
 * Opens the ledger in a data directory, or makes a new one. Its code is loaded only now.
 * @throws `LEDGER.MISCONFIGURED` when the directory cannot be written, is in use by another process, or was made for
 * another channel, chaincode or MSP or by a newer program; `LEDGER.DAMAGED` when what is stored is not what was written
 */
export async function createEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  const { openEmbeddedLedger } = await import('./handover/open-embedded-ledger.js');
  return openEmbeddedLedger(options);
}
