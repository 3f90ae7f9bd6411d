import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractError, decideOn, MOST_RECORDS, type StateReader } from '#contract-kit';
import { MemoryState } from '#contract-kit/testing';
import { assetDigest, readAsset, type Asset } from './asset.js';
import { ASSET_CONTRACT } from './contract.js';

const CAR = '{"ID":"car","appraisedValue":"900","color":"teal","owner":"Ada","size":"7"}';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Runs a call and makes what it writes. */
function run(state: MemoryState, name: string, args: readonly string[]): Uint8Array {
  const { writes, payload } = decideOn(state, ASSET_CONTRACT.prepare(name, args));
  for (const write of writes) state.write(write);
  return payload;
}

function call(state: MemoryState, name: string, ...args: string[]): string {
  return utf8.decode(run(state, name, args));
}

function refusal(state: MemoryState, name: string, ...args: string[]): string {
  try {
    call(state, name, ...args);
  } catch (error) {
    if (error instanceof ContractError) return error.message;
    throw error;
  }
  throw new Error('the contract did not refuse');
}

function asset(json: string): Asset {
  return JSON.parse(json) as Asset;
}

function withCar(): MemoryState {
  const state = new MemoryState();
  call(state, 'CreateAsset', 'car', 'teal', '7', 'Ada', '900');
  return state;
}

describe('the table of functions', () => {
  it('marks those that read lists as long', () => {
    const long = [...ASSET_CONTRACT.functions.values()].filter(({ isLong }) => isLong);
    expect(long.map(({ name }) => name)).toEqual([
      'GetAllAssets',
      'GetAssetHistory',
      'GetAssetsPage',
      'GetAssetHistoryPage',
    ]);
  });

  it('has the names and arguments of asset-transfer-basic and our own, marked as queries or writes', () => {
    const lines = [...ASSET_CONTRACT.functions].map(
      ([key, it]) => `${key}=${it.name}(${it.parameters.join(' ')}) ${it.isQuery ? 'query' : 'write'}`,
    );
    expect(lines).toEqual([
      'InitLedger=InitLedger() write',
      'CreateAsset=CreateAsset(id color size owner appraisedValue) write',
      'ReadAsset=ReadAsset(id) query',
      'UpdateAsset=UpdateAsset(id color size owner appraisedValue) write',
      'TransferAsset=TransferAsset(id newOwner) write',
      'DeleteAsset=DeleteAsset(id) write',
      'AssetExists=AssetExists(id) query',
      'GetAllAssets=GetAllAssets() query',
      'GetAssetHistory=GetAssetHistory(id) query',
      'GetAssetsPage=GetAssetsPage(pageSize bookmark) query',
      'UpdateAssetIfMatch=UpdateAssetIfMatch(id color size owner appraisedValue digests) write',
      'TransferAssetIfMatch=TransferAssetIfMatch(id newOwner digests) write',
      'GetAssetHistoryPage=GetAssetHistoryPage(id pageSize bookmark) query',
      'CreateAssets=CreateAssets(assets) write',
      'RecordOrigin=RecordOrigin(channel height headHash authority) write',
    ]);
  });

  it.each([...ASSET_CONTRACT.functions.values()])('refuses a wrong number of arguments to $name', (it) => {
    const state = new MemoryState();
    const args = [...it.parameters, 'one more'];
    expect(refusal(state, it.name, ...args)).toBe(
      `INVALID_ARGUMENT: ${it.name}(${it.parameters.join(', ')}) takes ${it.parameters.length} arguments, not ${args.length}`,
    );
  });

  it.each(['', 'createAsset', '__proto__', 'constructor', 'toString', 'GetAllAssets '])(
    'refuses the unknown function %j',
    (name) => {
      const message = refusal(new MemoryState(), name);
      expect(message).toContain(`FUNCTION_UNKNOWN: ${JSON.stringify(name)} is not a function`);
    },
  );

  it('does not repeat an endless function name', () => {
    expect(refusal(new MemoryState(), 'x'.repeat(10_000)).length).toBeLessThan(300);
  });
});

