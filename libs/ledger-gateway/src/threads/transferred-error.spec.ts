import {
  ConflictError,
  ContractRefusalError,
  DamagedError,
  LedgerError,
  LedgerTimeoutError,
  MisconfiguredError,
  OutcomeUnknownError,
  OverloadedError,
  ReadOnlyError,
  UnavailableError,
} from '../errors/ledger.errors.js';
import { reviveError, transferError } from './transferred-error.js';

/** As postMessage passes it on. */
const across = (error: unknown) => reviveError(structuredClone(transferError(error)));

describe('an error that crosses threads', () => {
  it.each([
    new ContractRefusalError('LEDGER.ASSET_NOT_FOUND', 'gone'),
    new ContractRefusalError('LEDGER.ASSET_EXISTS', 'there'),
    new ContractRefusalError('LEDGER.INVALID_ARGUMENT', 'bad'),
    new ContractRefusalError('LEDGER.FUNCTION_UNKNOWN', 'what'),
    new ContractRefusalError('LEDGER.REFUSED', 'no'),
    new ConflictError('both'),
    new UnavailableError('down', { transactionId: 'ab' }),
    new OutcomeUnknownError('perhaps', { transactionId: 'ab' }),
    new LedgerTimeoutError('late'),
    new OverloadedError('many'),
    new MisconfiguredError('wrong'),
    new ReadOnlyError('stop'),
    new DamagedError('broken'),
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
