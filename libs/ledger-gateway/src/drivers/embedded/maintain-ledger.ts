import type { ConvertedLedger, LedgerConversion } from './maintenance/convert-ledger.js';
import type { LedgerCopy } from './maintenance/copy-ledger.js';
import type { ImportedLedger, LedgerImport } from './maintenance/import-ledger.js';
import type { LedgerRebuild, RebuiltLedger } from './maintenance/rebuild-ledger.js';
import type { LedgerVerification, VerificationReport } from './maintenance/verify-ledger.js';
import type { CallerRenewal, RenewedCaller } from './maintenance/renew-caller.js';
import type { ChainHead } from './store/open-store.js';

// The operator's commands on the directory of an embedded ledger. Each loads its code when it is called: a server never does.

/** Verifies a data directory or an export; see maintenance/verify-ledger.ts. */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  return (await import('./maintenance/verify-in-thread.js')).verifyInThread(options);
}

/** Writes every block as its own file; see maintenance/copy-ledger.ts. */
export async function exportLedger(options: LedgerCopy): Promise<ChainHead> {
  return (await import('./maintenance/copy-ledger.js')).exportLedger(options);
}

/** Creates a data directory from exported blocks; see maintenance/import-ledger.ts. */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  return (await import('./maintenance/import-ledger.js')).importLedger(options);
}

/** Derives everything but the blocks again; see maintenance/rebuild-ledger.ts. */
export async function rebuildLedger(options: LedgerRebuild): Promise<RebuiltLedger> {
  return (await import('./maintenance/rebuild-ledger.js')).rebuildLedger(options);
}

/** Copies a ledger with its keys; see maintenance/copy-ledger.ts. */
export async function backupLedger(options: LedgerCopy): Promise<ChainHead> {
  return (await import('./maintenance/copy-ledger.js')).backupLedger(options);
}

/** Converts a store to another format; see maintenance/convert-ledger.ts. */
export async function convertLedger(options: LedgerConversion): Promise<ConvertedLedger> {
  return (await import('./maintenance/convert-ledger.js')).convertLedger(options);
}

/** Issues a caller a new key and certificate, also while the ledger is in use; see maintenance/renew-caller.ts. */
export async function renewCaller(options: CallerRenewal): Promise<RenewedCaller> {
  return (await import('./maintenance/renew-caller.js')).renewCaller(options);
}
