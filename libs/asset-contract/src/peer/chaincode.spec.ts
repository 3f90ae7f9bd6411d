import type { Context } from 'fabric-contract-api';
import { MemoryState } from '../testing/memory-state.js';
import { AssetTransferContract, TextSerializer } from './chaincode.js';
import { runOnPeer, type Stub } from './run-on-peer.js';

/** The shim's calls on a state in memory; counts the iterators that were left open. */
class MemoryStub implements Stub {
  readonly state = new MemoryState();
  openIterators = 0;

  getState(key: string): Promise<Uint8Array> {
    return Promise.resolve(this.state.value(key) ?? new Uint8Array());
  }

  putState(key: string, value: Uint8Array): Promise<void> {
    this.state.write({ key, value });
    return Promise.resolve();
  }

  deleteState(key: string): Promise<void> {
    this.state.write({ key, value: undefined });
    return Promise.resolve();
  }

  getStateByRange(start: string, end: string): ReturnType<Stub['getStateByRange']> {
    const entries = this.state.range({ start, end, limit: Infinity });
    return this.#iterate(entries.map((entry) => ({ ...entry, namespace: 'basic' })));
  }

  getHistoryForKey(key: string): ReturnType<Stub['getHistoryForKey']> {
    return this.#iterate(
      this.state.history(key).map(({ transactionId, timestamp: time, value }) => ({
        txId: transactionId,
        timestamp: timestamp(time, 678_999_999),
        isDelete: value === undefined,
        value: value ?? new Uint8Array(),
      })),
    );
  }

  #iterate(entries: readonly object[]): never {
    this.openIterators++;
    let next = 0;
    const iterator = {
      next: () => Promise.resolve({ value: entries[next], done: next++ >= entries.length }),
      close: () => {
        this.openIterators--;
        return Promise.resolve();
      },
    };
    // The shim's promise can be iterated too, which the adapter makes no use of.
    return Promise.resolve(iterator) as never;
  }
}

function timestamp(text: string, nanos: number): { readonly seconds: number; readonly nanos: number } {
  const seconds = Math.trunc(Date.parse(text) / 1000);
  return { seconds, nanos };
}

type Functions = Record<string, (context: Context, ...args: string[]) => Promise<string>>;

describe('AssetTransferContract', () => {
  const make = () => {
    const stub = new MemoryStub();
    const context = { stub } as unknown as Context;
    const contract = new AssetTransferContract();
    const call = (name: string, ...args: string[]) => (contract as unknown as Functions)[name]!(context, ...args);
    return { stub, contract, context, call };
  };
  const CAR = '{"ID":"car","appraisedValue":"100","color":"blue","owner":"Zoë","size":"5"}';

  it('has every function, and returns its result as text', async () => {
    const { call, stub } = make();
    expect(await call('CreateAsset', 'car', 'blue', '5', 'Zoë', '100')).toBe(CAR);
    expect(await call('ReadAsset', 'car')).toBe(CAR);
    expect(await call('GetAllAssets')).toBe(`[${CAR}]`);
    expect(await call('GetAssetsPage', '1', '')).toBe(`{"assets":[${CAR}],"bookmark":""}`);
    expect(await call('DeleteAsset', 'car')).toBe('');
    expect(await call('AssetExists', 'car')).toBe('false');
    expect(JSON.parse(await call('GetAssetHistory', 'car'))).toMatchObject([
      { isDelete: true, asset: null, timestamp: '2026-01-02T03:04:05.678Z' },
      { isDelete: false, asset: { owner: 'Zoë' } },
    ]);
    expect(stub.openIterators).toBe(0);
  });

  it('refuses with the contract’s code', async () => {
    const { call } = make();
    await expect(call('ReadAsset', 'car')).rejects.toMatchObject({ code: 'ASSET_NOT_FOUND' });
    await expect(call('ReadAsset')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it.each(['Fly', 'AssetTransferContract:Fly'])('refuses %s as unknown', async (fcn) => {
    const { contract, context, stub } = make();
    Object.assign(stub, { getFunctionAndParameters: () => ({ fcn, params: ['x'] }) });
    await expect(contract.unknownTransaction(context)).rejects.toMatchObject({
      code: 'FUNCTION_UNKNOWN',
      reason: expect.stringContaining('"Fly"') as string,
    });
  });
});

describe('runOnPeer', () => {
  it('closes its iterator when it has enough, and when the peer fails', async () => {
    const stub = new MemoryStub();
    for (const key of ['a', 'b', 'c']) stub.state.seed(key, `{"ID":"${key}"}`);
    expect(await page(stub)).toMatchObject({ bookmark: 'a' });
    expect(stub.openIterators).toBe(0);

    let closed = 0;
    const close = () => {
      closed++;
      return Promise.resolve();
    };
    const broken = { next: () => Promise.reject(new Error('peer is gone')), close };
    Object.assign(stub, { getStateByRange: () => Promise.resolve(broken) });
    await expect(page(stub)).rejects.toThrow('peer is gone');
    expect(closed).toBe(1);
  });

  const page = async (stub: Stub): Promise<unknown> =>
    JSON.parse(Buffer.from(await runOnPeer(stub, 'GetAssetsPage', ['1', ''])).toString());
});

describe('TextSerializer', () => {
  const serializer = new TextSerializer();

  it('leaves texts as they are and writes all else as JSON', () => {
    expect(serializer.toBuffer('{"a":1}').toString()).toBe('{"a":1}');
    expect(serializer.toBuffer('').length).toBe(0);
    expect(serializer.toBuffer(undefined).length).toBe(0);
    expect(serializer.toBuffer({ a: [1] }).toString()).toBe('{"a":[1]}');
  });

  it('reads a parameter as text', () => {
    expect(serializer.fromBuffer(Buffer.from('5'))).toEqual({ value: '5', jsonForValidation: '"5"' });
  });
});
