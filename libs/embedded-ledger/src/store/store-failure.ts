import { toolCommand } from '#files';
import { damaged, isLedgerError, LedgerError, misconfigured } from '#ledger-gateway';

/** The result codes of SQLite (https://www.sqlite.org/rescode.html) that are handled here. */
const SQLITE = {
  ERROR: 1,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
  IOERR_SHORT_READ: 522,
  IOERR_FSYNC: 1034,
  IOERR_DIR_FSYNC: 1290,
} as const;

/** Returns the extended result code of an error thrown by node:sqlite, or undefined for any other error. */
function sqliteCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}

/** Returns whether a failed commit may have reached the disk: data written before a failed fsync may survive. */
export function isFailedSync(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.IOERR_FSYNC || code === SQLITE.IOERR_DIR_FSYNC;
}

/** Returns whether the disk is full. */
export function isDiskFull(error: unknown): boolean {
  return ((sqliteCode(error) ?? 0) & 0xff) === SQLITE.FULL;
}

/**
 * Converts a failure of the store to an error of the ledger.
 * @param what - was being read or written, as in "could not read {what}"
 */
export function storeFailure(error: unknown, what: string): Error {
  if (isLedgerError(error)) return error;
  const code = sqliteCode(error);
  if (code !== undefined) return failureOf(code, what, error as Error);
  return error instanceof Error ? error : new Error(String(error));
}

function failureOf(code: number, what: string, cause: Error): LedgerError {
  const text = cause.message;
  switch (code === SQLITE.IOERR_SHORT_READ ? SQLITE.CORRUPT : code & 0xff) {
    // The statements are fixed: one that fails on this file means that a table was altered.
    case SQLITE.ERROR:
    case SQLITE.CORRUPT:
    case SQLITE.NOTADB: {
      const advice = `Run "${toolCommand('ledger')} verify", then restore a backup or rebuild.`;
      return damaged(`${what} is damaged: ${text}. ${advice}`, cause);
    }
    case SQLITE.IOERR:
      return readOnly(`Could not read or write ${what}: ${text}. Check the disk, then restart.`, cause);
    case SQLITE.FULL:
      return readOnly(`Could not write ${what}: the disk is full. Free space, then restart.`, cause);
    case SQLITE.READONLY:
    case SQLITE.CANTOPEN:
      return misconfigured(`Could not open ${what}: ${text}. Check its owner and permissions.`, cause);
    default:
      return new LedgerError('LEDGER.UNAVAILABLE', `Could not use ${what}: ${text}.`, { cause });
  }
}

function readOnly(message: string, cause: Error): LedgerError {
  return new LedgerError('LEDGER.READ_ONLY', message, { cause });
}
