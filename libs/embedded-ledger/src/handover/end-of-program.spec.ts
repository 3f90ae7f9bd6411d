import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAsset, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const FROM_SOURCE = pathToFileURL(join(process.cwd(), 'libs/threads/src/run-from-source.mjs')).href;
const LEDGER = pathToFileURL(join(import.meta.dirname, '../testing/temporary-ledger.ts')).href;

it('a program that does not close its ledger ends after its last write', async () => {
  const directory = new TemporaryDirectory();
  const script = `
    const { createAsset, openLedger } = await import(${JSON.stringify(LEDGER)});
    const ledger = await openLedger(${JSON.stringify(directory.path)});
    void ledger.submit(createAsset('last')).then(() => console.log('written'));
  `;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', '--import', FROM_SOURCE, '--conditions=source', '--input-type=module', '--eval', script],
    { encoding: 'utf8' },
  );
  expect([stdout, status, stderr]).toEqual(['written\n', 0, '']);
  const ledger = await openLedger(directory.path);
  await expect(ledger.submit(createAsset('last'))).rejects.toMatchObject({ code: 'LEDGER.ASSET_EXISTS' });
  await ledger.close();
  directory.remove();
});
