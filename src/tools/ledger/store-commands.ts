import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  backupLedger,
  type CheckedParts,
  exportLedger,
  importLedger,
  rebuildLedger,
  upgradeLedger,
  type VerificationReport,
  verifyLedger,
} from '#embedded-ledger';
import { certificatesDirOf } from '#ledger-callers';
import { callersFileIn } from '#ledger-config';
import { EXIT, print } from '../command-line.js';
import { configured } from '../configured.js';
import { withProgress } from '../progress.js';
import { requireWitnessed, type CheckpointOptions } from './checkpoint-option.js';

const NO_PIN = `No checkpoint was given: those who hold the keys can sign another chain as a whole, or truncate this one.
Give one that witnesses confirmed: --policy FILE --checkpoint FILE. Without witnesses, store the head above elsewhere, and give
it next time: --expect HEIGHT:HASH`;

type Verification = Parameters<typeof verifyLedger>[0];

interface Options {
  readonly dataDir?: string;
}

interface HeadOptions extends Options, CheckpointOptions {
  readonly expect?: Verification['expect'];
  readonly genesis?: Verification['genesis'];
}

/** Verifies a data directory, or exported blocks. */
export async function verify(options: HeadOptions & { readonly blocks?: string }, command: Command): Promise<void> {
  const { blocks, expect, genesis } = options;
  const witnessed = await requireWitnessed(options, command);
  const path = blocks ?? dataDirOf(options);
  const isChannel = blocks !== undefined;
  const report = await withProgress('Verifying', 'blocks', (progress) =>
    verifyLedger({ path, isChannel, expect, checkpoint: witnessed?.checkpoint, genesis, progress }),
  );
  const { height, hash, transactions, findings, checked, privateValues } = report;
  for (const { where, check, what } of findings) print(`${check}: ${where}: ${what}`);
  print(`${height} blocks, ${transactions} transactions; head ${height}:${hash}`);
  if (isChannel) printChecked(checked);
  printPrivateValues(privateValues);
  if (report.hasCheckpoint && witnessed !== undefined) print(witnessed.confirmation);
  print(verdictOn(findings));
  if (expect === undefined && witnessed === undefined) print(NO_PIN);
  if (findings.length > 0) process.exitCode = EXIT.failed;
}

function printPrivateValues(counts: VerificationReport['privateValues']): void {
  if (counts === undefined || counts.total === 0) return;
  print(`private values: ${counts.present} of ${counts.total} present; the blocks contain their hashes only`);
}

function verdictOn(findings: VerificationReport['findings']): string {
  if (findings.length === 0) return 'No errors found.';
  if (findings.every(({ check }) => check === 'UNCHECKED')) return 'NOT ALL COULD BE CHECKED: see above.';
  return 'DAMAGED: see above.';
}

/** Prints the checked parts of a channel, which shows what was not checked. */
function printChecked({ configurations, calls, refused, signatures, chaincodes, collections }: CheckedParts): void {
  print(
    `Checked: ${configurations} configurations, ${calls} calls, ${refused} refused transactions, ${signatures} signatures`,
  );
  for (const { name, calls: count, policy } of chaincodes) print(`  ${name}: ${count} calls, endorsed by ${policy}`);
  for (const { chaincode, name, reads, writes } of collections) {
    print(`  private data of ${chaincode} in ${name}: ${reads} reads and ${writes} writes by their hashes`);
  }
}

/** Writes each block to a file. */
export async function exportBlocks(target: string, options: Options): Promise<void> {
  const dataDir = dataDirOf(options);
  const { height, currentHash, hasPrivateValues } = await withProgress('Exporting', 'blocks', (progress) =>
    exportLedger({ dataDir, target, progress }),
  );
  print(`${height} blocks written to ${target}; head ${height}:${currentHash}`);
  if (hasPrivateValues) print('Private values are not exported: the blocks contain their hashes only.');
}

/** Creates a data directory from an export. */
export async function importBlocks(
  source: string,
  options: HeadOptions & { readonly keys?: string },
  command: Command,
): Promise<void> {
  const { keys, expect, genesis } = options;
  const dataDir = dataDirOf(options);
  const witnessed = await requireWitnessed(options, command);
  const { height, hash, privateValues } = await withProgress('Importing', 'blocks', (progress) =>
    importLedger({ source, dataDir, keys, expect, checkpoint: witnessed?.checkpoint, genesis, progress }),
  );
  print(`${height} blocks imported to ${dataDir}; head ${height}:${hash}`);
  printPrivateValues(privateValues);
  if (witnessed !== undefined) print(witnessed.confirmation);
  if (keys === undefined) print('Without keys it is read-only: add an "identities" directory to write.');
}

/** Rebuilds everything that follows from the blocks. */
export async function rebuild(options: Options): Promise<void> {
  const dataDir = dataDirOf(options);
  const { height, currentHash, replaced } = await withProgress('Rebuilding', 'blocks', (progress) =>
    rebuildLedger({ dataDir, progress }),
  );
  print(`Rebuilt from ${height} blocks; head ${height}:${currentHash}`);
  print(`The replaced files are in ${replaced}`);
}

/** Copies a consistent snapshot of a data directory. */
export async function backup(target: string, options: Options): Promise<void> {
  const dataDir = dataDirOf(options);
  const companions = companionsOf(dataDir, options);
  const { height, currentHash } = await withProgress('Copying', 'pages', (progress) =>
    backupLedger({ dataDir, target, progress, companions }),
  );
  print(`${height} blocks, the keys and the callers copied to ${target}; head ${height}:${currentHash}`);
  print('The copy contains private keys: store it where only you can read it.');
}

/** The files of a data directory that a restored ledger needs and that cannot be made again, by their names in a backup. */
function companionsOf(dataDir: string, options: Options): ReadonlyMap<string, string> {
  const { LEDGER_CALLERS_FILE } = options.dataDir === undefined ? configured('LEDGER_CALLERS_FILE') : {};
  const callers = LEDGER_CALLERS_FILE ?? callersFileIn(dataDir);
  const certificates = certificatesDirOf(callers);
  const companions = globSync('*', { cwd: certificates }).map(
    (name) => [`certificates/${name}`, join(certificates, name)] as const,
  );
  // The trees themselves follow from the blocks.
  const trees = globSync('tree/{keys/*,*/state.json}', { cwd: dataDir }).map(
    (name) => [name, join(dataDir, name)] as const,
  );
  const all = [['callers.json', callers] as const, ...companions, ...trees];
  return new Map(all.filter(([, path]) => existsSync(path)));
}

/** Upgrades the store to the format of this release. */
export async function upgradeStore(options: Options & { readonly format: number }): Promise<void> {
  const dataDir = dataDirOf(options);
  const { format, previousFormat, height, currentHash } = await withProgress('Upgrading', 'keys', (progress) =>
    upgradeLedger({ dataDir, format: options.format, progress }),
  );
  print(`The store has format ${format} ${previousFormat === format ? 'already' : 'now'}.`);
  print(`${height} blocks; head ${height}:${currentHash}`);
}

function dataDirOf({ dataDir }: Options): string {
  return dataDir ?? configured('LEDGER_DATA_DIR').LEDGER_DATA_DIR;
}
