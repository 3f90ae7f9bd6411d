import { workerData } from 'node:worker_threads';
import { serveCalls } from '#threads';
import { EnvelopeSigner, type TransactionSigners } from './signing.js';

serveCalls(() => new EnvelopeSigner(workerData as TransactionSigners));
