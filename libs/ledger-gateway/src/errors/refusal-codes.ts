import type { RefusalCode } from './ledger.errors.js';

/** What the port calls the refusals of our own contract, wherever it runs. */
export const REFUSAL_CODES = {
  ASSET_NOT_FOUND: 'LEDGER.ASSET_NOT_FOUND',
  ASSET_EXISTS: 'LEDGER.ASSET_EXISTS',
  INVALID_ARGUMENT: 'LEDGER.INVALID_ARGUMENT',
  FUNCTION_UNKNOWN: 'LEDGER.FUNCTION_UNKNOWN',
  NOT_AN_ASSET: 'LEDGER.REFUSED',
} as const satisfies Record<string, RefusalCode>;
