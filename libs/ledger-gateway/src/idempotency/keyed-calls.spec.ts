import type { LedgerCall, SubmitResult } from '../ports/ledger.port.js';
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
  const submit = (owner?: string, call = CALL): Promise<SubmitResult> =>
    calls.submit(call, { key: 'k', owner }, () => {
      const write = Promise.withResolvers<SubmitResult>();
      begun.push(write);
      return write.promise;
    });

  it('executes one of several copies and returns its result to all', async () => {
    const copies = [submit(), submit(), submit()];
    expect(begun).toHaveLength(1);
    begun[0]!.resolve(WRITTEN);
    expect(await Promise.all(copies)).toEqual([
      WRITTEN,
      { ...WRITTEN, isReplay: true },
      { ...WRITTEN, isReplay: true },
    ]);
  });

  it('fails all copies together, and executes a later one again', async () => {
    const copies = [submit(), submit()];
    const refusal = new Error('refused');
    begun[0]!.reject(refusal);
    for (const copy of copies) await expect(copy).rejects.toBe(refusal);
    const later = submit();
    begun[1]!.resolve(WRITTEN);
    expect(await later).toEqual(WRITTEN);
  });

  it('refuses another write at once, and accepts it under the same key of another owner', async () => {
    const first = submit();
    for (const other of [
      { ...CALL, function: 'UpdateAsset' },
      { ...CALL, arguments: ['b'] },
      { ...CALL, arguments: [] },
    ]) {
      await expect(submit(undefined, other)).rejects.toMatchObject({ code: 'LEDGER.KEY_REUSED' });
    }
    const second = submit('alice', { ...CALL, arguments: ['b'] });
    for (const { resolve } of begun) resolve(WRITTEN);
    expect(await Promise.all([first, second])).toEqual([WRITTEN, WRITTEN]);
  });
});
