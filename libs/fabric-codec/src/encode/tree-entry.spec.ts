import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { leafHash, rootOf } from '#tlog';
import { decodeBlock } from '../decode/decode-block.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { blockHash, blockHeaderBytes } from './hashes.js';
import { parseTreeEntry, transactionLeaf, transactionLeaves, treeEntry } from './tree-entry.js';

const hash = (fill: number) => Buffer.alloc(32, fill);
const header = { number: 300, previousHash: hash(1), dataHash: hash(2) };
const envelopes = ['one', 'two', 'three'].map((text) => Buffer.from(text));
const validationCodes = Buffer.from([0, 11, 0]);

describe('the entry of a block', () => {
  it('is its header, the number of its transactions and their root', () => {
    const leaf = Buffer.concat([Buffer.from([11]), createHash('sha256').update('two').digest()]);
    expect(transactionLeaf(11, envelopes[1]!)).toEqual(leaf);
    const leaves = transactionLeaves({ envelopes, validationCodes });
    expect(leaves[1]).toEqual(leafHash(leaf));
    const entry = treeEntry({ header, envelopes, validationCodes });
    expect(entry).toEqual(Buffer.concat([blockHeaderBytes(header), Buffer.from([0, 0, 0, 3]), rootOf(leaves)]));
    expect(parseTreeEntry(entry)).toEqual({ header, transactions: 3, root: rootOf(leaves) });
  });

  it('changes with every validation code, envelope, and their order and number', () => {
    const entries = [
      { envelopes, validationCodes },
      { envelopes, validationCodes: Buffer.from([0, 0, 0]) },
      { envelopes, validationCodes: Buffer.alloc(0) },
      { envelopes: envelopes.toReversed(), validationCodes },
      { envelopes: envelopes.slice(1), validationCodes },
      { envelopes: [...envelopes, envelopes[2]!], validationCodes },
    ].map((block) => treeEntry({ header, ...block }).toString('hex'));
    expect(new Set(entries).size).toBe(entries.length);
  });

  it('is parsed in one form only', () => {
    const entry = treeEntry({ header, envelopes, validationCodes });
    const changed = (offset: number) => entry.with(offset, (entry[offset] ?? 0) ^ 0x81);
    for (const offset of [0, 1, 2, 3, 4, 6, 7, 40, 41]) expect(parseTreeEntry(changed(offset))).toBeUndefined();
    for (const end of [0, 36, 40, entry.length - 1]) expect(parseTreeEntry(entry.subarray(0, end))).toBeUndefined();
    expect(parseTreeEntry(Buffer.concat([entry, entry]))).toBeUndefined();
  });

  it('names the block before by the hash of its header, on recorded chains', () => {
    for (const { blocks } of recordedChains()) {
      const entries = blocks.map(({ bytes }) => parseTreeEntry(treeEntry(decodeBlock(bytes)))!);
      for (const [number, entry] of entries.entries()) {
        expect(entry.header.number).toBe(number);
        const before = entries[number - 1];
        expect(entry.header.previousHash).toEqual(before ? blockHash(before.header) : Buffer.alloc(0));
      }
    }
  });
});
