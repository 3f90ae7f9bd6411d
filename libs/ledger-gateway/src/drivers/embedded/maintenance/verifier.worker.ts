import { parentPort, workerData } from 'node:worker_threads';
import { transferError } from '../../../threads/transferred-error.js';
import { verifyLedger, type LedgerVerification, type VerificationProgress } from './verify-ledger.js';
import type { FromVerifier } from './verify-in-thread.js';

const port = parentPort;
if (port === null) throw new Error('verifier.worker runs as a worker thread only');

const post = (message: FromVerifier): void => {
  port.postMessage(message);
};

try {
  const progress: VerificationProgress = (...step) => {
    post({ type: 'progress', step });
  };
  post({ type: 'report', report: await verifyLedger({ ...(workerData as LedgerVerification), progress }) });
} catch (error) {
  post({ type: 'failed', error: transferError(error) });
}
