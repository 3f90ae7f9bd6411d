import { describe, expect, it } from '@jest/globals';
import { recordedChains } from '../testing/recorded-blocks.js';
import { MemoryReplayState } from '../testing/memory-verifier.js';
import { ChainVerifier } from './chain-verifier.js';
import { BlockExaminer } from './examine-block.js';

describe('an examined block', () => {
  it('can be sent to another thread', () => {
    const [chain] = recordedChains();
    const examiner = new BlockExaminer();
    const verifier = new ChainVerifier({ state: new MemoryReplayState() });
    for (const { bytes } of chain?.blocks ?? []) {
      expect(verifier.add(structuredClone(examiner.examine(bytes)))).toEqual([]);
    }
    expect(verifier.head).toMatchObject({ hash: chain?.chainInfo.currentBlockHash });
    expect(verifier.policyOf('basic')).toBe('/Channel/Application/Endorsement');
  });
});
