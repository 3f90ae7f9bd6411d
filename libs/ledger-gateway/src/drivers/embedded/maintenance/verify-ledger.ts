import { DatabaseSync } from 'node:sqlite';
import { convertState } from '../store/convert-store.js';
import { DataDirectory, type LedgerNames } from '../store/data-directory.js';
import { DerivedTables } from '../store/derived-tables.js';
import { readPin, type PinnedHead } from '../store/head-pin.js';
import { IdentityStore, strangers } from '../store/identity-store.js';
import { formatOf, openForReading } from '../store/open-store.js';
import { createDerivedTables, STORE_FORMAT } from '../store/schema.js';
import { blockMissing, StoreReader } from '../store/store-reader.js';
import { ChainCheck } from './chain-check.js';
import {
  exportedChain,
  fetchedChain,
  isExport,
  readExportManifest,
  storedChain,
  type ChainSource,
} from './chain-source.js';
import { ChannelState } from './channel-state.js';
import { checkDictionaries, checkFile, compareTables } from './check-store.js';
import { examineChain } from './examine-chain.js';
import { FindingList, type ChainPins, type CheckedParts, type LedgerFinding } from './report.js';

/** Reports the progress of a verification: first in blocks, then in rows of the derived tables. */
export type VerificationProgress = (done: number, total: number, unit: 'blocks' | 'rows') => void;

/** Options of {@link verifyLedger}. */
export interface LedgerVerification extends ChainPins {
  /** A data directory, a directory of exported blocks, or one of a channel's blocks. */
  readonly path: string;
  /** Whether the path is a directory of blocks of a Fabric channel, one per file. */
  readonly isChannel?: boolean | undefined;
  readonly progress?: VerificationProgress | undefined;
  /** See {@link examineChain}. */
  readonly threads?: number | undefined;
}

/** The result of a verification. */
export interface VerificationReport {
  /** Number of blocks. */
  readonly height: number;
  /** Number of transactions, including configurations. */
  readonly transactions: number;
  /** Hexadecimal hash of the newest block. */
  readonly hash: string;
  /** Empty when there is no error; at most 50. */
  readonly findings: readonly LedgerFinding[];
  readonly checked: CheckedParts;
}

const NO_BLOCKS: ChainSource = {
  height: 0,
  raw: (number) => {
    throw blockMissing(number);
  },
};

/** The findings of a verification, and the database with the records that follow from the blocks. */
interface Workspace {
  readonly derived: DatabaseSync;
  readonly findings: FindingList;
  readonly options: LedgerVerification;
}

/**
 * Verifies every byte of the blocks in a data directory or an export: strict encoding, hashes, links, transaction ids,
 * signatures, and by replay validation codes and commit hashes; in a data directory also every record of state, index and
 * histories. It writes nothing. A ledger in use is verified as of one moment.
 * @throws `LEDGER.DAMAGED` when no verification is possible
 */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  // An anonymous file, deleted when it is closed: the chain may be larger than memory.
  const derived = new DatabaseSync('');
  try {
    derived.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -24576');
    derived.exec('BEGIN');
    const workspace = { derived, findings: new FindingList(), options };
    if (isExport(options.path)) return await verifyExport(workspace);
    return await (options.isChannel === true ? verifyChannel(workspace) : verifyDataDirectory(workspace));
  } finally {
    derived.close();
  }
}

async function verifyExport(workspace: Workspace): Promise<VerificationReport> {
  const { path } = workspace.options;
  const manifest = readExportManifest(path);
  const check = await checkChain(exportedChain(path, manifest), checkOf(manifest, workspace).check, workspace);
  const { hash } = check.head;
  if (hash !== manifest.currentBlockHash) {
    const what = `it names ${manifest.currentBlockHash} as the newest block, which is ${hash}`;
    workspace.findings.add('the manifest', 'MANIFEST', what);
  }
  return report(check, workspace);
}

