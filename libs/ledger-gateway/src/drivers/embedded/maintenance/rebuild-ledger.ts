import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { blockDataHash } from '../../../fabric-blocks/encode/hashes.js';
import { makeDirectory, syncDirectory } from '../../../files/durable-files.js';
import { DataDirectory } from '../store/data-directory.js';
import { addBlock, type DerivedTables } from '../store/derived-tables.js';
import { readPin, type PinnedHead } from '../store/head-pin.js';
import { headOf, openForReading, requireSchema, type ChainHead } from '../store/open-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import { buildStore, type CheckedBlock } from './build-store.js';
import { openBlock, storedChain, type ChainSource, type Progress } from './chain-source.js';

/** Options of {@link rebuildLedger}. */
export interface LedgerRebuild {
  readonly dataDir: string;
  readonly progress?: Progress;
}

/** The result of a rebuild. */
export interface RebuiltLedger extends ChainHead {
  /** Directory of the store, log and pin that were replaced. */
  readonly replaced: string;
}

/**
 * Derives state, index and histories from the blocks again, in a new folder that replaces the old one when it is complete.
 * A lost pin is created again too. The old folder is retained.
 * @throws `LEDGER.DAMAGED` when blocks are damaged or lost: only a backup helps then, and nothing is changed
 */
export async function rebuildLedger({ dataDir, progress = () => undefined }: LedgerRebuild): Promise<RebuiltLedger> {
  const directory = new DataDirectory(dataDir);
  const { channel, chaincode } = directory.names();
  const lock = directory.hold();
  try {
    directory.finishRebuild(channel);
    const head = await rebuild(directory, channel, chaincode, progress);
    return { ...head, replaced: exchange(directory, channel) };
  } finally {
    lock.release();
  }
}

async function rebuild(
  directory: DataDirectory,
  channel: string,
  chaincode: string,
  progress: Progress,
): Promise<ChainHead> {
  const { rebuilt } = directory;
  const path = directory.store(channel);
  const pin = readPin(directory.pin(channel));
  rmSync(rebuilt, { recursive: true, force: true });
  makeDirectory(rebuilt);
  const db = openForReading(path);
  try {
    requireSchema(db, path, 'blocks');
    const reader = new StoreReader(db);
    const source = storedChain(reader);
    // Without a pin, the blocks themselves are trusted.
    const head = headOf(reader, pin ?? pinOf(reader), path);
    const pinPath = join(rebuilt, 'head.pin');
    await buildStore({ path: join(rebuilt, 'ledger.db'), pinPath, chaincode, source, check: linkedBlocks, progress });
    return head;
  } catch (error) {
    rmSync(rebuilt, { recursive: true, force: true });
    throw storeFailure(error, path);
  } finally {
    db.close();
  }
}

function pinOf(reader: StoreReader): PinnedHead | undefined {
  const newest = reader.block(reader.height() - 1);
  return newest && { number: newest.number, hash: newest.hash };
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
export function* linkedBlocks(source: ChainSource, tables: DerivedTables): Generator<CheckedBlock> {
  let previous: DecodedBlock | undefined;
  for (let number = 0; number < source.height; number++) {
    const { bytes } = openBlock(source.raw(number));
    const block = decodeBlock(bytes);
    requireLink(block, previous);
    addBlock(tables, block);
    previous = block;
    yield { bytes, hash: block.hash };
  }
}

function requireLink({ header, envelopes }: DecodedBlock, previous: DecodedBlock | undefined): void {
  const number = previous === undefined ? 0 : previous.header.number + 1;
  if (header.number !== number) throw broken(number, `block ${header.number} is in its place`);
  if (Buffer.compare(header.previousHash, previous?.hash ?? new Uint8Array()) !== 0) {
    throw broken(number, 'it does not name the previous block');
  }
  if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) throw broken(number, 'its data differ');
}

function broken(number: number, why: string): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', `Block ${number} is damaged: ${why}. Restore a backup.`);
}
