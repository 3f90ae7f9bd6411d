import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Ledger, SubmitResult } from '../../ports/ledger.port.js';
import { verifyLedger } from './maintenance/verify-ledger.js';
import { IdentityStore } from './store/identities/identity-store.js';
import { createAsset, failureOf, NAMES, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

const YEAR_MS = 365 * 24 * 3600 * 1000;

describe('keyed writes of the embedded ledger', () => {
  let directory: TemporaryDirectory;
  let ledger: Ledger;
  beforeEach(async () => {
    directory = new TemporaryDirectory();
    ledger = await openLedger(directory.path);
  });
  afterEach(async () => {
    jest.useRealTimers();
    await ledger.close();
    expect(await verifyLedger({ path: directory.path })).toMatchObject({ findings: [] });
    directory.remove();
  });
  const reopen = async (): Promise<void> => {
    await ledger.close();
    ledger = await openLedger(directory.path);
  };
  const submit = (caller?: string, since?: number): Promise<SubmitResult> =>
    ledger.channel().submit(createAsset(caller ?? 'service'), {
      ...(caller !== undefined && { caller }),
      idempotency: { key: 'k', owner: caller ?? 'nobody', ...(since !== undefined && { since }) },
    });

  it('are found again after a restart, and after the identities of caller and service were renewed', async () => {
    const first = [await submit('alice'), await submit()];
    const replayed = first.map((result) => ({ ...result, isReplay: true }));
    const repeat = async (): Promise<SubmitResult[]> => [await submit('alice'), await submit()];
    await reopen();
    expect(await repeat()).toEqual(replayed);
    await new IdentityStore(join(directory.path, 'identities'), NAMES.mspId).renewCaller('alice');
    await reopen();
    expect(await repeat()).toEqual(replayed);
    // The leaf of the service is re-issued at the first start in its last year.
    const now = Date.now() + 4.5 * YEAR_MS;
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'performance'] });
    await reopen();
    const since = now - YEAR_MS;
    expect(await submit(undefined, since)).toEqual(replayed[1]);
    // What signed four years ago is looked for when it is asked for.
    expect(await submit('alice', 0)).toEqual(replayed[0]);
    expect(await failureOf(submit('alice', since))).toMatchObject({ code: 'LEDGER.ASSET_EXISTS' });
    expect((await ledger.channel().chainInfo()).height).toBe(3);
  });
});
