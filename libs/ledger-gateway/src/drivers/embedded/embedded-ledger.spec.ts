import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ports/ledger.port.js';
import { createEmbeddedLedger } from './create-embedded-ledger.js';

const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };

describe('the embedded ledger', () => {
  let dataDir: string;
  let ledger: Ledger;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'ledger-'));
    ledger = await createEmbeddedLedger({ dataDir, ...NAMES });
  });
  afterEach(async () => {
    await ledger.close();
    rmSync(dataDir, { recursive: true });
  });

  it('records a transaction and gives it back', async () => {
    const channel = ledger.channel();
    const submitted = await channel.submit({ function: 'CreateAsset', arguments: ['a', 'blue', '5', 'Tom', '300'] });
    expect(submitted.blockNumber).toBe(1);
    expect(JSON.parse(Buffer.from(submitted.result).toString())).toMatchObject({ ID: 'a' });
    const read = await channel.evaluate({ function: 'ReadAsset', arguments: ['a'] });
    expect(JSON.parse(Buffer.from(read).toString())).toMatchObject({ ID: 'a', owner: 'Tom' });
    const found = await channel.transactionById(submitted.transactionId);
    expect(found).toMatchObject({ blockNumber: 1, validationCode: 0 });
  });
});
