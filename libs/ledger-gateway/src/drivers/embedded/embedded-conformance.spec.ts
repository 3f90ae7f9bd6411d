import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerConformance } from '../../testing/ledger-conformance.js';
import { createEmbeddedLedger } from './embedded.js';

ledgerConformance('The embedded ledger', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledger-'));
  const ledger = await createEmbeddedLedger({ dataDir, channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' });
  return {
    ledger,
    dispose: () => {
      rmSync(dataDir, { recursive: true });
    },
  };
});
