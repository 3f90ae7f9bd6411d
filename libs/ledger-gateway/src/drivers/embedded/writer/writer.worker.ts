import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../../threads/worker-calls.js';
import { Writer, type WriterData } from './writer.js';

serveCalls((emit) => Writer.open(workerData as WriterData, emit));
