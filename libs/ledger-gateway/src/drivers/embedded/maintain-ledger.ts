import type { ImportedLedger, LedgerImport, LedgerRebuild, RebuiltLedger } from './maintenance/build-ledger.js';
import type { CallerRenewal, ConvertedLedger, LedgerConversion, RenewedCaller } from './maintenance/change-ledger.js';
import type { LedgerCopy } from './maintenance/copy-ledger.js';
import type { LedgerVerification, VerificationReport } from './maintenance/verify-ledger.js';
import type { ChainHead } from './store/store-reader.js';

// The operator's commands on the directory of an embedded ledger. Each loads its code when it is called: a server never does.

/** Verifies a data directory or an export; see maintenance/verify-ledger.ts. */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  return (await import('./maintenance/verify-ledger.js')).verifyLedger(options);
}

/** Writes every block as its own file; see maintenance/copy-ledger.ts. */
export async function exportLedger(options: LedgerCopy): Promise<ChainHead> {
  return (await import('./maintenance/copy-ledger.js')).exportLedger(options);
}

/** Creates a data directory from exported blocks; see maintenance/build-ledger.ts. */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  return (await import('./maintenance/build-ledger.js')).importLedger(options);
}

/** Derives everything but the blocks again; see maintenance/build-ledger.ts. */
export async function rebuildLedger(options: LedgerRebuild): Promise<RebuiltLedger> {
  return (await import('./maintenance/build-ledger.js')).rebuildLedger(options);
}

/** Copies a ledger with its keys; see maintenance/copy-ledger.ts. */
export async function backupLedger(options: LedgerCopy): Promise<ChainHead> {
  return (await import('./maintenance/copy-ledger.js')).backupLedger(options);
}

/** Converts a store to another format; see maintenance/change-ledger.ts. */
export async function convertLedger(options: LedgerConversion): Promise<ConvertedLedger> {
  return (await import('./maintenance/change-ledger.js')).convertLedger(options);
}

/** Issues a caller a new key and certificate, also while the ledger is in use; see maintenance/change-ledger.ts. */
export async function renewCaller(options: CallerRenewal): Promise<RenewedCaller> {
  return (await import('./maintenance/change-ledger.js')).renewCaller(options);
}
