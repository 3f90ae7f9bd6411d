import { LEDGER_ERRORS, LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { reviveError, transferError } from './worker-calls.js';

/** Clones an error as postMessage does. */
const across = (error: unknown) => reviveError(structuredClone(transferError(error)));

describe('an error in a message between threads', () => {
  it.each(Object.keys(LEDGER_ERRORS) as LedgerErrorCode[])('keeps code, message and transaction of %s', (code) => {
    for (const facts of [{}, { transactionId: 'ab' }]) {
      const error = new LedgerError(code, 'text', facts);
      const revived = across(error);
      expect(revived).toBeInstanceOf(LedgerError);
      expect(revived.message).toBe('text');
      expect(Object.entries(revived)).toEqual(Object.entries(error));
    }
  });

  it('keeps message and stack of an unexpected error', () => {
    const error = new TypeError('x is not a function');
    const revived = across(error);
    expect(revived).not.toBeInstanceOf(LedgerError);
    expect(revived.message).toBe('x is not a function');
    expect(revived.stack).toBe(error.stack);
    expect(across('text').message).toBe('text');
  });
});
