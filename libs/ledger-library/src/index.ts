import type { OpenOptions, RecordLog, RecordTypes, Verification, VerifyOptions } from './public-types.js';
import { LedgerRecordLog, verifyDirectory } from './ledger-record-log.js';

export type * from './public-types.js';

/**
 * Opens the ledger of a directory, or creates one. One process at a time may have it open; `ledger-api` and `ledger-tool` read and
 * serve the same directory.
 * @throws an error with the code `LEDGER.MISCONFIGURED` when another process, which is named, has it open, or `LEDGER.DAMAGED`
 */
export async function openLedger<Types extends RecordTypes = RecordTypes>(
  directory: string,
  options: OpenOptions = {},
): Promise<RecordLog<Types>> {
  const log: unknown = await LedgerRecordLog.open(directory, options);
  return log as RecordLog<Types>;
}

/**
 * Verifies the ledger of a directory, open or not, without changing it: each block, signature and record; with a checkpoint, that the
 * history has not been replaced.
 * @throws an error with the code `LEDGER.DAMAGED` when so much is damaged that no verification is possible
 */
export function verifyLedger(directory: string, options: VerifyOptions = {}): Promise<Verification> {
  return verifyDirectory(directory, options);
}
