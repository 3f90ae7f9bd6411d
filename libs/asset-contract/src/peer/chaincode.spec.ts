import type { ChaincodeStub } from 'fabric-shim';
import { chaincodeOf, runOnPeer, type Stub } from '#contract-kit/peer';
import { MemoryState } from '#contract-kit/testing';
import { assetDigest } from '../contract/asset.js';
import { ASSET_CONTRACT } from '../contract/contract.js';

const CHAINCODE = chaincodeOf(ASSET_CONTRACT);

/** The shim's calls on a state in memory; counts the iterators that were left open. */
class MemoryStub implements Stub {
  readonly state = new MemoryState();
  openIterators = 0;
  args: readonly string[] = [];
  bytes: readonly Buffer[] | undefined;
  readonly events: (readonly [name: string, payload: string])[] = [];

  getArgs(): readonly string[] {
    return this.args;
  }

  getFunctionAndParameters(): object {
    return { fcn: this.args[0], params: this.args.slice(1) };
  }

  getBufferArgs(): readonly Buffer[] {
    return this.bytes ?? this.args.map((argument) => Buffer.from(argument));
  }

  getTxID(): string {
    return 'tx1';
  }

  getTxTimestamp(): ReturnType<Stub['getTxTimestamp']> {
    return timestamp('2026-01-02T03:04:05.000Z', 0) as never;
  }

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

  setEvent(name: string, payload: Uint8Array): void {
    this.events.push([name, Buffer.from(payload).toString()]);
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

describe('CHAINCODE', () => {
  const make = () => {
    const stub = new MemoryStub();
    const invoke = async (...args: string[]) => {
      stub.args = args;
      const { status, message, payload } = await CHAINCODE.Invoke(stub as unknown as ChaincodeStub);
      return { status, text: message ?? Buffer.from(payload ?? []).toString() };
    };
    return { stub, invoke, call: async (...args: string[]) => (await invoke(...args)).text };
  };
  const CAR = '{"ID":"car","appraisedValue":"100","color":"blue","owner":"Zoë","size":"5"}';

  it('has every function, and returns its result', async () => {
    const { call, stub } = make();
    expect(await call('CreateAsset', 'car', 'blue', '5', 'Zoë', '100')).toBe(CAR);
    expect(await call('ReadAsset', 'car')).toBe(CAR);
    expect(await call('AssetTransferContract:ReadAsset', 'car')).toBe(CAR);
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

  it('returns the metadata of the contract', async () => {
    const { call } = make();
    expect(await call('org.hyperledger.fabric:GetMetadata')).toBe(ASSET_CONTRACT.metadata());
  });

  it('refuses arguments that are not UTF-8', async () => {
    const { invoke, stub } = make();
    stub.bytes = ['TransferAsset', 'car', Buffer.of(0xff)].map((argument) => Buffer.from(argument as string));
    expect(await invoke('TransferAsset', 'car', '\ufffd')).toEqual({
      status: 500,
      text: 'INVALID_ARGUMENT: newOwner must be text in UTF-8',
    });
  });

  it('may be initialized without a function', async () => {
    const { invoke, stub } = make();
    expect(await invoke()).toEqual({ status: 200, text: '' });
    expect(stub.state.writes).toBe(0);
  });

  it.each([
    [['ReadAsset', 'car'], 'ASSET_NOT_FOUND: '],
    [['ReadAsset'], 'INVALID_ARGUMENT: '],
    [['Fly', 'x'], 'FUNCTION_UNKNOWN: "Fly"'],
    [['AssetTransferContract:Fly', 'x'], 'FUNCTION_UNKNOWN: "Fly"'],
    [['Other:ReadAsset', 'x'], 'FUNCTION_UNKNOWN: "Other:ReadAsset"'],
    [[''], 'FUNCTION_UNKNOWN: ""'],
  ])('refuses %j with the code of the contract', async (args, text) => {
    const { invoke } = make();
    expect(await invoke(...args)).toEqual({ status: 500, text: expect.stringContaining(text) as string });
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

  it('sets the event of fabric-samples’ asset-transfer-events for each change of one asset', async () => {
    const stub = new MemoryStub();
    const fields = ['blue', '5', 'Tom', '1'];
    await runOnPeer(ASSET_CONTRACT, stub, 'CreateAsset', ['a', ...fields]);
    await runOnPeer(ASSET_CONTRACT, stub, 'UpdateAsset', ['a', 'red', '5', 'Tom', '1']);
    await runOnPeer(ASSET_CONTRACT, stub, 'TransferAsset', ['a', 'Ann']);
    const red = '{"ID":"a","appraisedValue":"1","color":"red","owner":"Ann","size":"5"}';
    await runOnPeer(ASSET_CONTRACT, stub, 'TransferAssetIfMatch', ['a', 'Ann', assetDigest(red)]);
    await runOnPeer(ASSET_CONTRACT, stub, 'ReadAsset', ['a']);
    await runOnPeer(ASSET_CONTRACT, stub, 'DeleteAsset', ['a']);
    await runOnPeer(ASSET_CONTRACT, stub, 'InitLedger', []);
    expect(stub.events).toEqual([
      ['CreateAsset', red.replace('red', 'blue').replace('Ann', 'Tom')],
      ['UpdateAsset', red.replace('Ann', 'Tom')],
      ['TransferAsset', red],
      ['TransferAsset', red],
      ['DeleteAsset', red],
    ]);
  });

  const page = async (stub: Stub): Promise<unknown> =>
    JSON.parse(Buffer.from(await runOnPeer(ASSET_CONTRACT, stub, 'GetAssetsPage', ['1', ''])).toString());
});
