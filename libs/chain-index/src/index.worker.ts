import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '#threads';
import { IndexService, type IndexServiceOptions } from './index-service.js';

/** Catching up uses a whole core: when none is idle, requests run first. */
const NICE = 10;

// On Linux a thread has its own priority; elsewhere this would change the whole process.
if (process.platform === 'linux') setPriority(NICE);
serveCalls(() => new IndexService(workerData as IndexServiceOptions));
