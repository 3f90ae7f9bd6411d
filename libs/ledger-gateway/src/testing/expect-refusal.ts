import { expect } from '@jest/globals';
import { isLedgerError, LedgerError, type LedgerErrorCode } from '../errors/ledger.errors.js';

/** Returns the code of a ledger error, or undefined for another value. */
export function codeOf(error: unknown): LedgerErrorCode | undefined {
  return isLedgerError(error) ? error.code : undefined;
}

/** Expects a call to fail with a code. */
export async function expectRefusal(call: Promise<unknown>, code: LedgerErrorCode): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LedgerError);
  expect(codeOf(error)).toBe(code);
}
