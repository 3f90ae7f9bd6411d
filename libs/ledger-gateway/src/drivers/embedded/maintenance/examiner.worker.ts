import { BlockExaminer } from '../../../fabric-blocks/verify/examine-block.js';
import { serveCalls } from '../../../threads/worker-calls.js';
import { examineBlocks, type Batch } from './examine-chain.js';

const examiner = new BlockExaminer();
serveCalls(() => ({
  examine: (batch: Batch, hasTree: boolean) => examineBlocks(examiner, batch, hasTree),
}));
