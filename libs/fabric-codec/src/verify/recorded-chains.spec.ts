import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { recordedChains } from '../testing/recorded-blocks.js';
import { MemoryVerifier } from '../testing/memory-verifier.js';

/** A prime, so that the sample falls on every kind of byte; with 1 every byte is changed, which takes minutes. */
const STRIDE = 797;

/** Whether anything is found, up to the block behind the one that was changed. */
function isFound(blocks: readonly Uint8Array[], number: number, changed: Uint8Array): boolean {
  const verifier = new MemoryVerifier();
  return blocks
    .slice(0, number + 2)
    .some((block, index) => verifier.add(index === number ? changed : block).length > 0);
}

describe.each(recordedChains())('the chain recorded from Fabric $version', (chain) => {
  const blocks = chain.blocks.map(({ bytes }) => bytes);

  it('verifies clean: forms, links, signatures, policies, validation codes and commit hashes', () => {
    const verifier = new MemoryVerifier();
    expect(blocks.flatMap((block) => verifier.add(block))).toEqual([]);
    expect(verifier.head).toEqual({ height: chain.chainInfo.height, hash: chain.chainInfo.currentBlockHash });
  });

  it('fails on every changed byte of a sample', () => {
    const unseen: string[] = [];
    for (const [number, block] of blocks.entries()) {
      for (let offset = number; offset < block.length; offset += STRIDE) {
        const changed = Buffer.from(block);
        changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 8));
        if (!isFound(blocks, number, changed)) unseen.push(`block ${number}, byte ${offset}`);
      }
    }
    expect(unseen).toEqual([]);
  });

  it('fails on every byte of the metadata that no signature covers', () => {
    for (const number of [0, 1]) {
      const block = blocks[number] ?? new Uint8Array();
      for (let offset = block.length - 46; offset < block.length; offset++) {
        const changed = Buffer.from(block);
        changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 3));
        expect([number, offset, isFound(blocks, number, changed)]).toEqual([number, offset, true]);
      }
    }
  });

  it('fails on blocks that are cut off, longer, or lack a byte', () => {
    for (const number of [0, 5]) {
      const block = blocks[number] ?? new Uint8Array();
      for (const length of [0, 1, 30, 70, block.length - 1]) {
        expect(isFound(blocks, number, block.subarray(0, length))).toBe(true);
      }
      for (const more of [[0], [0x1a, 0], [0x22, 0], [0x0a, 0]]) {
        expect(isFound(blocks, number, Buffer.concat([block, Buffer.from(more)]))).toBe(true);
      }
      for (let offset = 0; offset < block.length; offset += STRIDE) {
        const shorter = Buffer.concat([block.subarray(0, offset), block.subarray(offset + 1)]);
        expect(isFound(blocks, number, shorter)).toBe(true);
      }
    }
  });
});
