import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerError } from '../../../errors/ledger.errors.js';
import type { LedgerNames } from '../store/directory/data-directory.js';
import { blockMissing, unpackBlock, type PackedBlock, type StoreReader } from '../store/store-reader.js';

/** Blocks in their order, wherever they are kept. */
export interface ChainSource {
  /** Number of blocks. */
  readonly height: number;
  /** What is kept of the block of that number, which must be below the height: another thread may {@link openBlock} it. */
  raw(number: number): RawBlock;
}

/** A block as it is kept: in a store, or in a file. */
export type RawBlock = PackedBlock | SourceBlock;

export interface SourceBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  /** Hexadecimal hash that is kept beside it, where there is one. */
  readonly hash?: string;
}

/**
 * Checks and unpacks what is kept of a block.
 * @throws `LEDGER.DAMAGED` when it is not what was written
 */
export function openBlock(raw: RawBlock): SourceBlock {
  return 'packed' in raw ? unpackBlock(raw) : raw;
}

/** Tells how far a long task has come. */
export type Progress = (done: number, total: number) => void;

/** The chain in a store. */
export function storedChain(reader: StoreReader): ChainSource {
  return {
    height: reader.height(),
    raw: (number) => {
      const block = reader.packedBlock(number);
      if (block === undefined) throw blockMissing(number);
      return block;
    },
  };
}

/** Names of what an export consists of. */
export const EXPORT_MANIFEST = 'export.json';
export const EXPORT_FORMAT = 1;

/** What an export says of itself beside its blocks. */
export interface ExportManifest extends LedgerNames {
  readonly format: number;
  readonly height: number;
  /** Hexadecimal hash of the newest block. */
  readonly currentBlockHash: string;
}

/** File of a block in an export; the digits keep listings in order. */
export function blockFile(number: number): string {
  return `${String(number).padStart(9, '0')}.block`;
}

/** Whether a directory holds exported blocks rather than a data directory. */
export function isExport(path: string): boolean {
  return existsSync(join(path, EXPORT_MANIFEST));
}

/**
 * What an export says of itself.
 * @throws `LEDGER.DAMAGED` when its manifest is not readable, `LEDGER.MISCONFIGURED` when its format is newer
 */
export function readExportManifest(path: string): ExportManifest {
  const file = join(path, EXPORT_MANIFEST);
  let read: Partial<ExportManifest>;
  try {
    read = JSON.parse(readFileSync(file, 'utf8')) as Partial<ExportManifest>;
  } catch (cause) {
    throw new LedgerError('LEDGER.DAMAGED', `${file} cannot be read: export again.`, { cause });
  }
  if (typeof read.format === 'number' && read.format > EXPORT_FORMAT) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${file} has format ${read.format}: use the newer program that wrote it.`,
    );
  }
  const texts = [read.channel, read.chaincode, read.mspId, read.currentBlockHash];
  if (
    read.format !== EXPORT_FORMAT ||
    !Number.isSafeInteger(read.height) ||
    texts.some((it) => typeof it !== 'string')
  ) {
    throw new LedgerError('LEDGER.DAMAGED', `${file} is not what an export wrote there: export again.`);
  }
  return read as ExportManifest;
}

/**
 * The chain in a directory of exported blocks.
 * @throws `LEDGER.DAMAGED` when a block's file is missing or one is there that the export does not know
 */
export function exportedChain(path: string, { height }: ExportManifest): ChainSource {
  const found = new Set(readdirSync(path).filter((name) => name.endsWith('.block')));
  for (let number = 0; number < height; number++) {
    if (!found.delete(blockFile(number)))
      throw new LedgerError('LEDGER.DAMAGED', `${join(path, blockFile(number))} is missing.`);
  }
  const [surplus] = found;
  if (surplus !== undefined)
    throw new LedgerError('LEDGER.DAMAGED', `${join(path, surplus)} is not part of the export.`);
  return { height, raw: (number) => readBlockFile(join(path, blockFile(number))) };
}

/** As an export, `peer channel fetch` (CHANNEL_NUMBER.block) and people name the file of a block. */
const BLOCK_FILE = /^(?:.*_)?(\d{1,15})\.block$/;

/**
 * The chain in a directory of a channel's blocks, one a file, which its name numbers.
 * @throws `LEDGER.MISCONFIGURED` when there are none, one has no number or two have the same,
 *   `LEDGER.DAMAGED` when one between block 0 and the last is missing
 */
export function fetchedChain(path: string): ChainSource {
  const files = new Map<number, string>();
  for (const name of namesIn(path).filter((it) => it.endsWith('.block'))) {
    const file = join(path, name);
    const [, digits] = BLOCK_FILE.exec(name) ?? [];
    if (digits === undefined) {
      throw new LedgerError(
        'LEDGER.MISCONFIGURED',
        `${file} has no number: name each block NUMBER.block or CHANNEL_NUMBER.block.`,
      );
    }
    const twin = files.get(Number(digits));
    if (twin !== undefined)
      throw new LedgerError('LEDGER.MISCONFIGURED', `${twin} and ${file} have the same number: keep one.`);
    files.set(Number(digits), file);
  }
  if (files.size === 0)
    throw new LedgerError('LEDGER.MISCONFIGURED', `${path} holds no block: name a directory of NUMBER.block files.`);
  for (let number = 0; number < files.size; number++) if (!files.has(number)) throw blockNotThere(path, number);
  return { height: files.size, raw: (number) => readBlockFile(files.get(number) ?? '') };
}

function blockNotThere(path: string, number: number): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    number === 0
      ? `${path} holds no block 0, whose configuration says whom the channel trusts: fetch it too.`
      : `${path} holds no block ${number}, but blocks behind it: fetch it too.`,
  );
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path).sort();
  } catch (cause) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `${path} cannot be read (${codeOf(cause)}): name a directory of blocks.`,
      { cause },
    );
  }
}

function readBlockFile(path: string): SourceBlock {
  try {
    return { bytes: readFileSync(path) };
  } catch (cause) {
    throw new LedgerError('LEDGER.DAMAGED', `${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
