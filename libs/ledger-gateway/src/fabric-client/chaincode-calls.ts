import type { CallOptions, LedgerCall, SubmitResult } from '../ports/ledger.port.js';

/** A chaincode as a client calls it. */
export interface ChaincodeCalls {
  submit(call: LedgerCall, options: CallOptions): Promise<SubmitResult>;
  evaluate(call: LedgerCall, options: CallOptions): Promise<Uint8Array>;
}