describe('the contract', () => {
  it('creates, reads and stores an asset in the one canonical form', () => {
    const state = new MemoryState();
    expect(call(state, 'CreateAsset', 'car', 'teal', '7', 'Ada', '900')).toBe(CAR);
    expect(state.stored('car')).toBe(CAR);
    expect(call(state, 'ReadAsset', 'car')).toBe(CAR);
    expect(call(state, 'AssetExists', 'car')).toBe('true');
    expect(call(state, 'AssetExists', 'cart')).toBe('false');
  });

  it('refuses to create twice and leaves the first untouched', () => {
    const state = withCar();
    expect(refusal(state, 'CreateAsset', 'car', 'red', '1', 'Eve', '1')).toBe(
      'ASSET_EXISTS: the asset car already exists',
    );
    expect(state.stored('car')).toBe(CAR);
  });

  it('updates every field and answers with the asset', () => {
    const state = withCar();
    const updated = '{"ID":"car","appraisedValue":"1","color":"red","owner":"Bob","size":"2"}';
    expect(call(state, 'UpdateAsset', 'car', 'red', '2', 'Bob', '1')).toBe(updated);
    expect(state.stored('car')).toBe(updated);
  });

  it('transfers to a new owner and answers with the asset', () => {
    const state = withCar();
    const transferred = CAR.replace('Ada', 'Bob');
    expect(call(state, 'TransferAsset', 'car', 'Bob')).toBe(transferred);
    expect(state.stored('car')).toBe(transferred);
  });

  it('deletes an asset, which then does not exist', () => {
    const state = withCar();
    expect(call(state, 'DeleteAsset', 'car')).toBe('');
    expect(state.keys()).toEqual([]);
    expect(call(state, 'AssetExists', 'car')).toBe('false');
  });

  it('writes those of the six initial assets that are missing, and returns their ids', () => {
    const state = new MemoryState();
    call(state, 'CreateAsset', 'asset2', 'pink', '1', 'Me', '1');
    const mine = state.stored('asset2');
    expect(call(state, 'InitLedger')).toBe('["asset1","asset3","asset4","asset5","asset6"]');
    expect(state.stored('asset2')).toBe(mine);
    expect(state.stored('asset3')).toBe(
      '{"ID":"asset3","appraisedValue":"500","color":"green","owner":"Jin Soo","size":"10"}',
    );
    expect(call(state, 'InitLedger')).toBe('[]');
  });

  it('returns the history, newest first, including the deletion', () => {
    const state = withCar();
    call(state, 'TransferAsset', 'car', 'Bob');
    call(state, 'DeleteAsset', 'car');
    const timestamp = '2026-01-02T03:04:05.000Z';
    expect(JSON.parse(call(state, 'GetAssetHistory', 'car'))).toEqual([
      { transactionId: 'tx3', timestamp, isDelete: true, asset: null },
      { transactionId: 'tx2', timestamp, isDelete: false, asset: asset(CAR.replace('Ada', 'Bob')) },
      { transactionId: 'tx1', timestamp, isDelete: false, asset: asset(CAR) },
    ]);
  });

  it.each(['1', '2', '7', '31', '1000'])(
    'returns the history in pages of %s, none of which a later change shifts',
    (size) => {
      const state = withCar();
      const transfers = fc.sample(fc.integer({ min: 1, max: 30 }), 1)[0]!;
      for (let n = 0; n < transfers; n++) call(state, 'TransferAsset', 'car', `owner ${n}`);
      const wanted = JSON.parse(call(state, 'GetAssetHistory', 'car')) as unknown[];
      const walked: unknown[] = [];
      let bookmark = '';
      do {
        const page = call(state, 'GetAssetHistoryPage', 'car', size, bookmark);
        const { changes, bookmark: next } = JSON.parse(page) as { changes: unknown[]; bookmark: string };
        expect(changes.length).toBeLessThanOrEqual(Number(size));
        walked.push(...changes);
        bookmark = next;
        call(state, 'TransferAsset', 'car', 'meanwhile');
      } while (bookmark !== '');
      expect(walked).toEqual(wanted);
    },
  );

  it('examines at most 5000 changes for the page after a bookmark', () => {
    const state = withCar();
    for (let n = 0; n < 5000; n++) state.write({ key: 'car', value: new TextEncoder().encode(CAR) });
    const at = (bookmark: string) => call(state, 'GetAssetHistoryPage', 'car', '10', bookmark);
    expect(JSON.parse(at('tx13'))).toMatchObject({ bookmark: 'tx3' });
    for (const bookmark of ['tx1', 'no such transaction']) {
      expect(refusal(state, 'GetAssetHistoryPage', 'car', '10', bookmark)).toMatch(/^INVALID_ARGUMENT: .*newest 5000/);
    }
  });

  it('defect: a history of more than 5000 changes ended after 5000 as if it were complete', () => {
    const state = withCar();
    const at = (bookmark: string) => call(state, 'GetAssetHistoryPage', 'car', '10', bookmark);
    for (let n = 1; n < 5000; n++) state.write({ key: 'car', value: new TextEncoder().encode(CAR) });
    expect(JSON.parse(at('tx2'))).toMatchObject({ changes: [{ transactionId: 'tx1' }], bookmark: '' });
    state.write({ key: 'car', value: new TextEncoder().encode(CAR) });
    expect(JSON.parse(at('tx4'))).toMatchObject({ changes: [{}, { transactionId: 'tx2' }], bookmark: 'tx2' });
    expect(refusal(state, 'GetAssetHistoryPage', 'car', '10', 'tx2')).toMatch(/^INVALID_ARGUMENT: .*newest 5000/);
  });
});

