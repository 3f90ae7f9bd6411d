import { workerData } from 'node:worker_threads';
import { serveCalls } from '#threads';
import { Writer, type WriterData } from './writer.js';

serveCalls((emit) => Writer.open(workerData as WriterData, emit));
