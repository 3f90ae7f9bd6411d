import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Ledger, SubmitResult } from '#ledger-gateway';
import type { SigningOptions } from '#ledger-gateway/driver';
import { verifyLedger } from './maintenance/verify-ledger.js';
import { IdentityStore } from './store/identity-store.js';
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
  const reopen = async (signing: SigningOptions = {}): Promise<void> => {
    await ledger.close();
    ledger = await openLedger(directory.path, signing);
  };
  const submit = (caller?: string): Promise<SubmitResult> =>
    ledger.submit(createAsset(caller ?? 'service'), { caller, idempotencyKey: 'k' });

  it('are found after a restart, and after the identities of caller and service were renewed', async () => {
    const first = [await submit('alice'), await submit()];
    const replayed = first.map((result) => ({ ...result, isReplay: true }));
    const repeat = async (): Promise<SubmitResult[]> => [await submit('alice'), await submit()];
    await reopen();
    expect(await repeat()).toEqual(replayed);
    await new IdentityStore(join(directory.path, 'identities'), NAMES.mspId).renewCaller('alice');
    await reopen();
    expect(await repeat()).toEqual(replayed);
    // The service's certificate is re-issued at the first start in its last year.
    const now = Date.now() + 4.5 * YEAR_MS;
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'performance'] });
    await reopen({ idempotencyDays: 365 });
    expect(await submit()).toEqual(replayed[1]);
    expect(await failureOf(submit('alice'))).toMatchObject({ code: 'LEDGER.ASSET_EXISTS' });
    await reopen();
    expect(await submit('alice')).toEqual(replayed[0]);
    expect((await ledger.chainInfo()).height).toBe(3);
  });

  it.each([
    ['caller', 'service'],
    ['service', 'caller'],
  ] as const)('are executed once although the %s signed first, and then the %s', async (before, after) => {
    await reopen({ signAs: before });
    const first = await submit('alice');
    await reopen({ signAs: after });
    expect(await submit('alice')).toEqual({ ...first, isReplay: true });
    expect((await ledger.chainInfo()).height).toBe(2);
    await ledger.submit(createAsset('b'), { caller: 'alice', idempotencyKey: 'k2' });
  });

  it('are found under the recorded certificates of a caller whose identity file was lost when the service signs', async () => {
    const certificatesDir = directory.file('certificates');
    await reopen({ signAs: 'caller', certificatesDir });
    const first = await submit('alice');
    rmSync(directory.file('identities', 'callers', 'alice.pem'));
    await reopen({ signAs: 'service', certificatesDir });
    expect(await submit('alice')).toEqual({ ...first, isReplay: true });
  });
});
