import type { LedgerBackup } from './maintenance/backup-ledger.js';
import type { LedgerExport } from './maintenance/export-ledger.js';
import type { ImportedLedger, LedgerImport } from './maintenance/import-ledger.js';
import type { LedgerRebuild, RebuiltLedger } from './maintenance/rebuild-ledger.js';
import type { LedgerVerification, VerificationReport } from './maintenance/verify-ledger.js';
import type { CallerRenewal, RenewedCaller } from './maintenance/renew-caller.js';
import type { ChainHead } from './store/prove-store.js';

// Maintenance of an embedded ledger's directory. Each function loads its code on demand, because a server never calls it.

/** Verifies a data directory or an export; see maintenance/verify-ledger.ts. */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  return (await import('./maintenance/verify-in-thread.js')).verifyInThread(options);
}

/** Exports each block to a file; see maintenance/export-ledger.ts. */
export async function exportLedger(options: LedgerExport): Promise<ChainHead> {
  return (await import('./maintenance/export-ledger.js')).exportLedger(options);
}

/** Creates a data directory from exported blocks; see maintenance/import-ledger.ts. */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  return (await import('./maintenance/import-ledger.js')).importLedger(options);
}

/** Rebuilds everything that is derived from the blocks; see maintenance/rebuild-ledger.ts. */
export async function rebuildLedger(options: LedgerRebuild): Promise<RebuiltLedger> {
  return (await import('./maintenance/rebuild-ledger.js')).rebuildLedger(options);
}

/** Copies a ledger and its keys; see maintenance/backup-ledger.ts. */
export async function backupLedger(options: LedgerBackup): Promise<ChainHead> {
  return (await import('./maintenance/backup-ledger.js')).backupLedger(options);
}

/** Issues a new key and certificate to a caller, also while the ledger is in use; see maintenance/renew-caller.ts. */
export async function renewCaller(options: CallerRenewal): Promise<RenewedCaller> {
  return (await import('./maintenance/renew-caller.js')).renewCaller(options);
}
