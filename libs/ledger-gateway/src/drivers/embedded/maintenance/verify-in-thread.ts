import { WorkerCalls } from '../../../threads/worker-calls.js';
import type { LedgerVerification, VerificationProgress, VerificationReport } from './verify-ledger.js';

/** Replaying a chain produces much garbage and retains little; without a limit the heap would grow to 150 MiB. */
const YOUNG_GENERATION_MIB = 12;

interface VerifierMethods {
  verify(options: Omit<LedgerVerification, 'progress'>): Promise<VerificationReport>;
}

/**
 * Runs `verifyLedger` in a worker thread, because it works for seconds without a pause. The calling thread stays free for
 * signals and for showing the progress, and does not load the verifier.
 * @throws what `verifyLedger` throws, and `LEDGER.UNAVAILABLE` when the thread ends
 */
export async function verifyInThread({ progress, ...options }: LedgerVerification): Promise<VerificationReport> {
  const thread = new WorkerCalls<VerifierMethods>({
    name: 'verifier',
    beside: import.meta.url,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    task: 'verifies the ledger',
    onEvent: (step) => {
      progress?.(...(step as Parameters<VerificationProgress>));
    },
  });
  try {
    return await thread.call('verify', options);
  } finally {
    await thread.terminate();
  }
}
