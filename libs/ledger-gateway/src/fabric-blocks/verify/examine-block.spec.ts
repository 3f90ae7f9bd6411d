import { describe, expect, it } from '@jest/globals';
import { recordedChains } from '../testing/recorded-blocks.js';
import { MemoryReplayState } from '../testing/memory-verifier.js';
import { ChainVerifier } from './chain-verifier.js';
import { BlockExaminer } from './examine-block.js';

describe('an examined block', () => {
  it('goes to another thread with its memory, and nothing of the block’s own', () => {
    const [chain] = recordedChains();
    const examiner = new BlockExaminer();
    const verifier = new ChainVerifier({ state: new MemoryReplayState() });
    for (const { bytes } of chain?.blocks ?? []) {
      const copy = Uint8Array.from(bytes);
      const examined = examiner.examine(copy);
      copy.fill(0);
      const memory = examiner.takeMemory();
      expect(verifier.add(structuredClone(examined, { transfer: memory }))).toEqual([]);
      expect(memory.map(({ byteLength }) => byteLength)).toEqual(memory.map(() => 0));
    }
    expect(verifier.head).toMatchObject({ hash: chain?.chainInfo.currentBlockHash });
    expect(verifier.policyOf('basic')).toBe('/Channel/Application/Endorsement');
    expect(examiner.takeMemory()).toEqual([]);
  });
});
