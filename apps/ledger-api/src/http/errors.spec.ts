import { NotFoundException } from '@nestjs/common';
import { LedgerError } from '#ledger-gateway';
import { ApiError } from './errors.js';
import { answerOf } from './error-answers.js';

const TX = 'ab'.repeat(32);
const SECRET = '/srv/keys/secret.pem';

describe('answerOf', () => {
  it.each([
    [new ApiError('API.INVALID_REQUEST', 'bad'), 400],
    [new ApiError('API.NOT_FOUND', 'none'), 404],
    [new ApiError('API.UNSUPPORTED_BODY', 'type'), 415],
    [new ApiError('API.EXPECTATION_FAILED', 'cake'), 417],
    [new ApiError('API.NOT_READY', 'down'), 503],
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
    const answer = answerOf(error);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ success: false, message: expect.stringMatching(/\S/) as string });
  });

  it.each(['LEDGER.CONFLICT', 'LEDGER.UNAVAILABLE', 'LEDGER.TIMEOUT', 'LEDGER.OVERLOADED'] as const)(
    'sets Retry-After for %s',
    (code) => {
      expect(answerOf(new LedgerError(code, 'x')).headers).toMatchObject({ 'retry-after': '1' });
    },
  );

  it.each([
    new LedgerError('LEDGER.READ_ONLY', 'x'),
    new LedgerError('LEDGER.DAMAGED', 'x'),
    new LedgerError('LEDGER.MISCONFIGURED', 'x'),
    new LedgerError('LEDGER.REFUSED', 'x'),
    new RangeError('x'),
  ])('does not invite to send %p again', (error) => {
    expect(Object.keys(answerOf(error).headers)).toEqual(['x-error-code']);
  });

  it('names the transaction whose outcome is not known, and does not invite to send it again', () => {
    const { body, headers } = answerOf(new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'x', { transactionId: TX }));
    expect(headers).toEqual({ 'x-transaction-id': TX, 'x-error-code': 'LEDGER.OUTCOME_UNKNOWN' });
    expect(body.message).toContain(TX);
    expect(body.message).toContain(`/api/v1/transactions/${TX}`);
  });

  it.each([
    [new ApiError('API.INVALID_REQUEST', 'bad'), 'API.INVALID_REQUEST'],
    [new ApiError('LEDGER.REFUSED', 'no', { status: 400 }), 'LEDGER.REFUSED'],
    [new LedgerError('LEDGER.ASSET_EXISTS', 'x'), 'LEDGER.ASSET_EXISTS'],
    [new LedgerError('LEDGER.CONFLICT', 'x'), 'LEDGER.CONFLICT'],
    [new NotFoundException('x'), 'API.NOT_FOUND'],
    [Object.assign(new Error('x'), { statusCode: 400, code: 'FST_ERR_BAD_URL' }), 'API.INVALID_REQUEST'],
    [Object.assign(new Error('x'), { statusCode: 413, code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 'API.BODY_TOO_LARGE'],
    [Object.assign(new Error('x'), { statusCode: 414, code: 'FST_ERR_MAX_PARAM_LENGTH' }), 'API.PATH_TOO_LONG'],
    [new RangeError('x'), 'API.INTERNAL'],
    [undefined, 'API.INTERNAL'],
  ])('maps %p to the code %s', (error, code) => {
    expect(answerOf(error).headers['x-error-code']).toBe(code);
  });

  it('names the endpoint that cannot be reached', () => {
    expect(answerOf(new LedgerError('LEDGER.UNAVAILABLE', 'x', { endpoint: 'peer0:7051' })).body.message).toContain(
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
  ])('writes the text of %p, which may reveal details of the server, only to the log', (error) => {
    expect(answerOf(error).body.message).not.toContain('secret');
  });

  it('writes the refusals of the contract as sentences', () => {
    const { body } = answerOf(new LedgerError('LEDGER.ASSET_EXISTS', 'the asset a already exists'));
    expect(body.message).toBe('The asset a already exists.');
  });

  it('names the methods that a path has', () => {
    const answer = answerOf(new ApiError('API.METHOD_NOT_ALLOWED', 'no', { headers: { allow: 'GET, HEAD' } }));
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });
});
