import { expect } from '@jest/globals';
import { LedgerError, type LedgerErrorCode } from '../errors/ledger.errors.js';

/** The code of a failure, if it is one of the port's. */
export function codeOf(error: unknown): LedgerErrorCode | undefined {
  return error instanceof LedgerError ? error.code : undefined;
}

/** Expects that a call fails with a code. */
export async function expectRefusal(call: Promise<unknown>, code: LedgerErrorCode): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LedgerError);
  expect(codeOf(error)).toBe(code);
}
