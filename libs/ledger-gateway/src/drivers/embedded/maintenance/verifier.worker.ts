import { serveCalls } from '../../../threads/worker-calls.js';
import { verifyLedger, type LedgerVerification } from './verify-ledger.js';

serveCalls((port) => ({
  verify: (options: LedgerVerification) =>
    verifyLedger({
      ...options,
      progress: (...step) => {
        port.emit(step);
      },
    }),
}));
