import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { blockHash, blockHeaderBytes, commitHash } from './hashes.js';

const hash = Buffer.alloc(32, 0xaa);

describe('block headers', () => {
  it.each([
    [0, '020100'],
    [1, '020101'],
    [127, '02017f'],
    [128, '02020080'],
    [255, '020200ff'],
    [256, '02020100'],
    [32768, '0203008000'],
    [2 ** 32, '02050100000000'],
    [2 ** 53 - 1, '02071fffffffffffff'],
  ])('write the number %i as DER does', (number, integer) => {
    const content = `${integer}0420${'aa'.repeat(32)}0420${'aa'.repeat(32)}`;
    const bytes = blockHeaderBytes({ number, previousHash: hash, dataHash: hash });
    expect(bytes.toString('hex')).toBe(`30${(content.length / 2).toString(16)}${content}`);
    expect(blockHash({ number, previousHash: hash, dataHash: hash })).toEqual(
      createHash('sha256').update(bytes).digest(),
    );
  });

  it('have an empty previous hash in block 0, and long lengths where hashes are longer', () => {
    const bytes = blockHeaderBytes({ number: 0, previousHash: Buffer.alloc(0), dataHash: hash });
    expect(bytes.toString('hex')).toBe(`3027020100040004 20${'aa'.repeat(32)}`.replace(' ', ''));
    const long = blockHeaderBytes({ number: 0, previousHash: Buffer.alloc(130, 1), dataHash: hash });
    expect(long.toString('hex')).toMatch(/^3081aa020100048182(01){130}0420/);
  });
});

describe('the commit hash', () => {
  const version = (blockNumber: number, transactionNumber: number) => ({ blockNumber, transactionNumber });
  const update = (namespace: string, collection: string, key: string, value?: string) => ({
    namespace,
    collection,
    key: Buffer.from(key),
    value: value === undefined ? undefined : Buffer.from(value),
    version: version(300, 0),
  });

  it('covers the codes, the updates by namespace, collection and key, and the hash before', () => {
    const updates = [
      update('b', '', 'k', 'v'),
      update('a', 'y', 'k'),
      update('a', '', '🚀', '1'),
      update('a', 'x', 'k', '2'),
      update('a', '', '\uff5e', '3'),
    ];
    const kv = (content: string) => `0a${(content.length / 2).toString(16).padStart(2, '0')}${content}`;
    const at = '320402012c00';
    const expected = [
      '020001', // two codes
      kv(`0a01611a03efbd9e2a0133${at}`),
      kv(`1a04f09f9a802a0131${at}`),
      kv(`1201781a016b2a0132${at}`),
      kv(`1201791a016b2001${at}`),
      kv(`0a01621a016b2a0176${at}`),
      hash.toString('hex'),
    ].join('');
    expect(commitHash({ validationCodes: Buffer.from([0, 1]), updates, previous: hash })).toEqual(
      createHash('sha256').update(Buffer.from(expected, 'hex')).digest(),
    );
  });
});
