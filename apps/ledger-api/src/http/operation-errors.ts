import { ApiError, invalidRequest, MALFORMED_URL, type ErrorCode } from './errors.js';
import { BAD_KEY } from './idempotency-key.js';

/** An error that an operation documents: a code, whose sample is shown, or an error with another message. */
export type DocumentedError = ErrorCode | Error;
type Errors = readonly DocumentedError[];

/** Errors of every operation, with or without authentication. */
export const ALL_ERRORS: Errors = [invalidRequest(MALFORMED_URL), 'API.SECRET_IN_URL', 'API.FOREIGN_HOST'];

export const TWO_CREDENTIALS = 'Send either X-API-Key or Authorization: Bearer, not both.';

/** Errors of every operation that requires a caller. */
export const LOGIN_ERRORS: Errors = [
  invalidRequest(TWO_CREDENTIALS),
  'API.LOGIN_NEEDED',
  'API.LOGIN_REFUSED',
  'API.ROLE_NEEDED',
  'API.NO_CALLER',
  'API.TLS_NEEDED',
  'API.TOO_MANY_LOGINS',
  'API.TOO_MANY_REQUESTS',
  'API.CALLERS_UNAVAILABLE',
  'API.ISSUER_UNAVAILABLE',
];

/** Errors of every operation that calls the ledger. */
export const LEDGER_ERRORS: Errors = [
  'LEDGER.UNKNOWN_CALLER',
  'LEDGER.CALLER_REFUSED',
  'LEDGER.UNAVAILABLE',
  'LEDGER.TIMEOUT',
  'LEDGER.OVERLOADED',
  'LEDGER.DAMAGED',
  'LEDGER.MISCONFIGURED',
  'API.INTERNAL',
];

/** Errors of every operation that reads with a function of the contract. */
export const READ_ERRORS: Errors = [...LEDGER_ERRORS, 'LEDGER.FUNCTION_UNKNOWN', 'LEDGER.REFUSED'];

/** Errors of every operation that creates a transaction. */
export const TRANSACTION_ERRORS: Errors = [
  'API.CROSS_SITE',
  'LEDGER.CONFLICT',
  'LEDGER.OUTCOME_UNKNOWN',
  'LEDGER.READ_ONLY',
];

/** Errors of every operation that writes with a function of the contract. */
export const WRITE_ERRORS: Errors = [...LEDGER_ERRORS, 'LEDGER.FUNCTION_UNKNOWN', ...TRANSACTION_ERRORS];

/** Errors of every operation with a body whose values the contract validates. */
export const VALUE_ERRORS: Errors = [
  'LEDGER.INVALID_ARGUMENT',
  new ApiError('LEDGER.REFUSED', "The ledger's contract refused: size must be a number", { status: 400 }),
];

/** Errors of every operation with a body. */
export const BODY_ERRORS: Errors = [
  invalidRequest('The body is not valid JSON.'),
  'API.BODY_TOO_LARGE',
  'API.UNSUPPORTED_BODY',
];

/** Errors of every write that accepts an Idempotency-Key. */
export const KEY_ERRORS: Errors = [
  invalidRequest(BAD_KEY),
  'LEDGER.KEY_IN_USE',
  'LEDGER.OUTCOME_PRUNED',
  'LEDGER.KEY_REUSED',
  'LEDGER.INVALID_TRANSACTION',
];

/** Errors of every operation with a path parameter. */
export const PATH_ERRORS: Errors = ['API.PATH_TOO_LONG'];

/** Errors of every operation on one asset. */
export const NO_ASSET: Errors = [
  'LEDGER.ASSET_NOT_FOUND',
  new ApiError('API.NOT_FOUND', 'There is no asset with this id, and there cannot be one.'),
];
