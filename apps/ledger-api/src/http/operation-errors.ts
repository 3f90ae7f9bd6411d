import { errorCodes } from 'fastify';
import { LedgerError } from '#ledger-gateway';
import {
  CallersUnavailableError,
  CrossSiteError,
  ForeignHostError,
  InvalidRequestError,
  IssuerUnavailableError,
  LoginNeededError,
  LoginRefusedError,
  NoCallerError,
  NotFoundError,
  RoleNeededError,
  SecretInUrlError,
  TlsNeededError,
  TooManyLoginsError,
  TooManyRequestsError,
  UnsupportedBodyError,
} from './api.errors.js';
import { badTags } from './preconditions.js';

// What operations can fail with, one of each kind, for their documentation: it shows each as it would be answered.

export const EXAMPLE_TRANSACTION_ID = '4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7';

/** Of every operation, also of those that need no caller. */
export const ALL_ERRORS: readonly Error[] = [new SecretInUrlError(), new ForeignHostError('evil.example')];

/** Of every operation that needs a caller, while callers have to log in. */
export const LOGIN_ERRORS: readonly Error[] = [
  new InvalidRequestError('X-API-Key and Authorization: Bearer came together; send one of them.'),
  new LoginNeededError(),
  new LoginRefusedError(),
  new RoleNeededError({ name: 'alice', role: 'reader' }, 'writer'),
  new NoCallerError(),
  new TlsNeededError(),
  new TooManyLoginsError(3),
  new TooManyRequestsError(100, 1),
  new CallersUnavailableError(),
  new IssuerUnavailableError(),
];

/** Of every operation that asks the ledger. */
export const LEDGER_ERRORS: readonly Error[] = [
  new LedgerError('LEDGER.UNKNOWN_CALLER', 'no identity signs'),
  new LedgerError('LEDGER.CALLER_REFUSED', 'revoked'),
  new LedgerError('LEDGER.UNAVAILABLE', 'unreachable'),
  new LedgerError('LEDGER.TIMEOUT', 'no answer'),
  new LedgerError('LEDGER.OVERLOADED', 'too many calls'),
  new LedgerError('LEDGER.DAMAGED', 'not what was written'),
  new LedgerError('LEDGER.MISCONFIGURED', 'an unknown channel'),
  new Error('unforeseen'),
];

const CONTRACT_ERRORS: readonly Error[] = [
  ...LEDGER_ERRORS,
  new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'no such function'),
];

/** The contract refuses where no value of the caller's can be why. */
export const REFUSED = new LedgerError('LEDGER.REFUSED', 'what is stored as asset7 is not an asset');

/** Of every operation that reads by a function of the contract. */
export const READ_ERRORS: readonly Error[] = [...CONTRACT_ERRORS, REFUSED];

/** Of every operation that makes a transaction. */
export const TRANSACTION_ERRORS: readonly Error[] = [
  new CrossSiteError(),
  new LedgerError('LEDGER.CONFLICT', 'read meanwhile'),
  new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'no word of its commit', { transactionId: EXAMPLE_TRANSACTION_ID }),
  new LedgerError('LEDGER.READ_ONLY', 'the disk is full'),
];

/** Of every operation that changes something. */
export const WRITE_ERRORS: readonly Error[] = [...CONTRACT_ERRORS, ...TRANSACTION_ERRORS];

/** Of every operation that takes a body whose values the contract judges. */
export const VALUE_ERRORS: readonly Error[] = [
  new LedgerError('LEDGER.INVALID_ARGUMENT', 'size must not be empty'),
  new InvalidRequestError("The ledger's contract refused: size must be a number", 'LEDGER.REFUSED'),
];

/** Of every operation that takes a body. */
export const BODY_ERRORS: readonly Error[] = [
  new InvalidRequestError('The body is not valid JSON.'),
  new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(),
  new UnsupportedBodyError('The body must be JSON, with the header Content-Type: application/json.'),
];

/** Of every write that takes an Idempotency-Key. */
export const KEY_ERRORS: readonly Error[] = [
  new InvalidRequestError(
    'Idempotency-Key must be one key of 1 to 255 visible ASCII characters, bare or in double quotes.',
  ),
  new LedgerError('LEDGER.KEY_IN_USE', 'under way'),
  new LedgerError('LEDGER.OUTCOME_PRUNED', 'pruned'),
  new LedgerError('LEDGER.KEY_REUSED', 'another write'),
  new LedgerError(
    'LEDGER.INVALID_TRANSACTION',
    `transaction ${EXAMPLE_TRANSACTION_ID} stands in the chain as ENDORSEMENT_POLICY_FAILURE, and its idempotency key ` +
      'stands for it: nothing was written. Send the write under another key',
  ),
];

/** Of every write that takes If-Match. */
export const CONDITION_ERRORS: readonly Error[] = [
  badTags('If-Match'),
  new LedgerError('LEDGER.ASSET_CHANGED', 'the asset asset7 has changed since it was read'),
  new LedgerError(
    'LEDGER.NOT_SUPPORTED',
    "If-Match on another chaincode than the project's own needs LEDGER_DRIVER=fabric-gateway",
  ),
];

/** Of every operation on what the path names. */
export const PATH_ERRORS: readonly Error[] = [new errorCodes.FST_ERR_MAX_PARAM_LENGTH('/api/v1/assets/…')];
export const NO_ASSET: readonly Error[] = [
  new LedgerError('LEDGER.ASSET_NOT_FOUND', 'the asset asset7 does not exist'),
  new NotFoundError('There is no asset of that id, and there cannot be one.'),
];
