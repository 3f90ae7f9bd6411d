import { LedgerError } from '../errors/ledger.errors.js';
import { reviveError, transferError } from './transferred-error.js';

/** As postMessage passes it on. */
const across = (error: unknown) => reviveError(structuredClone(transferError(error)));

describe('an error that crosses threads', () => {
  it.each([
    new LedgerError('LEDGER.ASSET_NOT_FOUND', 'gone'),
    new LedgerError('LEDGER.ASSET_EXISTS', 'there'),
    new LedgerError('LEDGER.INVALID_ARGUMENT', 'bad'),
    new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'what'),
    new LedgerError('LEDGER.REFUSED', 'no'),
    new LedgerError('LEDGER.CONFLICT', 'both'),
    new LedgerError('LEDGER.UNAVAILABLE', 'down', { transactionId: 'ab' }),
    new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'perhaps', { transactionId: 'ab' }),
    new LedgerError('LEDGER.TIMEOUT', 'late'),
    new LedgerError('LEDGER.OVERLOADED', 'many'),
    new LedgerError('LEDGER.MISCONFIGURED', 'wrong'),
    new LedgerError('LEDGER.READ_ONLY', 'stop'),
    new LedgerError('LEDGER.DAMAGED', 'broken'),
  ])('keeps class, code, text and transaction of $name $code', (error) => {
    const revived = across(error);
    expect(revived).toBeInstanceOf(LedgerError);
    expect(revived.constructor).toBe(error.constructor);
    expect(revived.message).toBe(error.message);
    expect(Object.entries(revived)).toEqual(Object.entries(error));
  });

  it('keeps text and stack of what nobody expected', () => {
    const error = new TypeError('x is not a function');
    const revived = across(error);
    expect(revived).not.toBeInstanceOf(LedgerError);
    expect(revived.message).toBe('x is not a function');
    expect(revived.stack).toBe(error.stack);
    expect(across('text').message).toBe('text');
  });
});
