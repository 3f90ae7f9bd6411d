export {
  backupLedger,
  checkEmbeddedLedger,
  createEmbeddedLedger,
  exportLedger,
  importLedger,
  migrateLedger,
  openBlockFiles,
  rebuildLedger,
  renewCaller,
  upgradeLedger,
  verifyLedger,
} from './embedded.js';
export type { EmbeddedLedgerOptions, PendingUpgrade } from './handover/open-embedded-ledger.js';
export type { MigrationReport } from './maintenance/migrate-ledger.js';
export { type CheckedParts, parseExpectedHead, parseHash } from './maintenance/report.js';
export type { VerificationReport } from './maintenance/verify-ledger.js';
