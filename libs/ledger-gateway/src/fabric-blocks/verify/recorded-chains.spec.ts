import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import { recordedChains } from '../testing/recorded-blocks.js';
import { ChainVerifier } from './chain-verifier.js';
import type { Finding } from './finding.js';

function verify(blocks: readonly Uint8Array[]): Finding[] {
  const verifier = new ChainVerifier();
  return blocks.flatMap((block) => verifier.add(block));
}

describe.each(recordedChains())('the chain recorded from Fabric $version', (chain) => {
  const blocks = chain.blocks.map(({ bytes }) => bytes);

  it('verifies clean: forms, links, signatures, policies, validation codes and commit hashes', () => {
    const verifier = new ChainVerifier();
    expect(blocks.flatMap((block) => verifier.add(block))).toEqual([]);
    expect(verifier.head).toEqual({ height: chain.chainInfo.height, hash: chain.chainInfo.currentBlockHash });
  });

  it('fails on every changed byte', () => {
    const unseen: string[] = [];
    for (const [number, block] of blocks.entries()) {
      for (let offset = 0; offset < block.length; offset++) {
        const changed = Buffer.from(block);
        changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 8));
        if (verify(blocks.with(number, changed)).length === 0) unseen.push(`block ${number}, byte ${offset}`);
      }
    }
    expect(unseen).toEqual([]);
  });
});
