import type { ReadWriteSet } from '#fabric-codec/encode';
import { createTestOrganisation, TestChain } from '#fabric-codec/testing';
import { previousKeys } from './previous-keys.js';

let chain: TestChain;
let reads: number[];
beforeAll(async () => {
  chain = new TestChain([await createTestOrganisation('Org1MSP')]);
  const call = (writes: ReadWriteSet['writes']) => chain.transaction({ readWriteSet: { reads: [], writes } });
  const value = Buffer.from('1');
  // Blocks 1 to 5.
  chain.append({ envelopes: [call([{ key: 'a', value }]), call([{ key: 'deleted', value }])] });
  chain.append({ envelopes: [call([{ key: 'b', value }])], validationCodes: [11] });
  chain.append({ envelopes: [call([{ key: 'deleted', value: undefined }])] });
  chain.append({
    envelopes: [call([{ key: 'back', value: undefined }]), call([{ key: 'back', value }])],
  });
  chain.append({ envelopes: [call([{ key: 'late', value }])] });
});

const previous = async (keys: string[], before: number, oldest = 0) => {
  reads = [];
  const read = (number: number) => {
    reads.push(number);
    const bytes = number < oldest ? undefined : chain.blocks[number];
    return Promise.resolve(bytes && { number, hash: '', bytes });
  };
  return [...(await previousKeys(new Set(keys), before, { chaincode: 'basic', read }))].sort();
};

describe('previousKeys', () => {
  it('finds what the last VALID write before a block left', async () => {
    expect(await previous(['a', 'b', 'back', 'deleted', 'late', 'never'], 5)).toEqual(['a', 'back']);
    expect(await previous(['a', 'deleted', 'late'], 6)).toEqual(['a', 'late']);
    expect(await previous(['a', 'deleted'], 2)).toEqual(['a', 'deleted']);
    expect(await previous(['a'], 1)).toEqual([]);
    expect(await previous(['a'], 0)).toEqual([]);
  });

  it('reads no further than it has to', async () => {
    expect(await previous(['late'], 6)).toEqual(['late']);
    expect(reads).toEqual([5]);
  });

  it('reads no block for keys that an index has, and asks it no further once it does not answer', async () => {
    reads = [];
    const asked: unknown[] = [];
    const read = (number: number) => {
      reads.push(number);
      return Promise.resolve({ number, hash: '', bytes: chain.blocks[number]! });
    };
    const find = (existed: (key: string) => boolean | undefined, before = 6) => {
      const existedAt = (key: string, block: number) => {
        asked.push([key, block]);
        return Promise.resolve(existed(key));
      };
      return previousKeys(new Set(['a', 'never']), before, { chaincode: 'basic', read, existedAt });
    };
    expect([...(await find((key) => key === 'a'))]).toEqual(['a']);
    expect([reads, asked]).toEqual([
      [],
      [
        ['a', 5],
        ['never', 5],
      ],
    ]);
    asked.length = 0;
    expect([...(await find(() => undefined))]).toEqual(['a']);
    expect(asked).toEqual([['a', 5]]);
    expect(reads).toEqual([5, 4, 3, 2, 1, 0]);
    asked.length = 0;
    expect([...(await find(() => true, 0))]).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('searches 1000 blocks of a longer chain at most', async () => {
    let count = 0;
    // Block 5 everywhere, which writes the key "late" only.
    const read = (number: number) => {
      count += 1;
      return Promise.resolve({ number, hash: '', bytes: chain.blocks[5]! });
    };
    const keys = new Set(['late', 'never']);
    expect([...(await previousKeys(keys, 50_000, { chaincode: 'basic', read }))]).toEqual(['late']);
    expect(count).toBeLessThanOrEqual(1008);
  });

  it('ends where a peer made from a snapshot has no older blocks', async () => {
    expect(await previous(['a', 'late'], 6, 3)).toEqual(['late']);
  });
});