/** Verifies the blocks of any channel by its own configuration and policies. */
async function verifyChannel(workspace: Workspace): Promise<VerificationReport> {
  const { derived, findings, options } = workspace;
  const check = new ChainCheck({ pins: options, findings, state: new ChannelState(derived) });
  return report(await checkChain(fetchedChain(options.path), check, workspace), workspace);
}

async function verifyDataDirectory(workspace: Workspace): Promise<VerificationReport> {
  const { findings, options } = workspace;
  const directory = new DataDirectory(options.path);
  const names = directory.names();
  // Read before the store, which may be in use and never ends before its pin.
  const pin = readPin(directory.pin(names.channel));
  const path = directory.store(names.channel);
  const db = openForReading(path);
  try {
    db.exec('BEGIN');
    const reader = new StoreReader(db);
    findings.attempt('the store', () => {
      checkFile(db, formatOf(db, path), findings);
    });
    const chain = findings.attempt('the blocks', () => storedChain(reader)) ?? NO_BLOCKS;
    const { check, tables } = checkOf(names, workspace);
    await checkChain(chain, check, workspace);
    checkPin(reader, pin, findings);
    findings.attempt('the dictionaries', () => {
      checkDictionaries(db, findings);
    });
    await checkTables(db, path, tables, workspace);
    checkIdentities(directory, names, reader, findings);
    return report(check, workspace);
  } finally {
    db.close();
  }
}

/** Compares the derived tables of a store, in its own format, with those that follow from its blocks. */
async function checkTables(
  db: DatabaseSync,
  path: string,
  { rows, namespace }: DerivedTables,
  { derived, findings, options }: Workspace,
): Promise<void> {
  const format = formatOf(db, path);
  if (format !== STORE_FORMAT) await convertState(derived, { from: STORE_FORMAT, to: format, namespace });
  const progress = (done: number): void => options.progress?.(done, rows, 'rows');
  compareTables(db, derived, { format, findings, progress });
}

/** Creates the check for the chain of an embedded ledger, which fills the derived tables. */
function checkOf(
  names: LedgerNames,
  { derived, findings, options }: Workspace,
): { readonly check: ChainCheck; readonly tables: DerivedTables } {
  createDerivedTables(derived);
  const tables = new DerivedTables(derived, names.chaincode);
  return { check: new ChainCheck({ pins: options, findings, state: tables, ledger: { names, tables } }), tables };
}

async function checkChain(
  chain: ChainSource,
  check: ChainCheck,
  { findings, options }: Workspace,
): Promise<ChainCheck> {
  for await (const examined of examineChain(chain, options.threads)) {
    // The blocks after one that cannot be read cannot be verified.
    if (!examined.every((block) => !findings.isFull && check.add(block))) break;
    options.progress?.(check.head.height, chain.height, 'blocks');
  }
  check.end();
  return check;
}

/** Checks the keys of a ledger that has any; an imported one may have none. */
function checkIdentities(
  directory: DataDirectory,
  { mspId }: LedgerNames,
  reader: StoreReader,
  findings: FindingList,
): void {
  const store = new IdentityStore(directory.identities, mspId);
  if (!store.exists()) return;
  const faults = store.faults();
  const firstBlock = findings.attempt('block 0', () => reader.block(0)?.bytes);
  if (faults.length === 0 && firstBlock !== undefined) faults.push(...strangers(firstBlock, mspId, store.read()));
  for (const what of faults) findings.add('the identities', 'IDENTITY', what);
}

function checkPin(reader: StoreReader, pin: PinnedHead | null | undefined, findings: FindingList): void {
  const add = (what: string): void => {
    findings.add('the pin of the newest block', 'PIN', what);
  };
  if (pin === undefined) add('it is missing');
  else if (pin === null) add('it is damaged');
  else {
    findings.attempt(`block ${pin.number}`, () => {
      const found = reader.block(pin.number)?.hash ?? 'missing';
      if (found !== pin.hash) add(`block ${pin.number} had the hash ${pin.hash} when it was written; it is ${found}`);
    });
  }
}

function report(check: ChainCheck, { findings }: Workspace): VerificationReport {
  return { ...check.head, transactions: check.transactions, findings: findings.findings, checked: check.checked };
}