describe('a write that is bound to what was read', () => {
  const READ = assetDigest(CAR);
  const OTHER = assetDigest(CAR.replace('Ada', 'Eve'));

  it.each([READ, `${OTHER},${READ}`])('is made while the asset is one of those named', (digests) => {
    const state = withCar();
    call(state, 'TransferAssetIfMatch', 'car', 'Bob', digests);
    expect(state.stored('car')).toBe(CAR.replace('Ada', 'Bob'));
    const now = assetDigest(CAR.replace('Ada', 'Bob'));
    call(state, 'UpdateAssetIfMatch', 'car', 'a', 'b', 'c', 'd', `${digests},${now}`);
    expect(state.stored('car')).toBe('{"ID":"car","appraisedValue":"d","color":"a","owner":"c","size":"b"}');
  });

  it.each(['', ',', OTHER, READ.slice(1), `${READ} `, READ.toUpperCase()])('is refused when it names %j', (digests) => {
    const state = withCar();
    const writes = state.writes;
    expect(refusal(state, 'TransferAssetIfMatch', 'car', 'Bob', digests)).toBe(
      'ASSET_CHANGED: the asset car has changed since it was read',
    );
    expect(refusal(state, 'UpdateAssetIfMatch', 'car', 'a', 'b', 'c', 'd', digests)).toMatch(/^ASSET_CHANGED: /);
    expect(state.writes).toBe(writes);
  });

  it('is refused when what is stored is no asset', () => {
    const state = new MemoryState();
    state.seed('car', '[]');
    expect(refusal(state, 'TransferAssetIfMatch', 'car', 'Bob', READ)).toBe(
      'NOT_AN_ASSET: what is stored as car is not an asset',
    );
  });

  it("compares an asset of the samples' chaincode in the form in which it is read", () => {
    const state = new MemoryState();
    state.seed('car', '{"AppraisedValue":900,"Color":"teal","ID":"car","Owner":"Ada","Size":7}');
    call(state, 'TransferAssetIfMatch', 'car', 'Bob', assetDigest(call(state, 'ReadAsset', 'car')));
    expect(state.stored('car')).toBe(CAR.replace('Ada', 'Bob'));
  });
});

describe('an asset that is not there', () => {
  it.each([
    ['ReadAsset', []],
    ['UpdateAsset', ['a', 'b', 'c', 'd']],
    ['TransferAsset', ['Bob']],
    ['UpdateAssetIfMatch', ['a', 'b', 'c', 'd', 'e']],
    ['TransferAssetIfMatch', ['Bob', '']],
    ['DeleteAsset', []],
    ['GetAssetHistory', []],
    ['GetAssetHistoryPage', ['10', '']],
  ])('is refused by %s', (name, rest) => {
    const state = withCar();
    expect(refusal(state, name, 'bus', ...rest)).toBe('ASSET_NOT_FOUND: the asset bus does not exist');
  });

  it.each([['ReadAsset'], ['DeleteAsset'], ['GetAssetHistory'], ['GetAssetHistoryPage', '10', '']] as const)(
    'is one whose id cannot exist, and %s does not repeat it',
    (name, ...rest) => {
      for (const id of ['', '.', '..', 'a\u0000b', '\u0085', '\ud800', 'x'.repeat(257), 'é'.repeat(129)]) {
        expect(refusal(new MemoryState(), name, id, ...rest)).toBe(
          'ASSET_NOT_FOUND: the asset of that id does not exist',
        );
        expect(call(new MemoryState(), 'AssetExists', id)).toBe('false');
      }
    },
  );
});

