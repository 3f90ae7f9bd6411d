import { parentPort } from 'node:worker_threads';
import { BlockExaminer } from '../../../fabric-blocks/verify/examine-block.js';
import { examineBlocks, type Batch } from './examine-chain.js';

const port = parentPort;
if (port === null) throw new Error('examiner.worker runs as a worker thread only');

const examiner = new BlockExaminer();
port.on('message', (raws: Batch) => {
  const examined = examineBlocks(examiner, raws);
  port.postMessage(examined, examiner.takeMemory());
});
