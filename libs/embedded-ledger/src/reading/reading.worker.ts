import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { serveCalls } from '#threads';
import { StorePages, type StorePagesOptions } from './store-pages.js';

/** Pages may take long: when no core is idle, reads and writes of single assets run first. */
const NICE = 10;

// On Linux a thread has its own priority; elsewhere this would change the whole process.
if (process.platform === 'linux') setPriority(NICE);

serveCalls(() => new StorePages(workerData as StorePagesOptions));
