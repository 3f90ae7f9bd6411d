import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { damaged, misconfigured } from '../../../errors/ledger.errors.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { blockDataHash } from '../../../fabric-blocks/encode/hashes.js';
import type { VerifiedHead } from '../../../fabric-blocks/verify/chain-verifier.js';
import { makeDirectory, syncDirectory } from '../../../files/durable-files.js';
import { BlockWriter } from '../store/block-writer.js';
import { DataDirectory, type LedgerNames } from '../store/data-directory.js';
import { addBlock, DerivedTables } from '../store/derived-tables.js';
import { HeadPin, readPin } from '../store/head-pin.js';
import { copyIdentities, IdentityStore, requireMembers } from '../store/identity-store.js';
import { createPrivateFile, openProven } from '../store/open-store.js';
import { createTables } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import type { ChainHead } from '../store/store-reader.js';
import { ChainCheck } from './chain-check.js';
import {
  exportedChain,
  openBlock,
  readExportManifest,
  storedChain,
  type ChainSource,
  type ExportManifest,
  type Progress,
} from './chain-source.js';
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

/**
 * Creates a data directory from exported blocks. Each is verified; state, index and histories follow by replay.
 * @throws `LEDGER.DAMAGED` when a block is invalid: nothing is imported then
 */
export async function importLedger(options: LedgerImport): Promise<VerifiedHead> {
  const directory = new DataDirectory(options.dataDir);
  if (directory.exists()) throw misconfigured(`${directory.path} contains a ledger already: name a new directory.`);
  const manifest = readExportManifest(options.source);
  directory.prepare();
  return directory.locked(() => importInto(directory, manifest, options));
}

async function importInto(
  directory: DataDirectory,
  manifest: ExportManifest,
  options: LedgerImport,
): Promise<VerifiedHead> {
  const { channel, chaincode, mspId } = manifest;
  const path = directory.store(channel);
  if (existsSync(path)) throw misconfigured(`${path} exists already: name a new directory.`);
  const source = exportedChain(options.source, manifest);
  if (options.keys !== undefined) await copyKeys(options.keys, directory, mspId, openBlock(source.raw(0)).bytes);

  makeDirectory(directory.channel(channel));
  const pinPath = directory.pin(channel);
  const blocks = (tables: DerivedTables): AsyncIterable<CheckedBlock> =>
    verifiedBlocks(source, tables, manifest, options);
  const head = await buildStore({ path, pinPath, chaincode, source, blocks, progress: options.progress });
  directory.claim(manifest);
  return head;
}

/** Keys that do not belong to the chain are refused before anything is created. */
async function copyKeys(from: string, directory: DataDirectory, mspId: string, firstBlock: Uint8Array): Promise<void> {
  if (!new IdentityStore(from, mspId).exists()) {
    throw misconfigured(`${from} is not an "identities" directory: it contains no ca.pem.`);
  }
  copyIdentities(from, directory.identities);
  try {
    requireMembers(firstBlock, mspId, await new IdentityStore(directory.identities, mspId).load());
  } catch (error) {
    rmSync(directory.identities, { recursive: true });
    throw error;
  }
}

/** Verifies blocks and adds them to the derived tables; throws at the first finding. */
async function* verifiedBlocks(
  source: ChainSource,
  tables: DerivedTables,
  manifest: ExportManifest,
  pins: ChainPins,
): AsyncGenerator<CheckedBlock> {
  const list = new FindingList();
  const check = new ChainCheck({ pins, findings: list, state: tables, names: manifest });
  const requireNoFinding = (): void => {
    const [first] = list.findings;
    if (first !== undefined) throw damaged(`Nothing was imported: ${first.where}: ${first.what} (${first.check}).`);
  };
  for await (const examined of examineChain(source)) {
    for (const block of examined) {
      check.add(block);
      requireNoFinding();
      if ('raw' in block) yield { bytes: openBlock(block.raw).bytes, hash: Buffer.from(check.head.hash, 'hex') };
    }
  }
  check.end();
  if (check.head.hash !== manifest.currentBlockHash) {
    list.add('the manifest', 'MANIFEST', 'it names another newest block');
  }
  requireNoFinding();
}

/**
 * Derives state, index and histories from the blocks again, in a new folder that replaces the old one when it is complete.
 * A lost pin is created again too.
 * @returns the head, and the directory of the old folder, which is retained
 * @throws `LEDGER.DAMAGED` when blocks are damaged or lost: only a backup helps then, and nothing is changed
 */
export async function rebuildLedger(options: {
  readonly dataDir: string;
  readonly progress?: Progress;
}): Promise<ChainHead & { readonly replaced: string }> {
  const directory = new DataDirectory(options.dataDir);
  const names = directory.names();
  return directory.locked(() => rebuild(directory, names, options.progress));
}

