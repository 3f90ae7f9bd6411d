import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBlock, type DecodedBlock } from '#fabric-codec';
import { blockDataHash } from '#fabric-codec/encode';
import type { VerifiedHead } from '#fabric-codec/verify';
import { makeDirectory, syncDirectory } from '#files';
import { damaged, misconfigured } from '#ledger-gateway';
import { readBlocksToLive, writeBlocksToLive } from '../store/blocks-to-live.js';
import { buildStore, type BuiltBlock } from '../store/build-store.js';
import { DataDirectory } from '../store/data-directory.js';
import type { DerivedTables } from '../store/derived-tables.js';
import { addBlock } from '../store/derived-tables.js';
import { readPin } from '../store/head-pin.js';
import { copyIdentities, IdentityStore, requireMembers } from '../store/identity-store.js';
import { openForReading, openProven } from '../store/open-store.js';
import type { ChainHead } from '../store/store-reader.js';
import { ChainCheck } from './chain-check.js';
import {
  openBlock,
  openExport,
  storedChain,
  type ChainSource,
  type ExportManifest,
  type Progress,
} from './chain-source.js';
import { examineChain } from './examine-chain.js';
import { checkPrivateValues, type PrivateValueCounts } from './private-check.js';
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

/** The head of an imported ledger. */
export interface ImportedLedger extends VerifiedHead {
  /** None is present, because exports contain hashes only. */
  readonly privateValues: PrivateValueCounts;
}

/**
 * Creates a data directory from exported blocks. Each is verified; state, index and histories follow by replay.
 * @throws `LEDGER.DAMAGED` when a block is invalid: nothing is imported then
 */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  const directory = new DataDirectory(options.dataDir);
  if (directory.exists()) throw misconfigured(`${directory.path} contains a ledger already: name a new directory.`);
  const { manifest, chain } = openExport(options.source);
  const path = directory.store(manifest.channel);
  directory.prepare();
  return directory.withLock(async () => {
    if (existsSync(path) && !directory.isInterruptedCopy()) {
      throw misconfigured(`${path} exists already: name a new directory.`);
    }
    directory.beginCopy();
    try {
      const head = await fill(directory, chain, manifest, options);
      directory.claim(manifest);
      directory.finishCopy();
      return { ...head, privateValues: countPrivateValues(path) };
    } catch (error) {
      directory.undoCopy();
      throw error;
    }
  });
}

function countPrivateValues(path: string): PrivateValueCounts {
  const db = openForReading(path);
  try {
    return checkPrivateValues(db, undefined, new FindingList());
  } finally {
    db.close();
  }
}

async function fill(
  directory: DataDirectory,
  chain: ChainSource,
  manifest: ExportManifest,
  options: LedgerImport,
): Promise<VerifiedHead> {
  const { channel, chaincode, mspId } = manifest;
  if (options.keys !== undefined) await copyKeys(options.keys, directory, mspId, openBlock(chain.raw(0)).bytes);
  if (manifest.blockToLive !== undefined) writeBlocksToLive(directory.collections, manifest.blockToLive);
  makeDirectory(directory.channel(channel));
  return buildStore({
    path: directory.store(channel),
    pinPath: directory.pin(channel),
    chaincode,
    blocksToLive: manifest.blockToLive,
    dictionary: dictionaryOf(chain),
    blocks: (tables) => verifiedBlocks(chain, tables, manifest, options),
  });
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
  options: LedgerImport,
): AsyncGenerator<BuiltBlock> {
  const findings = new FindingList();
  const check = new ChainCheck({ pins: options, findings, state: tables, names: manifest });
  const requireNoFinding = (): void => {
    const [first] = findings.findings;
    if (first !== undefined) throw damaged(`Nothing was imported: ${first.where}: ${first.what} (${first.check}).`);
  };
  for await (const examined of examineChain(source, { hasTree: options.checkpoint !== undefined })) {
    for (const block of examined) {
      check.add(block);
      requireNoFinding();
      if ('raw' in block) yield { bytes: openBlock(block.raw).bytes, hash: Buffer.from(check.head.hash, 'hex') };
      options.progress?.(check.head.height, source.height);
    }
  }
  check.end();
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
  const { channel, chaincode } = directory.names();
  const { rebuilt } = directory;
  return directory.withLock(async () => {
    directory.finishRebuild(channel);
    rmSync(rebuilt, { recursive: true, force: true });
    const pin = readPin(directory.pin(channel));
    // Without a pin, the blocks themselves are trusted.
    const trusted = typeof pin === 'string' ? 'unpinned' : pin;
    const { db, reader, head } = openProven(directory.store(channel), trusted, 'blocks');
    try {
      const chain = storedChain(reader, head.height);
      makeDirectory(rebuilt);
      await buildStore({
        path: join(rebuilt, 'ledger.db'),
        pinPath: join(rebuilt, 'head.pin'),
        chaincode,
        blocksToLive: readBlocksToLive(directory.collections),
        dictionary: dictionaryOf(chain),
        blocks: (tables) => linkedBlocks(chain, tables, options.progress),
      });
    } catch (error) {
      rmSync(rebuilt, { recursive: true, force: true });
      throw error;
    } finally {
      db.close();
    }
    return { ...head, replaced: exchange(directory, channel) };
  });
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
function* linkedBlocks(source: ChainSource, tables: DerivedTables, progress?: Progress): Generator<BuiltBlock> {
  let previous: DecodedBlock | undefined;
  for (let number = 0; number < source.height; number++) {
    const { bytes } = openBlock(source.raw(number));
    const block = decodeBlock(bytes);
    const fault = linkFault(number, block, previous);
    if (fault !== undefined) throw damaged(`Block ${number} is damaged: ${fault}. Restore a backup.`);
    addBlock(tables, block);
    previous = block;
    yield { bytes, hash: block.hash };
    progress?.(number + 1, source.height);
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

/** The first block of transactions resembles all others. */
function dictionaryOf(source: ChainSource): Uint8Array {
  return openBlock(source.raw(Math.min(1, source.height - 1))).bytes.subarray(0, DICTIONARY_BYTES);
}
