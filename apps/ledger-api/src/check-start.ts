import { checkDataDirectory } from '#ledger-gateway';
import { readCallers } from './access/callers-file.js';
import type { LedgerApiConfig } from './config/config.js';
import { readIdentity } from './server/tls-identity.js';

/**
 * Validates the files that a start with this configuration reads: certificate and key, callers file, data directory. Writes
 * nothing, and may run while a server uses the directory.
 * @throws the error with which the start would fail
 */
export async function checkStart({ server, callers, ledger }: LedgerApiConfig): Promise<void> {
  if (server.httpsPort !== 0 && server.tls !== undefined) await readIdentity(server.tls);
  if (callers.isOn) await readCallers(callers.file);
  if (ledger.driver === 'embedded') checkDataDirectory(ledger);
}
