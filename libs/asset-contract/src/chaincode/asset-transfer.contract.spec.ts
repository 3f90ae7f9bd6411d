import type { Context } from 'fabric-contract-api';
import { MemoryState } from '../testing/memory-state.js';
import { AssetTransferContract } from './asset-transfer.contract.js';
import { PeerState, transactionContext, type Stub } from './peer-state.js';
import { TextSerializer } from './text-serializer.js';

/** The shim's calls on a state in memory; counts the iterators that were left open. */
class MemoryStub implements Stub {
  readonly state = new MemoryState({ wait: true });
  openIterators = 0;

  async getState(key: string): Promise<Uint8Array> {
    return (await this.state.getState(key)) ?? new Uint8Array();
  }

  async putState(key: string, value: Uint8Array): Promise<void> {
    await this.state.putState(key, value);
  }

  async deleteState(key: string): Promise<void> {
    await this.state.deleteState(key);
  }

  getTxID(): string {
    return 'tx';
  }

  getTxTimestamp(): ReturnType<Stub['getTxTimestamp']> {
    return timestamp('2026-01-02T03:04:05.678Z', 678_999_999);
  }

  getStateByRange(start: string, end: string): ReturnType<Stub['getStateByRange']> {
    const results = Promise.resolve(this.state.getStateRange(start, end, Infinity));
    return this.#iterate(results.then((entries) => entries.map((entry) => ({ ...entry, namespace: 'basic' }))));
  }

  getHistoryForKey(key: string): ReturnType<Stub['getHistoryForKey']> {
    const results = Promise.resolve(this.state.getHistory(key));
    return this.#iterate(
      results.then((entries) =>
        entries.map(({ transactionId, timestamp: time, value }) => ({
          txId: transactionId,
          timestamp: timestamp(time, 0),
          isDelete: value === undefined,
          value: value ?? new Uint8Array(),
        })),
      ),
    );
  }

  #iterate<T>(results: Promise<readonly T[]>): never {
    this.openIterators++;
    let next = 0;
    const iterator = results.then((entries) => ({
      next: () => Promise.resolve({ value: entries[next], done: next++ >= entries.length }),
      close: () => {
        this.openIterators--;
        return Promise.resolve();
      },
    }));
    // The shim's promise can be iterated too, which the adapter makes no use of.
    return iterator as never;
  }
}

function timestamp(text: string, nanos: number): ReturnType<Stub['getTxTimestamp']> {
  const seconds = Math.trunc(Date.parse(text) / 1000);
  return { seconds, nanos } as unknown as ReturnType<Stub['getTxTimestamp']>;
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

  it('has every function, and gives what it answers as text', async () => {
    const { call, stub } = make();
    expect(await call('CreateAsset', 'car', 'blue', '5', 'Zoë', '100')).toBe(CAR);
    expect(await call('ReadAsset', 'car')).toBe(CAR);
    expect(await call('GetAllAssets')).toBe(`[${CAR}]`);
    expect(await call('GetAssetsPage', '1', '')).toBe(`{"assets":[${CAR}],"bookmark":""}`);
    expect(await call('DeleteAsset', 'car')).toBe('');
    expect(await call('AssetExists', 'car')).toBe('false');
    expect(JSON.parse(await call('GetAssetHistory', 'car'))).toMatchObject([
      { isDelete: true, asset: null, timestamp: '2026-01-02T03:04:05.000Z' },
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

describe('PeerState', () => {
  it('closes its iterator when it has enough, and when the peer fails', async () => {
    const stub = new MemoryStub();
    const state = new PeerState(stub);
    for (const key of ['a', 'b', 'c']) await state.putState(key, Buffer.from(key));
    expect((await state.getStateRange('', '', 2)).map(({ key }) => key)).toEqual(['a', 'b']);
    expect(stub.openIterators).toBe(0);

    let closed = 0;
    const close = () => {
      closed++;
      return Promise.resolve();
    };
    const broken = { next: () => Promise.reject(new Error('peer is gone')), close };
    Object.assign(stub, { getStateByRange: () => Promise.resolve(broken) });
    await expect(state.getStateRange('', '', 2)).rejects.toThrow('peer is gone');
    expect(closed).toBe(1);
  });

  it('gives the time of the transaction in whole milliseconds', () => {
    expect(transactionContext(new MemoryStub())).toEqual({
      transactionId: 'tx',
      timestamp: '2026-01-02T03:04:05.678Z',
    });
  });
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
