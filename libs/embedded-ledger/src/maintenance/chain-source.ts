import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeBlock, decodeEnvelope, hex } from '#fabric-codec';
import { damaged, type LedgerBlock, misconfigured } from '#ledger-gateway';
import { type BlocksToLive, isBlocksToLive } from '../store/blocks-to-live.js';
import type { LedgerNames } from '../store/data-directory.js';
import { codeOf } from '../store/open-store.js';
import { blockMissing, unpackBlock, type PackedBlock, type StoreReader } from '../store/store-reader.js';

/** The blocks of a chain, in a store or in files. */
export interface ChainSource {
  /** Number of blocks. */
  readonly height: number;
  /** Reads a block below the height; {@link openBlock}, also on another thread, decompresses it. */
  raw(number: number): RawBlock;
}

/** A block as it is stored, or the bytes of a file with a serialized `common.Block`. */
export type RawBlock = PackedBlock | { readonly bytes: Uint8Array; readonly hash?: undefined };

/**
 * Checks and decompresses a stored block.
 * @returns its bytes, and the hexadecimal hash that is stored with it, if any
 * @throws `LEDGER.DAMAGED` when it is not as it was written
 */
export function openBlock(raw: RawBlock): { readonly bytes: Uint8Array; readonly hash?: string | undefined } {
  return 'packed' in raw ? unpackBlock(raw) : raw;
}

/** Reports the progress of a long task. */
export type Progress = (done: number, total: number) => void;

/** Returns the chain of that many blocks in a store. */
export function storedChain(reader: StoreReader, height: number): ChainSource {
  return {
    height,
    raw: (number) => {
      const block = reader.packedBlock(number);
      if (block === undefined) throw blockMissing(number);
      return block;
    },
  };
}

/** File name of an export's manifest. */
export const EXPORT_MANIFEST = 'export.json';
export const EXPORT_FORMAT = 1;

/** The description of an export. */
export interface ExportManifest extends LedgerNames {
  readonly format: number;
  readonly height: number;
  /** Hexadecimal hash of the newest block. */
  readonly currentBlockHash: string;
  /** The definitions of private collections, if there are any. */
  readonly blockToLive?: BlocksToLive;
}

/** Returns the file name of a block in an export; the digits keep listings in order. */
export function blockFile(number: number): string {
  return `${String(number).padStart(9, '0')}.block`;
}

/** Returns whether a directory contains exported blocks rather than a ledger. */
export function isExport(path: string): boolean {
  return existsSync(join(path, EXPORT_MANIFEST));
}

const EXPORTED_BLOCK = /^\d{9}\.block$/;

/** Returns whether a directory contains the blocks of an export that did not finish, and nothing else. */
export function isIncompleteExport(path: string): boolean {
  if (!existsSync(path)) return false;
  const names = namesIn(path);
  return names.length > 0 && names.every((name) => EXPORTED_BLOCK.test(name));
}

/** Removes the blocks of an export that did not finish. */
export function removeIncompleteExport(path: string): void {
  if (!isIncompleteExport(path)) return;
  for (const name of namesIn(path)) rmSync(join(path, name));
}

/**
 * Opens a directory of exported blocks.
 * @throws as {@link fetchedChain}, and `LEDGER.DAMAGED` when its manifest is not readable or names another height,
 *   `LEDGER.MISCONFIGURED` when its format is newer
 */
export function openExport(path: string): { readonly manifest: ExportManifest; readonly chain: ChainSource } {
  const manifest = readManifest(join(path, EXPORT_MANIFEST));
  const chain = fetchedChain(path);
  if (chain.height === manifest.height) return { manifest, chain };
  const heights = `contains ${chain.height} blocks, but its manifest names ${manifest.height}`;
  throw damaged(`${path} ${heights}: export again.`);
}

function readManifest(file: string): ExportManifest {
  let read: Partial<ExportManifest>;
  try {
    read = JSON.parse(readFileSync(file, 'utf8')) as Partial<ExportManifest>;
  } catch (cause) {
    throw damaged(`${file} cannot be read: export again.`, cause);
  }
  if (typeof read.format === 'number' && read.format > EXPORT_FORMAT) {
    throw misconfigured(`${file} has format ${read.format}: use the newer program that wrote it.`);
  }
  const texts = [read.channel, read.chaincode, read.mspId, read.currentBlockHash];
  const isManifest =
    read.format === EXPORT_FORMAT &&
    Number.isSafeInteger(read.height) &&
    texts.every((text) => typeof text === 'string') &&
    (read.blockToLive === undefined || isBlocksToLive(read.blockToLive));
  if (!isManifest) throw damaged(`${file} is not the manifest of an export: export again.`);
  return read as ExportManifest;
}

/** Blocks of one channel in files. */
export interface BlockFiles {
  readonly channel: string;
  readonly height: number;
  /** Reads a block below the height. */
  readonly read: (number: number) => LedgerBlock;
}

/**
 * Opens a directory of exported blocks, or of blocks that were fetched from a Fabric channel.
 * @throws as {@link openExport} and {@link fetchedChain}, and `LEDGER.DAMAGED` when block 0 is not a configuration
 */
export function openBlockFiles(path: string): BlockFiles {
  const chain = isExport(path) ? openExport(path).chain : fetchedChain(path);
  const read = (number: number): LedgerBlock => {
    const { bytes } = openBlock(chain.raw(number));
    return { number, hash: hex(decodeBlock(bytes).hash), bytes };
  };
  const [configuration = new Uint8Array()] = decodeBlock(read(0).bytes).envelopes;
  return { channel: decodeEnvelope(configuration).channelId, height: chain.height, read };
}

/** File names that an export, `peer channel fetch` (CHANNEL_NUMBER.block) and people use. */
const BLOCK_FILE = /^(?:.*_)?(\d{1,15})\.block$/;

/**
 * Returns the chain in a directory of a channel's blocks, one per file, numbered by the file names.
 * @throws `LEDGER.MISCONFIGURED` when there are none, one has no number or two have the same,
 *   `LEDGER.DAMAGED` when one between block 0 and the last is missing
 */
export function fetchedChain(path: string): ChainSource {
  const files = new Map<number, string>();
  for (const name of namesIn(path).filter((file) => file.endsWith('.block'))) {
    const file = join(path, name);
    const [, digits] = BLOCK_FILE.exec(name) ?? [];
    if (digits === undefined) {
      throw misconfigured(`${file} has no number: name each block NUMBER.block or CHANNEL_NUMBER.block.`);
    }
    const duplicate = files.get(Number(digits));
    if (duplicate !== undefined) {
      throw misconfigured(`${duplicate} and ${file} have the same number: remove one.`);
    }
    files.set(Number(digits), file);
  }
  if (files.size === 0) throw misconfigured(`${path} contains no block: name a directory of NUMBER.block files.`);
  for (let number = 0; number < files.size; number++) {
    if (files.has(number)) continue;
    const reason = number === 0 ? 'whose configuration lists the members of the channel' : 'but later blocks';
    throw damaged(`${path} does not contain block ${number}, ${reason}: fetch it too.`);
  }
  return { height: files.size, raw: (number) => readBlockFile(files.get(number) ?? '') };
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (cause) {
    throw misconfigured(`${path} cannot be read (${codeOf(cause)}): name a directory of blocks.`, cause);
  }
}

function readBlockFile(path: string): RawBlock {
  try {
    return { bytes: readFileSync(path) };
  } catch (cause) {
    throw damaged(`${path} cannot be read (${codeOf(cause)}).`, cause);
  }
}