describe('arguments', () => {
  it.each([
    ['', 'id must not be empty'],
    ['.', 'id must not be . or ..'],
    ['..', 'id must not be . or ..'],
    ['a\nb', 'id must not hold control characters'],
    ['\u007f', 'id must not hold control characters'],
    ['a\ud83d', 'id must not hold a lone surrogate'],
    ['x'.repeat(257), 'id must not exceed 256 bytes'],
    ['🚀'.repeat(64) + 'x', 'id must not exceed 256 bytes'],
  ])('refuse to create under the id %j', (id, reason) => {
    const state = new MemoryState();
    expect(refusal(state, 'CreateAsset', id, 'a', 'b', 'c', 'd')).toBe(`INVALID_ARGUMENT: ${reason}`);
    expect(state.writes).toBe(0);
  });

  it.each(['__proto__', 'constructor', 'a/b c', '...', '🚀'.repeat(64), 'x'.repeat(256), "'; DROP", '"\\'])(
    'accept the id %j like any other',
    (id) => {
      const state = new MemoryState();
      call(state, 'CreateAsset', id, 'a', 'b', 'c', 'd');
      expect(JSON.parse(call(state, 'ReadAsset', id))).toEqual({
        ID: id,
        appraisedValue: 'd',
        color: 'a',
        owner: 'c',
        size: 'b',
      });
    },
  );

  const fields = ['color', 'size', 'owner', 'appraisedValue'];
  it.each(fields.map((name, index) => ({ name, index })))('name the invalid field $name', ({ name, index }) => {
    const state = withCar();
    for (const [value, reason] of [
      ['', 'must not be empty'],
      ['\udfff', 'must not hold a lone surrogate'],
      ['é'.repeat(2049), 'must not exceed 4096 bytes'],
    ] as const) {
      const values = ['a', 'b', 'c', 'd'].with(index, value);
      const expected = `INVALID_ARGUMENT: ${name} ${reason}`;
      expect(refusal(state, 'CreateAsset', 'new', ...values)).toBe(expected);
      expect(refusal(state, 'UpdateAsset', 'car', ...values)).toBe(expected);
    }
    call(state, 'UpdateAsset', 'car', ...['a', 'b', 'c', 'd'].with(index, 'é'.repeat(2048)));
  });

  it('refuse an empty new owner', () => {
    expect(refusal(withCar(), 'TransferAsset', 'car', '')).toBe('INVALID_ARGUMENT: newOwner must not be empty');
  });
});

describe('records of the stock chaincode', () => {
  const stock = '{"AppraisedValue":300,"Color":"blue","ID":"asset1","Owner":"Tomoko","Size":5,"docType":"asset"}';
  const ours = '{"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}';

  it('are read as ours, one by one, in lists and in the history', () => {
    const state = new MemoryState();
    state.write({ key: 'asset1', value: new TextEncoder().encode(stock) });
    expect(call(state, 'ReadAsset', 'asset1')).toBe(ours);
    expect(call(state, 'GetAllAssets')).toBe(`[${ours}]`);
    expect(JSON.parse(call(state, 'GetAssetHistory', 'asset1'))).toMatchObject([{ asset: asset(ours) }]);
  });

  it('become ours when they are transferred', () => {
    const state = new MemoryState();
    state.seed('asset1', stock);
    call(state, 'TransferAsset', 'asset1', 'Bob');
    expect(state.stored('asset1')).toBe(ours.replace('Tomoko', 'Bob'));
  });

  it('that are no assets are refused singly and left out of lists', () => {
    const state = withCar();
    state.seed('aaa', '[1,2]');
    state.seed('zzz', 'not json');
    expect(refusal(state, 'ReadAsset', 'aaa')).toBe('NOT_AN_ASSET: what is stored as aaa is not an asset');
    expect(refusal(state, 'TransferAsset', 'zzz', 'Bob')).toMatch(/^NOT_AN_ASSET: /);
    expect(call(state, 'GetAllAssets')).toBe(`[${CAR}]`);
  });
});

