import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../../threads/worker-calls.js';
import { EnvelopeSigner, type TransactionSigners } from './signing.js';

serveCalls(() => new EnvelopeSigner(workerData as TransactionSigners));
