import { DatabaseSync } from 'node:sqlite';
import { DataDirectory, type LedgerNames } from '../store/directory/data-directory.js';
import { IdentityStore, strangers } from '../store/identities/identity-store.js';
import { readPin, type PinnedHead } from '../store/head-pin.js';
import { openForReading } from '../store/open-store.js';
import { createDerivedTables } from '../store/schema.js';
import { blockMissing, StoreReader } from '../store/store-reader.js';
import { ChainCheck } from './chain-check.js';
import type { ChainPins } from './chain-pins.js';
import {
  exportedChain,
  fetchedChain,
  isExport,
  readExportManifest,
  storedChain,
  type ChainSource,
} from './chain-source.js';
import { ChannelState } from './channel-state.js';
import type { CheckedParts } from './checked-parts.js';
import { checkDictionaries, checkFile } from './check-file.js';
import { compareTables } from './compare-tables.js';
import { DerivedState } from './derived-state.js';
import { examineChain } from './examine-chain.js';
import { FindingList, type LedgerFinding } from './finding-list.js';

/** Tells how far a verification has come: first with the blocks, then with the rows of the tables beside them. */
export type VerificationProgress = (done: number, total: number, unit: 'blocks' | 'rows') => void;

/** What {@link verifyLedger} needs. */
export interface LedgerVerification extends ChainPins {
  /** A data directory, a directory of exported blocks, or one of a channel's blocks. */
  readonly path: string;
  /** Whether the path is a directory of blocks of some Fabric channel, one a file. */
  readonly isChannel?: boolean | undefined;
  readonly progress?: VerificationProgress | undefined;
  /** See {@link examineChain}. */
  readonly threads?: number | undefined;
}

/** What a verification saw. */
export interface VerificationReport {
  /** Number of blocks. */
  readonly height: number;
  /** Configurations included. */
  readonly transactions: number;
  /** Hexadecimal hash of the newest block. */
  readonly hash: string;
  /** Empty when nothing is wrong; at most 50. */
  readonly findings: readonly LedgerFinding[];
  readonly checked: CheckedParts;
}

const NO_BLOCKS: ChainSource = {
  height: 0,
  raw: (number) => {
    throw blockMissing(number);
  },
};

/** Where a verification writes what it finds and what follows from the blocks. */
interface Workplace {
  readonly derived: DatabaseSync;
  readonly findings: FindingList;
  readonly options: LedgerVerification;
}

/**
 * Verifies every byte of the blocks in a data directory or an export: strict form, hashes, links, transaction ids,
 * signatures, and by replay validation codes and commit hashes; in a data directory also every record of state, index
 * and histories. It writes nothing; of a ledger in use it verifies one moment.
 * @throws `LEDGER.DAMAGED` when there is nothing to begin with
 */
export async function verifyLedger(options: LedgerVerification): Promise<VerificationReport> {
  // An anonymous file, which SQLite removes when it is closed: the chain may be longer than memory holds.
  const derived = new DatabaseSync('');
  try {
    derived.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -24576');
    derived.exec('BEGIN');
    const place = { derived, findings: new FindingList(), options };
    if (isExport(options.path)) return await verifyExport(place);
    return await (options.isChannel === true ? verifyChannel(place) : verifyDataDirectory(place));
  } finally {
    derived.close();
  }
}

async function verifyExport(place: Workplace): Promise<VerificationReport> {
  const { path } = place.options;
  const manifest = readExportManifest(path);
  const check = await checkChain(exportedChain(path, manifest), checkOf(manifest, place).check, place);
  const { hash } = check.head;
  if (hash !== manifest.currentBlockHash) {
    const what = `it names ${manifest.currentBlockHash} as the newest block, which is ${hash}`;
    place.findings.add('the manifest', { check: 'MANIFEST', what });
  }
  return report(check, place);
}

/** Blocks of a channel that is somebody else's, by the channel's own configuration and policies. */
async function verifyChannel(place: Workplace): Promise<VerificationReport> {
  const { derived, findings, options } = place;
  const check = new ChainCheck({ pins: options, findings, state: new ChannelState(derived) });
  return report(await checkChain(fetchedChain(options.path), check, place), place);
}

async function verifyDataDirectory(place: Workplace): Promise<VerificationReport> {
  const { findings, derived, options } = place;
  const directory = new DataDirectory(options.path);
  const names = directory.names();
  // Read before the store, which may be in use and is never behind it.
  const pin = readPin(directory.pin(names.channel));
  const db = openForReading(directory.store(names.channel));
  try {
    db.exec('BEGIN');
    const reader = new StoreReader(db);
    findings.attempt('the store', () => {
      checkFile(db, findings);
    });
    const chain = findings.attempt('the blocks', () => storedChain(reader)) ?? NO_BLOCKS;
    const { check, tables } = checkOf(names, place);
    await checkChain(chain, check, place);
    checkPin(reader, pin, findings);
    findings.attempt('the dictionaries', () => {
      checkDictionaries(db, findings);
    });
    compareTables(db, derived, findings, (rows) => options.progress?.(rows, tables.rows, 'rows'));
    checkIdentities(directory, names, reader, findings);
    return report(check, place);
  } finally {
    db.close();
  }
}

/** What checks the chain of an embedded ledger and fills the tables that follow from it. */
function checkOf(
  names: LedgerNames,
  { derived, findings, options }: Workplace,
): { readonly check: ChainCheck; readonly tables: DerivedState } {
  createDerivedTables(derived);
  const tables = new DerivedState(derived, names.chaincode);
  return { check: new ChainCheck({ pins: options, findings, state: tables, ledger: { names, tables } }), tables };
}

async function checkChain(
  chain: ChainSource,
  check: ChainCheck,
  { findings, options }: Workplace,
): Promise<ChainCheck> {
  for await (const examined of examineChain(chain, options.threads)) {
    // Behind a block that cannot be read nothing can be judged.
    if (!examined.every((block) => !findings.isFull && check.add(block))) break;
    options.progress?.(check.head.height, chain.height, 'blocks');
  }
  check.end();
  return check;
}

/** Of a ledger that has keys: one that was imported may have none. */
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
  for (const what of faults) findings.add('the identities', { check: 'IDENTITY', what });
}

function checkPin(reader: StoreReader, pin: PinnedHead | null | undefined, findings: FindingList): void {
  const add = (what: string): void => {
    findings.add('the pin of the newest block', { check: 'PIN', what });
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

function report(check: ChainCheck, { findings }: Workplace): VerificationReport {
  return { ...check.head, transactions: check.transactions, findings: findings.findings, checked: check.checked };
}
