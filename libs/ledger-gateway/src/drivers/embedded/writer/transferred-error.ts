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
  UnknownCallerError,
  type LedgerErrorCode,
} from '../../../errors/ledger.errors.js';

/** An error as it crosses from one thread to another, which would take its class away. */
export interface TransferredError {
  readonly code: LedgerErrorCode | undefined;
  readonly message: string;
  readonly transactionId: string | undefined;
  /** Where it came from, for the log. */
  readonly stack: string | undefined;
}

export function transferError(error: unknown): TransferredError {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  const ledgerError = error instanceof LedgerError ? error : undefined;
  return { code: ledgerError?.code, message, transactionId: ledgerError?.transactionId, stack };
}

type Revive = (error: TransferredError) => Error;

const revive =
  (Class: new (message: string, facts: { transactionId?: string }) => LedgerError): Revive =>
  ({ message, transactionId }) =>
    new Class(message, transactionId === undefined ? {} : { transactionId });

const refusal: Revive = ({ code, message }) => new ContractRefusalError(code as ContractRefusalError['code'], message);

const CLASSES = {
  'LEDGER.ASSET_NOT_FOUND': refusal,
  'LEDGER.ASSET_EXISTS': refusal,
  'LEDGER.INVALID_ARGUMENT': refusal,
  'LEDGER.FUNCTION_UNKNOWN': refusal,
  'LEDGER.REFUSED': refusal,
  'LEDGER.CONFLICT': revive(ConflictError),
  'LEDGER.UNAVAILABLE': revive(UnavailableError),
  'LEDGER.OUTCOME_UNKNOWN': ({ message, transactionId }) =>
    new OutcomeUnknownError(message, { transactionId: transactionId ?? '' }),
  'LEDGER.TIMEOUT': revive(LedgerTimeoutError),
  'LEDGER.OVERLOADED': revive(OverloadedError),
  'LEDGER.MISCONFIGURED': revive(MisconfiguredError),
  'LEDGER.UNKNOWN_CALLER': revive(UnknownCallerError),
  'LEDGER.READ_ONLY': revive(ReadOnlyError),
  'LEDGER.DAMAGED': revive(DamagedError),
} as const satisfies Record<LedgerErrorCode, Revive>;

/** The error as it was thrown, with its class. */
export function reviveError(error: TransferredError): Error {
  if (error.code !== undefined) return CLASSES[error.code](error);
  const unexpected = new Error(error.message);
  if (error.stack !== undefined) unexpected.stack = error.stack;
  return unexpected;
}
