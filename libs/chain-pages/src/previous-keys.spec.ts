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

  it('ends where a peer made from a snapshot has no older blocks', async () => {
    expect(await previous(['a', 'late'], 6, 3)).toEqual(['late']);
  });
});
