import { NotFoundException } from '@nestjs/common';
import {
  ConflictError,
  ContractRefusalError,
  DamagedError,
  LedgerTimeoutError,
  MisconfiguredError,
  OutcomeUnknownError,
  OverloadedError,
  ReadOnlyError,
  UnavailableError,
} from '#ledger-gateway';
import {
  ExpectationFailedError,
  InvalidRequestError,
  MethodNotAllowedError,
  NotFoundError,
  NotReadyError,
  UnsupportedBodyError,
} from './api.errors.js';
import { fromError } from './error-answers.js';

const TX = 'ab'.repeat(32);
const SECRET = '/srv/keys/secret.pem';

describe('fromError', () => {
  it.each([
    [new InvalidRequestError('bad'), 400],
    [new NotFoundError('none'), 404],
    [new UnsupportedBodyError('type'), 415],
    [new ExpectationFailedError('cake'), 417],
    [new NotReadyError('down'), 503],
    [new ContractRefusalError('LEDGER.ASSET_NOT_FOUND', 'the asset a does not exist'), 404],
    [new ContractRefusalError('LEDGER.ASSET_EXISTS', 'the asset a already exists'), 400],
    [new ContractRefusalError('LEDGER.INVALID_ARGUMENT', 'size must be a number'), 400],
    [new ContractRefusalError('LEDGER.REFUSED', 'no'), 500],
    [new ContractRefusalError('LEDGER.FUNCTION_UNKNOWN', 'no'), 500],
    [new ConflictError('x'), 500],
    [new UnavailableError('x'), 500],
    [new LedgerTimeoutError('x'), 500],
    [new OverloadedError('x'), 500],
    [new OutcomeUnknownError('x', { transactionId: TX }), 500],
    [new ReadOnlyError('x'), 500],
    [new DamagedError('x'), 500],
    [new MisconfiguredError('x'), 500],
    [new NotFoundException('Cannot GET /'), 404],
    [Object.assign(new Error('x'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 413],
    [Object.assign(new Error('x'), { statusCode: 418, code: 'SOMETHING' }), 418],
    [Object.assign(new Error('x'), { statusCode: 500 }), 500],
    [new RangeError('x'), 500],
    ['not an error', 500],
    [undefined, 500],
  ])('answers %p with %i in the error shape', (error, status) => {
    const answer = fromError(error);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ success: false, message: expect.stringMatching(/\S/) as string });
  });

  it.each([ConflictError, UnavailableError, LedgerTimeoutError, OverloadedError])(
    'tells when %p may be sent again',
    (Kind) => {
      expect(fromError(new Kind('x')).headers).toMatchObject({ 'retry-after': '1' });
    },
  );

  it.each([
    new ReadOnlyError('x'),
    new DamagedError('x'),
    new MisconfiguredError('x'),
    new ContractRefusalError('LEDGER.REFUSED', 'x'),
    new RangeError('x'),
  ])('does not invite to send %p again', (error) => {
    expect(Object.keys(fromError(error).headers)).toEqual(['x-error-code']);
  });

  it('names the transaction whose outcome is not known, and does not invite to send it again', () => {
    const { body, headers } = fromError(new OutcomeUnknownError('x', { transactionId: TX }));
    expect(headers).toEqual({ 'x-transaction-id': TX, 'x-error-code': 'LEDGER.OUTCOME_UNKNOWN' });
    expect(body.message).toContain(TX);
    expect(body.message).toContain(`/api/v1/transactions/${TX}`);
  });

  it.each([
    [new InvalidRequestError('bad'), 'API.INVALID_REQUEST'],
    [new InvalidRequestError('no', 'LEDGER.REFUSED'), 'LEDGER.REFUSED'],
    [new ContractRefusalError('LEDGER.ASSET_EXISTS', 'x'), 'LEDGER.ASSET_EXISTS'],
    [new ConflictError('x'), 'LEDGER.CONFLICT'],
    [new NotFoundException('x'), 'API.NOT_FOUND'],
    [Object.assign(new Error('x'), { statusCode: 400, code: 'FST_ERR_BAD_URL' }), 'API.INVALID_REQUEST'],
    [Object.assign(new Error('x'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 'API.BODY_TOO_LARGE'],
    [Object.assign(new Error('x'), { statusCode: 414, code: 'FST_ERR_MAX_PARAM_LENGTH' }), 'API.PATH_TOO_LONG'],
    [new RangeError('x'), 'API.INTERNAL'],
    [undefined, 'API.INTERNAL'],
  ])('gives %p the code %s', (error, code) => {
    expect(fromError(error).headers['x-error-code']).toBe(code);
  });

  it('names the endpoint that cannot be reached', () => {
    expect(fromError(new UnavailableError('x', { endpoint: 'peer0:7051' })).body.message).toContain('peer0:7051');
  });

  it.each([
    new DamagedError(SECRET),
    new MisconfiguredError(SECRET),
    new ReadOnlyError(SECRET),
    new UnavailableError(SECRET),
    new Error(SECRET),
    Object.assign(new Error(SECRET), { statusCode: 400 }),
  ])('keeps the text of %p, which may tell of the server, to the log', (error) => {
    expect(fromError(error).body.message).not.toContain('secret');
  });

  it('writes the refusals of the contract as sentences', () => {
    const { body } = fromError(new ContractRefusalError('LEDGER.ASSET_EXISTS', 'the asset a already exists'));
    expect(body.message).toBe('The asset a already exists.');
  });

  it('names the methods that a path has', () => {
    const answer = fromError(new MethodNotAllowedError('DELETE', ['GET', 'HEAD']));
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});
