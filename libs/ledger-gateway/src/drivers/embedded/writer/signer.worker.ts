import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../../threads/worker-calls.js';
import { SigningService, type TransactionSigners } from './signing.js';

serveCalls(() => new SigningService(workerData as TransactionSigners));
