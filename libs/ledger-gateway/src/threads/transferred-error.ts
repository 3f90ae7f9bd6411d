import { LedgerError, type LedgerErrorCode } from '../errors/ledger.errors.js';

/** An error in a message between threads; structured cloning would lose its class and code. */
export interface TransferredError {
  /** Undefined for an error that is not one of the port's. */
  readonly code: LedgerErrorCode | undefined;
  readonly message: string;
  readonly transactionId: string | undefined;
  /** For the log. */
  readonly stack: string | undefined;
}

/** Converts an error for `postMessage`. */
export function transferError(error: unknown): TransferredError {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  const { code, transactionId } = error instanceof LedgerError ? error : {};
  return { code, message, transactionId, stack };
}

/** Recreates the error on the receiving thread. */
export function reviveError({ code, message, transactionId, stack }: TransferredError): Error {
  if (code !== undefined) return new LedgerError(code, message, transactionId === undefined ? {} : { transactionId });
  const unexpected = new Error(message);
  if (stack !== undefined) unexpected.stack = stack;
  return unexpected;
}
