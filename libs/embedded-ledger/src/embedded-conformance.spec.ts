import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ledgerConformance } from '#ledger-gateway/testing';
import { createEmbeddedLedger } from './index.js';

ledgerConformance('The embedded ledger', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'ledger-'));
  const names = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
  const ledger = await createEmbeddedLedger({ dataDir, ...names, hasTree: true });
  return {
    ledger,
    dispose: () => {
      rmSync(dataDir, { recursive: true });
    },
  };
});
