import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { BlockWriter } from '../store/block-writer.js';
import { deriveRecords } from '../store/derive-records.js';
import { DerivedWriter } from '../store/derived-writer.js';
import { createTables } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import { StoreReader } from '../store/store-reader.js';
import type { ChainSource, Progress } from './chain-source.js';

/** Blocks written between two reports of progress. */
const REPORT_EVERY = 64;
/** Most bytes of a block that serve as dictionary for the others. */
const DICTIONARY_BYTES = 16 * 1024;

/** What {@link buildStore} needs. */
export interface StoreBuild {
  /** Path of the new file; what stands there is replaced. */
  readonly path: string;
  readonly source: ChainSource;
  readonly chaincode: string;
  /** Called with each block before it is written. */
  readonly check: (block: DecodedBlock, bytes: Uint8Array) => void;
  readonly progress: Progress;
}

/** Makes a store from blocks alone, state, index and histories by replay; it is on disk when this returns. */
export function buildStore({ path, source, chaincode, check, progress }: StoreBuild): void {
  rmSync(path, { force: true });
  const db = new DatabaseSync(path);
  try {
    // Until it is whole nobody uses the file, so nothing has to survive a crash on the way.
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN');
    createTables(db);
    const blocks = new BlockWriter(db, source.block(Math.min(1, source.height - 1)).subarray(0, DICTIONARY_BYTES));
    const derived = new DerivedWriter(db);
    const reader = new StoreReader(db);
    let entry = 0;
    const entries = { previous: (key: string) => reader.state(key)?.entry ?? 0, next: () => ++entry };
    for (let number = 0; number < source.height; number++) {
      const bytes = source.block(number);
      const block = decodeBlock(bytes);
      check(block, bytes);
      blocks.write(number, block.hash, bytes);
      derived.write(deriveRecords(block, chaincode, entries));
      if (number % REPORT_EVERY === 0) progress(number, source.height);
    }
    db.exec('COMMIT');
    progress(source.height, source.height);
  } catch (error) {
    db.close();
    if (existsSync(path)) rmSync(path);
    throw storeFailure(error, path);
  }
  db.close();
  syncFile(path);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
