import { LedgerError } from '../../../errors/ledger.errors.js';
import { startThread } from '../../../threads/start-thread.js';
import { reviveError, type TransferredError } from '../../../threads/transferred-error.js';
import type { LedgerVerification, VerificationProgress, VerificationReport } from './verify-ledger.js';

/** What the thread says. */
export type FromVerifier =
  | { readonly type: 'progress'; readonly step: Parameters<VerificationProgress> }
  | { readonly type: 'report'; readonly report: VerificationReport }
  | { readonly type: 'failed'; readonly error: TransferredError };

/** Replaying a chain leaves much garbage and keeps little: without a limit V8 would let it grow to 150 MiB. */
const YOUNG_MIB = 12;

/**
 * Verifies in a thread of its own, which may work for seconds without a pause: this one stays free for signals and for
 * showing how far it has come.
 * @throws what {@link verifyLedger} throws, and `LEDGER.UNAVAILABLE` when the thread ends
 */
export async function verifyInThread({ progress, ...options }: LedgerVerification): Promise<VerificationReport> {
  const { promise, resolve, reject } = Promise.withResolvers<VerificationReport>();
  const thread = startThread('verifier', options, import.meta.url, { maxYoungGenerationSizeMb: YOUNG_MIB });
  thread.on('message', (message: FromVerifier) => {
    if (message.type === 'progress') progress?.(...message.step);
    else if (message.type === 'report') resolve(message.report);
    else reject(reviveError(message.error));
  });
  const lose = (cause?: unknown): void => {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    reject(
      new LedgerError('LEDGER.UNAVAILABLE', `The thread that verifies ended${why}. Not all was verified: try again.`, {
        cause,
      }),
    );
  };
  thread.once('error', lose);
  thread.once('exit', () => {
    lose();
  });
  return promise;
}
