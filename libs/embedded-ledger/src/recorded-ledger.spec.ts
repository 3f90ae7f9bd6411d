import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { backupLedger, exportLedger, importLedger, rebuildLedger, verifyLedger } from './index.js';
import { createAsset, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

const RECORDED = join(import.meta.dirname, '../../../test/fixtures/ledger-format-2');
const HEAD = '8875bac455335421cc776e560ab46c6a4205bb6a04f81ecd11796ccbd4154cb4';
const NEWEST = '5a9fdb79000c683f482ec9e75d60284c5a3d7f237a807c8581e4f834862e4da8';

/** The data directory of a killed process of release 0.2, with its log, which every later version must open. */
describe('a recorded ledger of format 2', () => {
  let work: TemporaryDirectory;
  let data: string;
  beforeEach(() => {
    work = new TemporaryDirectory();
    data = work.file('data');
    cpSync(RECORDED, data, { recursive: true });
    for (const name of ['ledger.db', 'ledger.db-wal']) {
      const path = join(data, 'channels', 'mychannel', name);
      writeFileSync(path, gunzipSync(readFileSync(`${path}.gz`)));
      rmSync(`${path}.gz`);
      chmodSync(path, 0o600);
    }
    // Git stores no file modes but the executable bit.
    for (const name of ['ca.key', 'client', 'peer', 'orderer'])
      chmodSync(join(data, 'identities', `${name}.pem`), 0o600);
  });
  afterEach(() => {
    work.remove();
  });

  const expectSound = async (path: string, height = 6) => {
    expect(await verifyLedger({ path, expect: { height: 6, hash: HEAD } })).toMatchObject({ height, findings: [] });
  };
  const expectServed = async (path: string) => {
    const ledger = await openLedger(path);
    const channel = ledger;
    expect(await channel.chainInfo()).toMatchObject({ height: 6, currentBlockHash: HEAD });
    expect(await channel.transactionById(NEWEST)).toMatchObject({ blockNumber: 5, validationCode: 0 });
    const list = await channel.evaluate({ function: 'GetAllAssets', arguments: [] });
    expect((JSON.parse(Buffer.from(list).toString()) as { ID: string }[]).map(({ ID }) => ID)).toEqual([
      ...['asset1', 'asset3', 'asset4', 'asset5', 'asset6', 'asset7 – é 🦆', 'asset8'],
    ]);
    expect((await channel.submit(createAsset('new'))).blockNumber).toBe(6);
    await ledger.close();
    await expectSound(path, 7);
  };

  it('can be verified, opened and written to', async () => {
    await expectSound(data);
    await expectServed(data);
  });

  it('can be backed up, and its backup opened', async () => {
    await backupLedger({ dataDir: data, target: work.file('backup') });
    await expectSound(work.file('backup'));
    await expectServed(work.file('backup'));
  });

  it('can be exported, and imported again with its keys', async () => {
    await exportLedger({ dataDir: data, target: work.file('export') });
    await importLedger({ source: work.file('export'), dataDir: work.file('again'), keys: join(data, 'identities') });
    await expectServed(work.file('again'));
  });

  it('can be rebuilt', async () => {
    await rebuildLedger({ dataDir: data });
    await expectServed(data);
  });
});