describe('lists', () => {
  function stateOf(ids: readonly string[]): MemoryState {
    const state = new MemoryState();
    for (const id of ids) call(state, 'CreateAsset', id, 'a', 'b', 'c', 'd');
    return state;
  }

  function pages(state: MemoryState, size: number): string[][] {
    const all: string[][] = [];
    let bookmark = '';
    do {
      const text = call(state, 'GetAssetsPage', String(size), bookmark);
      const page = JSON.parse(text) as { assets: { ID: string }[]; bookmark: string };
      all.push(page.assets.map((asset) => asset.ID));
      bookmark = page.bookmark;
    } while (bookmark !== '');
    return all;
  }

  it('are in byte order of UTF-8, not of UTF-16', () => {
    const state = stateOf(['🚀', '\uff5e', 'b', 'B', 'é', 'a']);
    const ids = (JSON.parse(call(state, 'GetAllAssets')) as { ID: string }[]).map((asset) => asset.ID);
    expect(ids).toEqual(['B', 'a', 'b', 'é', '\uff5e', '🚀']);
    expect(pages(state, 2).flat()).toEqual(ids);
  });

  it('are empty on an empty ledger', () => {
    expect(call(new MemoryState(), 'GetAllAssets')).toBe('[]');
    expect(call(new MemoryState(), 'GetAssetsPage', '5', '')).toBe('{"assets":[],"bookmark":""}');
  });

  it('come in pages, the last without a bookmark', () => {
    const state = stateOf(['a', 'b', 'c', 'd']);
    expect(pages(state, 3)).toEqual([['a', 'b', 'c'], ['d']]);
    expect(pages(state, 2)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('lose and repeat nothing when assets come and go between two pages', () => {
    const state = stateOf(['a', 'c', 'e', 'g']);
    const first = JSON.parse(call(state, 'GetAssetsPage', '2', '')) as { bookmark: string };
    call(state, 'CreateAsset', 'b', 'a', 'b', 'c', 'd');
    call(state, 'CreateAsset', 'd', 'a', 'b', 'c', 'd');
    call(state, 'DeleteAsset', 'c');
    const second = JSON.parse(call(state, 'GetAssetsPage', '9', first.bookmark)) as { assets: { ID: string }[] };
    expect(second.assets.map((asset) => asset.ID)).toEqual(['d', 'e', 'g']);
  });

  it('read the state in bounded steps', () => {
    const state = stateOf(Array.from({ length: 2100 }, (_, index) => `asset${index}`));
    expect(JSON.parse(call(state, 'GetAllAssets'))).toHaveLength(2100);
    expect(state.rangeLimits).toEqual([1000, 1000, 1000]);
  });

  it.each(['', '0', '-1', '1.5', '1001', '01', '1e3', ' 1', 'NaN', '99999'])('refuse the page size %j', (size) => {
    expect(refusal(new MemoryState(), 'GetAssetsPage', size, '')).toBe(
      'INVALID_ARGUMENT: pageSize must be a whole number from 1 to 1000',
    );
  });

  it('refuse a bookmark that is no key', () => {
    expect(refusal(new MemoryState(), 'GetAssetsPage', '1', '\ud800')).toBe(
      'INVALID_ARGUMENT: bookmark must not hold a lone surrogate',
    );
  });
});

describe('properties', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 90 }).map((units) => String.fromCharCode(...units)),
  );

  it('throws nothing but a ContractError, whatever the call and the stored records', () => {
    const names = fc.oneof(fc.constantFrom(...ASSET_CONTRACT.functions.keys()), anyText);
    const record = fc.oneof(fc.json(), anyText, fc.constant(CAR), fc.constant('{"ID":[[[]]]}'));
    fc.assert(
      fc.property(names, fc.array(anyText, { maxLength: 6 }), record, (name, args, stored) => {
        const state = new MemoryState();
        state.seed(args[0] ?? 'k', stored);
        try {
          run(state, name, args);
        } catch (error) {
          expect(error).toBeInstanceOf(ContractError);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('returns what was created, as the bytes that are stored', () => {
    const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.tuple(value, value, value, value, value), ([id, ...values]) => {
        const state = new MemoryState();
        try {
          run(state, 'CreateAsset', [id, ...values]);
        } catch (error) {
          expect(error).toMatchObject({ name: 'ContractError', code: 'INVALID_ARGUMENT' });
          expect(state.writes).toBe(0);
          return;
        }
        expect(call(state, 'ReadAsset', id)).toBe(state.stored(id));
        const [color, size, owner, appraisedValue] = values;
        expect(readAsset(run(state, 'ReadAsset', [id]))).toEqual({
          ID: id,
          appraisedValue,
          color,
          owner,
          size,
        });
      }),
    );
  });
});

describe('a list on a state that answers at once', () => {
  it.each(['GetAllAssets', 'GetAssetHistory'])('is refused by %s when it is too long for one answer', (name) => {
    const args = name === 'GetAllAssets' ? [] : ['car'];
    const entries = Array.from({ length: MOST_RECORDS + 1 }, (_, n) => ({ key: String(n), value: new Uint8Array() }));
    const changes = entries.map(({ key, value }) => ({ transactionId: key, timestamp: '', value }));
    const stateOf = (count: number): StateReader => ({
      value: () => undefined,
      range: ({ start, limit }) => {
        const from = start === '' ? 0 : Number.parseInt(start, 10) + 1;
        return entries.slice(from, Math.min(from + limit, count));
      },
      history: () => changes.slice(0, count),
    });
    expect(() => decideOn(stateOf(MOST_RECORDS), ASSET_CONTRACT.prepare(name, args))).not.toThrow();
    expect(() => decideOn(stateOf(MOST_RECORDS + 1), ASSET_CONTRACT.prepare(name, args))).toThrow(
      /more than 10000 records/,
    );
  });
});
