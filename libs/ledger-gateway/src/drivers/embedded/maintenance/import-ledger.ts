import { existsSync, rmSync } from 'node:fs';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { makeDirectory } from '../../../files/durable-files.js';
import { DataDirectory, type LedgerNames } from '../store/data-directory.js';
import type { DerivedTables } from '../store/derived-tables.js';
import { copyIdentities, IdentityStore, requireMembers } from '../store/identity-store.js';
import { buildStore, type CheckedBlock } from './build-store.js';
import { ChainCheck } from './chain-check.js';
import { exportedChain, openBlock, readExportManifest, type ChainSource, type Progress } from './chain-source.js';
import { examineChain } from './examine-chain.js';
import { FindingList, type ChainPins } from './report.js';

/** Options of {@link importLedger}. */
export interface LedgerImport extends ChainPins {
  /** A directory of exported blocks. */
  readonly source: string;
  /** A directory without a ledger. */
  readonly dataDir: string;
  /** An `identities` directory of a backup; without it the ledger is read-only. */
  readonly keys?: string | undefined;
  readonly progress?: Progress;
}

/** The result of an import. */
export interface ImportedLedger extends LedgerNames {
  readonly height: number;
  readonly hash: string;
}

/**
 * Creates a data directory from exported blocks. Each is verified; state, index and histories follow by replay.
 * @throws `LEDGER.DAMAGED` when a block is invalid: nothing is imported then
 */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  const directory = new DataDirectory(options.dataDir);
  if (directory.exists()) throw misconfigured(`${directory.path} contains a ledger already: name a new directory.`);
  const manifest = readExportManifest(options.source);
  directory.prepare();
  const lock = directory.hold();
  try {
    return await importInto(directory, manifest, options);
  } finally {
    lock.release();
  }
}

async function importInto(
  directory: DataDirectory,
  { channel, chaincode, mspId, ...manifest }: ReturnType<typeof readExportManifest>,
  options: LedgerImport,
): Promise<ImportedLedger> {
  const path = directory.store(channel);
  if (existsSync(path)) throw misconfigured(`${path} exists already: name a new directory.`);
  const names = { channel, chaincode, mspId };
  const source = exportedChain(options.source, { ...names, ...manifest });
  if (source.height === 0) throw damaged(`${options.source} contains no block: export again.`);
  if (options.keys !== undefined) await copyKeys(options.keys, directory, mspId, openBlock(source.raw(0)).bytes);

  makeDirectory(directory.channel(channel));
  const verification = new ImportVerification(options, names, manifest.currentBlockHash);
  await buildStore({
    path,
    pinPath: directory.pin(channel),
    chaincode,
    source,
    check: (blocks, tables) => verification.blocks(blocks, tables),
    progress: options.progress ?? ((): void => undefined),
  });
  directory.claim(names);
  return { ...names, ...verification.head };
}

/** Keys that do not belong to the chain are refused before anything is created. */
async function copyKeys(from: string, directory: DataDirectory, mspId: string, firstBlock: Uint8Array): Promise<void> {
  const given = new IdentityStore(from, mspId);
  if (!given.exists()) throw misconfigured(`${from} is not an "identities" directory: it contains no ca.pem.`);
  copyIdentities(from, directory.identities);
  try {
    requireMembers(firstBlock, mspId, await new IdentityStore(directory.identities, mspId).load());
  } catch (error) {
    rmSync(directory.identities, { recursive: true });
    throw error;
  }
}

/** Verifies imported blocks, and ends with an error at the first finding. */
class ImportVerification {
  readonly #pins: ChainPins;
  readonly #names: LedgerNames;
  readonly #newestHash: string;
  readonly #findings = new FindingList();
  #head = { height: 0, hash: '' };

  constructor(pins: ChainPins, names: LedgerNames, newestHash: string) {
    this.#pins = pins;
    this.#names = names;
    this.#newestHash = newestHash;
  }

  get head(): { readonly height: number; readonly hash: string } {
    return this.#head;
  }

  async *blocks(source: ChainSource, tables: DerivedTables): AsyncGenerator<CheckedBlock> {
    const ledger = { names: this.#names, tables };
    const check = new ChainCheck({ pins: this.#pins, findings: this.#findings, state: tables, ledger });
    for await (const examined of examineChain(source)) {
      for (const block of examined) {
        check.add(block);
        this.#requireNoFinding();
        if ('raw' in block) yield { bytes: openBlock(block.raw).bytes, hash: Buffer.from(check.head.hash, 'hex') };
      }
    }
    check.end();
    this.#head = check.head;
    if (this.#head.hash !== this.#newestHash) {
      this.#findings.add('the manifest', 'MANIFEST', 'it names another newest block');
    }
    this.#requireNoFinding();
  }

  #requireNoFinding(): void {
    const [first] = this.#findings.findings;
    if (first === undefined) return;
    throw damaged(`Nothing was imported: ${first.where}: ${first.what} (${first.check}).`);
  }
}

function damaged(message: string): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', message);
}

function misconfigured(message: string): LedgerError {
  return new LedgerError('LEDGER.MISCONFIGURED', message);
}
