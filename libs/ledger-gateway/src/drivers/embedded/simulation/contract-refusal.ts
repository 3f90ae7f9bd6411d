import type { ContractError, ContractErrorCode } from '#asset-contract';
import { ContractRefusalError, type RefusalCode } from '../../../errors/ledger.errors.js';

const CODES = {
  ASSET_NOT_FOUND: 'LEDGER.ASSET_NOT_FOUND',
  ASSET_EXISTS: 'LEDGER.ASSET_EXISTS',
  INVALID_ARGUMENT: 'LEDGER.INVALID_ARGUMENT',
  FUNCTION_UNKNOWN: 'LEDGER.FUNCTION_UNKNOWN',
  NOT_AN_ASSET: 'LEDGER.REFUSED',
} as const satisfies Record<ContractErrorCode, RefusalCode>;

/** The contract's refusal as the port says it. */
export function contractRefusal(error: ContractError): ContractRefusalError {
  return new ContractRefusalError(CODES[error.code], error.reason, { cause: error });
}
