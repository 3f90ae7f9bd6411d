import type { Ledger } from '../../ports/ledger.port.js';
import { createAsset, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';
import { verifyLedger } from './maintenance/verify-ledger.js';

describe('keyed writes of the embedded ledger', () => {
  let directory: TemporaryDirectory;
  let ledger: Ledger;
  beforeAll(async () => {
    directory = new TemporaryDirectory();
    ledger = await openLedger(directory.path);
  });
  afterAll(async () => {
    await ledger.close();
    expect(await verifyLedger({ path: directory.path })).toMatchObject({ findings: [] });
    directory.remove();
  });
  const reopen = async (): Promise<void> => {
    await ledger.close();
    ledger = await openLedger(directory.path);
  };

  it('are found again after a restart', async () => {
    const submit = () => ledger.channel().submit(createAsset('restart'), { idempotency: { key: 'restart' } });
    const first = await submit();
    await reopen();
    expect(await submit()).toEqual({ ...first, isReplay: true });
  });
});
