import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { blockDataHash } from '../../../fabric-blocks/encode/hashes.js';
import { makeDirectory, syncDirectory } from '../../../files/durable-files.js';
import { deriveRecords } from '../store/derive-records.js';
import { DataDirectory } from '../store/directory/data-directory.js';
import { HeadPin, type PinnedHead, readPin } from '../store/head-pin.js';
import { openForReading } from '../store/open-store.js';
import { type ChainHead, headOf, requireSchema, withDamageInLog } from '../store/prove-store.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import { DerivedWriter } from '../store/store-writer.js';
import { buildStore, type StoreBuild, type TakenBlock } from './build-store.js';
import { type ChainSource, openBlock, type Progress, storedChain } from './chain-source.js';

/** What {@link rebuildLedger} needs. */
export interface LedgerRebuild {
  readonly dataDir: string;
  readonly progress?: Progress;
}

/** What a rebuild made. */
export interface RebuiltLedger extends ChainHead {
  /** Where the store, its log and the pin are kept that were replaced. */
  readonly replaced: string;
}

/**
 * Makes state, index and histories anew from the blocks, in a new folder that takes the place of the old one when it is
 * whole; also writes the pin anew when that is lost. What it replaces is kept as it was.
 * @throws `LEDGER.DAMAGED` when blocks are damaged or lost: only a backup helps then, and nothing is changed
 */
export async function rebuildLedger({ dataDir, progress = () => undefined }: LedgerRebuild): Promise<RebuiltLedger> {
  const directory = new DataDirectory(dataDir);
  const { channel, chaincode } = directory.names();
  const lock = directory.hold();
  const store = directory.store(channel);
  try {
    directory.finishRebuild(channel);
    const pin = readPin(directory.pin(channel));
    const head = await build({ store, into: directory.rebuilt, pin, chaincode, progress });
    return { ...head, replaced: exchange(directory, channel) };
  } finally {
    lock.release();
  }
}

interface Build {
  readonly store: string;
  readonly into: string;
  readonly pin: PinnedHead | null | undefined;
  readonly chaincode: string;
  readonly progress: Progress;
}

/** The pin comes last: with it the new folder is whole. */
async function build({ store, into, pin, chaincode, progress }: Build): Promise<ChainHead> {
  rmSync(into, { recursive: true, force: true });
  makeDirectory(into);
  try {
    const path = join(into, 'ledger.db');
    await copyBlocks(store, { path, take: (source, built) => replayBlocks(source, built, chaincode), progress });
    const head = headIn(path, store, pin ?? undefined);
    HeadPin.create(join(into, 'head.pin'), { number: head.height - 1, hash: head.currentHash });
    return head;
  } catch (error) {
    rmSync(into, { recursive: true, force: true });
    throw withDamageInLog(storeFailure(error, store), store);
  }
}

async function copyBlocks(store: string, build: Omit<StoreBuild, 'source'>): Promise<void> {
  const db = openForReading(store);
  try {
    requireSchema(db, store, 'blocks');
    await buildStore({ ...build, source: storedChain(new StoreReader(db)) });
  } finally {
    db.close();
  }
}

/** For a lost pin the store itself is believed. */
function headIn(path: string, store: string, pin: PinnedHead | undefined): ChainHead {
  const db = openForReading(path);
  try {
    const reader = new StoreReader(db);
    const head = headOf(reader, pin ?? pinOf(reader), store);
    if (head === undefined) throw new LedgerError('LEDGER.DAMAGED', `${store} holds no block: restore a backup.`);
    return head;
  } finally {
    db.close();
  }
}

function pinOf(reader: StoreReader): PinnedHead | undefined {
  const newest = reader.block(reader.height() - 1);
  return newest && { number: newest.number, hash: newest.hash };
}

/** @returns where the old folder is now */
function exchange(directory: DataDirectory, channel: string): string {
  makeDirectory(directory.replaced);
  const kept = join(directory.replaced, `${channel}-${new Date().toISOString().replaceAll(':', '')}`);
  renameSync(directory.channel(channel), kept);
  syncDirectory(directory.channels);
  syncDirectory(directory.replaced);
  directory.finishRebuild(channel);
  return kept;
}

/**
 * Writes what follows from block after block, each of which must have its number, name the one before, and hold the data
 * that its header says. Signatures and validation are the verifier's.
 */
export function* replayBlocks(source: ChainSource, db: DatabaseSync, chaincode: string): Generator<TakenBlock> {
  const derived = new DerivedWriter(db);
  const reader = new StoreReader(db);
  let entry = 0;
  const entries = { previous: (key: string) => reader.state(key)?.entry ?? 0, next: () => ++entry };
  let previous: DecodedBlock | undefined;
  for (let number = 0; number < source.height; number++) {
    const { bytes } = openBlock(source.raw(number));
    const block = decodeBlock(bytes);
    requireLink(block, previous);
    derived.write(deriveRecords(block, chaincode, entries));
    previous = block;
    yield { bytes, hash: block.hash };
  }
}

function requireLink({ header, envelopes }: DecodedBlock, previous: DecodedBlock | undefined): void {
  const number = previous === undefined ? 0 : previous.header.number + 1;
  if (header.number !== number) throw broken(number, `block ${header.number} stands in its place`);
  if (Buffer.compare(header.previousHash, previous?.hash ?? new Uint8Array()) !== 0) {
    throw broken(number, 'it does not name the block before it');
  }
  if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) throw broken(number, 'it holds other data');
}

function broken(number: number, why: string): LedgerError {
  return new LedgerError('LEDGER.DAMAGED', `Block ${number} is damaged: ${why}. Restore a backup.`);
}