async function rebuild(
  directory: DataDirectory,
  { channel, chaincode }: LedgerNames,
  progress: Progress | undefined,
): Promise<ChainHead & { readonly replaced: string }> {
  const { rebuilt } = directory;
  directory.finishRebuild(channel);
  rmSync(rebuilt, { recursive: true, force: true });
  // Without a pin, the blocks themselves are trusted.
  const pin = readPin(directory.pin(channel)) ?? 'unpinned';
  const { db, reader, head } = openProven(directory.store(channel), pin, 'blocks');
  try {
    const source = storedChain(reader);
    makeDirectory(rebuilt);
    const [path, pinPath] = [join(rebuilt, 'ledger.db'), join(rebuilt, 'head.pin')];
    const blocks = (tables: DerivedTables): Iterable<CheckedBlock> => linkedBlocks(source, tables);
    await buildStore({ path, pinPath, chaincode, source, blocks, progress });
  } catch (error) {
    rmSync(rebuilt, { recursive: true, force: true });
    throw error;
  } finally {
    db.close();
  }
  return { ...head, replaced: exchange(directory, channel) };
}

/** @returns the new path of the old folder */
function exchange(directory: DataDirectory, channel: string): string {
  makeDirectory(directory.replaced);
  const replaced = join(directory.replaced, `${channel}-${new Date().toISOString().replaceAll(':', '')}`);
  renameSync(directory.channel(channel), replaced);
  syncDirectory(directory.channels);
  syncDirectory(directory.replaced);
  directory.finishRebuild(channel);
  return replaced;
}

/**
 * Adds block after block to the derived tables. Each must have its number, name the previous one, and contain the data
 * whose hash is in its header. Signatures and validation codes are left to the verifier.
 */
function* linkedBlocks(source: ChainSource, tables: DerivedTables): Generator<CheckedBlock> {
  let previous: DecodedBlock | undefined;
  for (let number = 0; number < source.height; number++) {
    const { bytes } = openBlock(source.raw(number));
    const block = decodeBlock(bytes);
    const fault = linkFault(number, block, previous);
    if (fault !== undefined) throw damaged(`Block ${number} is damaged: ${fault}. Restore a backup.`);
    addBlock(tables, block);
    previous = block;
    yield { bytes, hash: block.hash };
  }
}

function linkFault(
  number: number,
  { header, envelopes }: DecodedBlock,
  previous: DecodedBlock | undefined,
): string | undefined {
  if (header.number !== number) return `block ${header.number} is in its place`;
  if (Buffer.compare(header.previousHash, previous?.hash ?? new Uint8Array()) !== 0) {
    return 'it does not name the previous block';
  }
  return Buffer.compare(header.dataHash, blockDataHash(envelopes)) === 0 ? undefined : 'its data differ';
}

/** Most bytes of a block that serve as dictionary for the others. */
const DICTIONARY_BYTES = 16 * 1024;

/** A block that was checked and whose records are in the derived tables. */
interface CheckedBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

interface StoreBuild {
  /** Path of the new file, which is replaced if it exists. */
  readonly path: string;
  readonly pinPath: string;
  readonly chaincode: string;
  readonly source: ChainSource;
  /** Checks the blocks of the source in order and adds each to the derived tables. */
  readonly blocks: (tables: DerivedTables) => AsyncIterable<CheckedBlock> | Iterable<CheckedBlock>;
  readonly progress: Progress | undefined;
}

/** Creates a store and its pin from blocks alone. They are durable when this returns, and do not exist when it throws. */
async function buildStore(build: StoreBuild): Promise<VerifiedHead> {
  const { path, pinPath } = build;
  rmSync(path, { force: true });
  createPrivateFile(path);
  const db = new DatabaseSync(path);
  try {
    const head = await fillStore(db, build);
    db.close();
    syncFile(path);
    // The pin is last: with it the store is complete.
    HeadPin.open(pinPath, { number: head.height - 1, hash: head.hash }).close();
    return head;
  } catch (error) {
    if (db.isOpen) db.close();
    rmSync(path, { force: true });
    throw storeFailure(error, path);
  }
}

async function fillStore(db: DatabaseSync, { source, chaincode, blocks, progress }: StoreBuild): Promise<VerifiedHead> {
  // No process uses the file until it is complete, so nothing has to survive a crash meanwhile.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN');
  createTables(db);
  // The first block of transactions resembles all others.
  const sample = openBlock(source.raw(Math.min(1, source.height - 1))).bytes;
  const writer = new BlockWriter(db, sample.subarray(0, DICTIONARY_BYTES));
  let height = 0;
  let newest = new Uint8Array() as Uint8Array;
  for await (const { bytes, hash } of blocks(new DerivedTables(db, chaincode))) {
    newest = hash;
    writer.write(height++, hash, bytes);
    progress?.(height, source.height);
  }
  db.exec('COMMIT');
  return { height, hash: Buffer.from(newest).toString('hex') };
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
