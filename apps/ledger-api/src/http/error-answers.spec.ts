import { NotFoundException } from '@nestjs/common';
import { LedgerError } from '#ledger-gateway';
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
    [new LedgerError('LEDGER.ASSET_NOT_FOUND', 'the asset a does not exist'), 404],
    [new LedgerError('LEDGER.ASSET_EXISTS', 'the asset a already exists'), 400],
    [new LedgerError('LEDGER.INVALID_ARGUMENT', 'size must be a number'), 400],
    [new LedgerError('LEDGER.REFUSED', 'no'), 500],
    [new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'no'), 500],
    [new LedgerError('LEDGER.CONFLICT', 'x'), 500],
    [new LedgerError('LEDGER.UNAVAILABLE', 'x'), 500],
    [new LedgerError('LEDGER.TIMEOUT', 'x'), 500],
    [new LedgerError('LEDGER.OVERLOADED', 'x'), 500],
    [new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'x', { transactionId: TX }), 500],
    [new LedgerError('LEDGER.READ_ONLY', 'x'), 500],
    [new LedgerError('LEDGER.DAMAGED', 'x'), 500],
    [new LedgerError('LEDGER.MISCONFIGURED', 'x'), 500],
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

  it.each(['LEDGER.CONFLICT', 'LEDGER.UNAVAILABLE', 'LEDGER.TIMEOUT', 'LEDGER.OVERLOADED'] as const)(
    'sets Retry-After for %s',
    (code) => {
      expect(fromError(new LedgerError(code, 'x')).headers).toMatchObject({ 'retry-after': '1' });
    },
  );

  it.each([
    new LedgerError('LEDGER.READ_ONLY', 'x'),
    new LedgerError('LEDGER.DAMAGED', 'x'),
    new LedgerError('LEDGER.MISCONFIGURED', 'x'),
    new LedgerError('LEDGER.REFUSED', 'x'),
    new RangeError('x'),
  ])('does not invite to send %p again', (error) => {
    expect(Object.keys(fromError(error).headers)).toEqual(['x-error-code']);
  });

  it('names the transaction whose outcome is not known, and does not invite to send it again', () => {
    const { body, headers } = fromError(new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'x', { transactionId: TX }));
    expect(headers).toEqual({ 'x-transaction-id': TX, 'x-error-code': 'LEDGER.OUTCOME_UNKNOWN' });
    expect(body.message).toContain(TX);
    expect(body.message).toContain(`/api/v1/transactions/${TX}`);
  });

  it.each([
    [new InvalidRequestError('bad'), 'API.INVALID_REQUEST'],
    [new InvalidRequestError('no', 'LEDGER.REFUSED'), 'LEDGER.REFUSED'],
    [new LedgerError('LEDGER.ASSET_EXISTS', 'x'), 'LEDGER.ASSET_EXISTS'],
    [new LedgerError('LEDGER.CONFLICT', 'x'), 'LEDGER.CONFLICT'],
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
    expect(fromError(new LedgerError('LEDGER.UNAVAILABLE', 'x', { endpoint: 'peer0:7051' })).body.message).toContain(
      'peer0:7051',
    );
  });

  it.each([
    new LedgerError('LEDGER.DAMAGED', SECRET),
    new LedgerError('LEDGER.MISCONFIGURED', SECRET),
    new LedgerError('LEDGER.READ_ONLY', SECRET),
    new LedgerError('LEDGER.UNAVAILABLE', SECRET),
    new Error(SECRET),
    Object.assign(new Error(SECRET), { statusCode: 400 }),
  ])('keeps the text of %p, which may tell of the server, to the log', (error) => {
    expect(fromError(error).body.message).not.toContain('secret');
  });

  it('writes the refusals of the contract as sentences', () => {
    const { body } = fromError(new LedgerError('LEDGER.ASSET_EXISTS', 'the asset a already exists'));
    expect(body.message).toBe('The asset a already exists.');
  });

  it('names the methods that a path has', () => {
    const answer = fromError(new MethodNotAllowedError('DELETE', ['GET', 'HEAD']));
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});
