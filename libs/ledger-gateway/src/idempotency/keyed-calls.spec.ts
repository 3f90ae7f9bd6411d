import { LedgerError } from '../errors/ledger.errors.js';
import type { CallOptions, LedgerCall, SubmitResult } from '../ports/ledger.port.js';
import { KeyedCalls } from './keyed-calls.js';

const CALL: LedgerCall = { function: 'CreateAsset', arguments: ['a'] };
const WRITTEN: SubmitResult = { transactionId: 't', blockNumber: 1, result: new Uint8Array() };

describe('KeyedCalls', () => {
  let calls: KeyedCalls;
  let begun: PromiseWithResolvers<SubmitResult>[];
  beforeEach(() => {
    calls = new KeyedCalls();
    begun = [];
  });
  const submit = (options: CallOptions & { readonly owner?: string } = {}, call = CALL): Promise<SubmitResult> => {
    const { owner, ...limits } = options;
    return calls.submit(call, { ...limits, idempotency: { key: 'k', ...(owner !== undefined && { owner }) } }, () => {
      const write = Promise.withResolvers<SubmitResult>();
      begun.push(write);
      return write.promise;
    });
  };

  it('begins one of several copies, whose end is that of all', async () => {
    const copies = [submit(), submit(), submit()];
    expect(begun).toHaveLength(1);
    begun[0]!.resolve(WRITTEN);
    expect(await Promise.all(copies)).toEqual([
      WRITTEN,
      { ...WRITTEN, isReplay: true },
      { ...WRITTEN, isReplay: true },
    ]);
  });

  it('lets all fail together, and begins anew for who comes later', async () => {
    const copies = [submit(), submit()];
    const refusal = new Error('refused');
    begun[0]!.reject(refusal);
    for (const copy of copies) await expect(copy).rejects.toBe(refusal);
    const later = submit();
    begun[1]!.resolve(WRITTEN);
    expect(await later).toEqual(WRITTEN);
  });

  it('refuses another write at once, and takes it under the key of another owner', async () => {
    const first = submit();
    for (const other of [
      { ...CALL, function: 'UpdateAsset' },
      { ...CALL, arguments: ['b'] },
      { ...CALL, arguments: [] },
    ]) {
      await expect(submit({}, other)).rejects.toMatchObject({ code: 'LEDGER.KEY_REUSED' });
    }
    const second = submit({ owner: 'alice' }, { ...CALL, arguments: ['b'] });
    for (const { resolve } of begun) resolve(WRITTEN);
    expect(await Promise.all([first, second])).toEqual([WRITTEN, WRITTEN]);
  });

  it('says that a copy is under way to who has no time left, and lets that one go on', async () => {
    const first = submit();
    await expect(submit({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'LEDGER.KEY_IN_USE' });
    begun[0]!.resolve(WRITTEN);
    expect(await first).toEqual(WRITTEN);
  });

  it('goes on in the place of a copy that gave up, for those who have time left', async () => {
    const stop = new AbortController();
    const first = submit({ signal: stop.signal });
    const second = submit();
    stop.abort();
    begun[0]!.reject(new LedgerError('LEDGER.TIMEOUT', 'gave up'));
    await expect(first).rejects.toMatchObject({ code: 'LEDGER.TIMEOUT' });
    while (begun.length < 2) await Promise.resolve();
    begun[1]!.resolve(WRITTEN);
    expect(await second).toEqual(WRITTEN);
  });
});
