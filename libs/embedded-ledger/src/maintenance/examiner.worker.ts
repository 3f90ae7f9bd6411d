import { BlockExaminer } from '#fabric-codec/verify';
import { serveCalls } from '#threads';
import { examineBlocks, type Batch } from './examine-chain.js';

const examiner = new BlockExaminer();
serveCalls(() => ({
  examine: (batch: Batch, hasTree: boolean) => examineBlocks(examiner, batch, hasTree),
}));
