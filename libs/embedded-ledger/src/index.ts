import type { Ledger } from '#ledger-gateway';
import type { EphemeralLedger } from './ephemeral/ephemeral-ledger.js';
import type { EmbeddedLedgerOptions, StartCheck } from './handover/open-embedded-ledger.js';
import type * as administer from './maintenance/administer-ledger.js';
import type * as migrate from './maintenance/network-migration/migrate-ledger.js';
import type * as build from './maintenance/build-ledger.js';
import type * as source from './maintenance/chain-source.js';
import type * as verify from './maintenance/verify-ledger.js';

export type { EphemeralLedger } from './ephemeral/ephemeral-ledger.js';
export type { EmbeddedLedgerOptions, StartCheck } from './handover/open-embedded-ledger.js';
export type { MigrationReport } from './maintenance/network-migration/migrate-ledger.js';
export { type CheckedParts, parseExpectedHead, parseHash } from './maintenance/report.js';
export type { VerificationReport } from './maintenance/verify-ledger.js';

// The entry points of the driver. Each loads its code when it is called: a server never loads the operator's commands.

const loadBuild = (): Promise<typeof build> => import('./maintenance/build-ledger.js');
const loadAdminister = (): Promise<typeof administer> => import('./maintenance/administer-ledger.js');

/**
 * Opens the ledger of a data directory, or creates a new one.
 * @throws `LEDGER.MISCONFIGURED` when the directory cannot be written, is in use by another process, or was created for
 * another channel, chaincode or MSP or by a newer version; `LEDGER.DAMAGED` when the stored data was altered
 */
export async function createEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<Ledger> {
  const { openEmbeddedLedger } = await import('./handover/open-embedded-ledger.js');
  return openEmbeddedLedger(options);
}

/**
 * Opens ledgers for tests in a folder, where the caller removes what is left.
 * @throws what {@link createEmbeddedLedger} throws
 */
export async function createEphemeralLedger(options: EmbeddedLedgerOptions): Promise<EphemeralLedger> {
  const { openEphemeralLedger } = await import('./ephemeral/ephemeral-ledger.js');
  return openEphemeralLedger(options);
}

/**
 * Checks that {@link createEmbeddedLedger} would succeed, without writing anything; another process may have the ledger open.
 * @returns the upgrade of the store that it would make; undefined for none
 * @throws the error with which it would fail
 */
export async function checkEmbeddedLedger(options: EmbeddedLedgerOptions): Promise<StartCheck> {
  const { checkEmbeddedLedger: check } = await import('./handover/open-embedded-ledger.js');
  return check(options);
}

export const verifyLedger: typeof verify.verifyLedger = async (options) =>
  (await import('./maintenance/verify-ledger.js')).verifyLedger(options);

export const importLedger: typeof build.importLedger = async (options) => (await loadBuild()).importLedger(options);

export const rebuildLedger: typeof build.rebuildLedger = async (options) => (await loadBuild()).rebuildLedger(options);

export const exportLedger = async (options: administer.LedgerCopy): Promise<administer.ExportedLedger> =>
  (await loadAdminister()).exportLedger(options);

export const backupLedger: typeof administer.backupLedger = async (options) =>
  (await loadAdminister()).backupLedger(options);

export const upgradeLedger: typeof administer.upgradeLedger = async (options) =>
  (await loadAdminister()).upgradeLedger(options);

export const renewCaller: typeof administer.renewCaller = async (options) =>
  (await loadAdminister()).renewCaller(options);

export const migrateLedger: typeof migrate.migrateLedger = async (migration) =>
  (await import('./maintenance/network-migration/migrate-ledger.js')).migrateLedger(migration);

export const openBlockFiles = async (path: string): Promise<source.BlockFiles> =>
  (await import('./maintenance/chain-source.js')).openBlockFiles(path);
