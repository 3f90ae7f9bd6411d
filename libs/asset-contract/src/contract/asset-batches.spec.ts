import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractError, decideOn, parseContractError } from '#contract-kit';
import { MemoryState } from '#contract-kit/testing';
import { encodeBatch, MAX_BATCH_ASSETS, originArguments, readBatchResult, type BatchResult } from './asset-batches.js';
import type { Asset } from './asset.js';
import { ASSET_CONTRACT } from './contract.js';
import { ASSET_ERROR_CODES } from './rules.js';

const assetOf = (ID: string, owner = 'Ada'): Asset => ({ ID, appraisedValue: '900', color: 'teal', owner, size: '7' });

function createAssets(state: MemoryState, argument: string): BatchResult {
  const { writes, payload } = decideOn(state, ASSET_CONTRACT.prepare('CreateAssets', [argument]));
  for (const write of writes) state.write(write);
  return readBatchResult(payload);
}

/** Creates the assets by one call each, as CreateAssets promises to do. */
function createSingly(state: MemoryState, assets: readonly Asset[]): BatchResult {
  const refused = assets.flatMap(({ ID, color, size, owner, appraisedValue }, index) => {
    try {
      const call = ASSET_CONTRACT.prepare('CreateAsset', [ID, color, size, owner, appraisedValue]);
      for (const write of decideOn(state, call).writes) state.write(write);
      return [];
    } catch (error) {
      const { code, reason } = error as ContractError;
      return [{ index, code, reason }];
    }
  });
  return { created: assets.length - refused.length, refused };
}

describe('CreateAssets', () => {
  it('creates every asset in the stored form', () => {
    const state = new MemoryState();
    expect(createAssets(state, encodeBatch([assetOf('b'), assetOf('a', 'Zoë')]))).toEqual({ created: 2, refused: [] });
    expect(state.stored('b')).toBe('{"ID":"b","appraisedValue":"900","color":"teal","owner":"Ada","size":"7"}');
    expect(state.stored('a')).toBe('{"ID":"a","appraisedValue":"900","color":"teal","owner":"Zoë","size":"7"}');
  });

  it('refuses an asset that exists, has an invalid field or repeats an id, without refusing the others', () => {
    const state = new MemoryState();
    createAssets(state, encodeBatch([assetOf('old', 'Bob')]));
    const batch = [assetOf('new'), assetOf('old'), assetOf('..'), assetOf('empty', ''), assetOf('new', 'Eve')];
    expect(createAssets(state, encodeBatch(batch))).toEqual({
      created: 1,
      refused: [
        { index: 1, code: 'ASSET_EXISTS', reason: 'the asset old already exists' },
        { index: 2, code: 'INVALID_ARGUMENT', reason: 'id must not be . or ..' },
        { index: 3, code: 'INVALID_ARGUMENT', reason: 'owner must not be empty' },
        { index: 4, code: 'ASSET_EXISTS', reason: 'the asset new already exists' },
      ],
    });
    expect(state.keys()).toEqual(['new', 'old']);
    expect(state.stored('new')).toContain('Ada');
    expect(state.stored('old')).toContain('Bob');
  });

  it.each([
    'null',
    '"text"',
    '[]',
    '{"ID":"a","appraisedValue":"1","color":"c","owner":"o"}',
    '{"ID":"a","appraisedValue":1,"color":"c","owner":"o","size":"s"}',
    '{"ID":"a","appraisedValue":"1","color":"c","owner":"o","size":"s","docType":"asset"}',
    '{"ID":"a","appraisedValue":"1","color":"c","owner":"o","__proto__":{"size":"s"}}',
  ])('refuses the element %s and no other', (element) => {
    const state = new MemoryState();
    const [sound] = JSON.parse(encodeBatch([assetOf('sound')])) as [Asset];
    const { created, refused } = createAssets(state, `[${element},${JSON.stringify(sound)}]`);
    expect({ created, refused }).toMatchObject({ created: 1, refused: [{ index: 0, code: 'INVALID_ARGUMENT' }] });
    expect(state.keys()).toEqual(['sound']);
  });

  it.each(['', 'not json', '{}', 'null', '[]', JSON.stringify(Array(MAX_BATCH_ASSETS + 1).fill(assetOf('a')))])(
    'refuses an argument that is no array of 1 to 500 assets',
    (argument) => {
      expect(() => ASSET_CONTRACT.prepare('CreateAssets', [argument])).toThrow(
        /^INVALID_ARGUMENT: assets must be a JSON array of 1 to/,
      );
    },
  );

  it('accepts 500 assets', () => {
    const state = new MemoryState();
    const batch = Array.from({ length: MAX_BATCH_ASSETS }, (_, n) => assetOf(`a${n}`));
    expect(createAssets(state, encodeBatch(batch))).toEqual({ created: MAX_BATCH_ASSETS, refused: [] });
  });

  it('reads and writes each key once, in byte order of UTF-8', () => {
    const ids = ['b', '\uff5e', '😀', 'a', 'b', 'Z'];
    const call = ASSET_CONTRACT.prepare('CreateAssets', [encodeBatch(ids.map((id) => assetOf(id)))]);
    if (!('reads' in call)) throw new Error('It decides from keys.');
    expect(call.reads).toEqual(['Z', 'a', 'b', '\uff5e', '😀']);
    const { writes } = call.decide(call.reads.map(() => undefined));
    expect(writes.map(({ key }) => key)).toEqual(call.reads);
  });

  it('has the effects of as many calls of CreateAsset in their order', () => {
    const id = fc.constantFrom('a', 'b', 'ä', '😀', '\uff5e', '', '..', 'x\u0000', '\ud800');
    const value = fc.constantFrom('v', 'w"\\', '', '\udfff');
    const asset = fc.record({ ID: id, appraisedValue: value, color: value, owner: value, size: value });
    fc.assert(
      fc.property(fc.array(asset, { minLength: 1, maxLength: 12 }), fc.array(id, { maxLength: 3 }), (assets, taken) => {
        const [batch, single] = [new MemoryState(), new MemoryState()];
        for (const key of taken) for (const state of [batch, single]) state.seed(key, 'taken');
        expect(createAssets(batch, encodeBatch(assets))).toEqual(createSingly(single, assets));
        expect(batch.keys()).toEqual(single.keys());
        for (const key of batch.keys()) expect(batch.stored(key)).toBe(single.stored(key));
      }),
    );
  });
});

