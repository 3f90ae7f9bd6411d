import { LedgerError, type LedgerErrorCode } from '../errors/ledger.errors.js';

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

/** The error as it was thrown. */
export function reviveError({ code, message, transactionId, stack }: TransferredError): Error {
  if (code !== undefined) return new LedgerError(code, message, transactionId === undefined ? {} : { transactionId });
  const unexpected = new Error(message);
  if (stack !== undefined) unexpected.stack = stack;
  return unexpected;
}
