import { parseContractError } from '#contract-kit';
import { contractRefusal, isLedgerError } from '#ledger-gateway';
import { RECORD_ERROR_CODES } from '#records-contract';

/** Returns the error of a call of the records contract by its code: a peer reports a refusal as text. */
export function recordRefusal(error: unknown): unknown {
  if (!isLedgerError(error, 'LEDGER.REFUSED')) return error;
  const refusal = parseContractError(error.message, RECORD_ERROR_CODES);
  return refusal === undefined ? error : contractRefusal(refusal, { cause: error });
}