describe('RecordOrigin', () => {
  const hash = 'ab'.repeat(32);
  const origin = { channel: 'mychannel', height: 8, headHash: hash, authority: 'cd'.repeat(32) };

  it('changes nothing: the chain contains its arguments', () => {
    const call = ASSET_CONTRACT.prepare('RecordOrigin', originArguments(origin));
    expect(decideOn(new MemoryState(), call)).toEqual({ writes: [], payload: Buffer.alloc(0) });
  });

  it.each([
    ['channel', 0, 'My channel'],
    ['height', 1, '0'],
    ['headHash', 2, hash.toUpperCase()],
    ['authority', 3, ''],
  ] as const)('refuses an invalid %s', (name, index, value) => {
    const args = originArguments(origin).with(index, value);
    expect(() => ASSET_CONTRACT.prepare('RecordOrigin', args)).toThrow(
      new RegExp(`^INVALID_ARGUMENT: ${name} must match`),
    );
  });
});

describe('readBatchResult', () => {
  it.each(['', 'null', '7', '{}', '{"created":1}', '{"created":"1","refused":[]}', '{"created":1,"refused":{}}'])(
    'refuses %j, which is the response of another function',
    (text) => {
      expect(() => readBatchResult(new TextEncoder().encode(text))).toThrow(TypeError);
    },
  );

  it('returns codes that a refusal of a single call has', () => {
    const { refused } = createAssets(new MemoryState(), encodeBatch([assetOf('..')]));
    const [{ code, reason } = { code: '', reason: '' }] = refused;
    expect(parseContractError(`${code}: ${reason}`, ASSET_ERROR_CODES)).toBeInstanceOf(ContractError);
  });
});
