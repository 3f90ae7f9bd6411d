import type { ContractError } from '#asset-contract';
import { ContractRefusalError } from '../../../errors/ledger.errors.js';
import { REFUSAL_CODES } from '../../../errors/refusal-codes.js';

/** The contract's refusal as the port says it. */
export function contractRefusal(error: ContractError): ContractRefusalError {
  return new ContractRefusalError(REFUSAL_CODES[error.code], error.reason, { cause: error });
}
