import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BlockWriter } from '../store/block-writer.js';
import { DerivedTables } from '../store/derived-tables.js';
import { HeadPin } from '../store/head-pin.js';
import { createPrivateFile } from '../store/open-store.js';
import { createTables } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import { openBlock, type ChainSource, type Progress } from './chain-source.js';

/** Most bytes of a block that serve as dictionary for the others. */
const DICTIONARY_BYTES = 16 * 1024;

/** A block that was checked and whose records are in the derived tables. */
export interface CheckedBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

/** Checks the blocks of a source in order and adds each to the derived tables. */
export type BlockCheck = (
  source: ChainSource,
  tables: DerivedTables,
) => AsyncIterable<CheckedBlock> | Iterable<CheckedBlock>;

/** Options of {@link buildStore}. */
export interface StoreBuild {
  /** Path of the new file, which is replaced if it exists. */
  readonly path: string;
  readonly pinPath: string;
  readonly chaincode: string;
  readonly source: ChainSource;
  readonly check: BlockCheck;
  readonly progress: Progress;
}

/** Creates a store and its pin from blocks alone. They are durable when this returns, and do not exist when it throws. */
export async function buildStore(build: StoreBuild): Promise<void> {
  const { path, pinPath } = build;
  rmSync(path, { force: true });
  createPrivateFile(path);
  const db = new DatabaseSync(path);
  try {
    const head = await fillStore(db, build);
    db.close();
    syncFile(path);
    // The pin is last: with it the store is complete.
    HeadPin.create(pinPath, head);
  } catch (error) {
    if (db.isOpen) db.close();
    rmSync(path, { force: true });
    throw storeFailure(error, path);
  }
}

async function fillStore(
  db: DatabaseSync,
  { source, chaincode, check, progress }: StoreBuild,
): Promise<{ readonly number: number; readonly hash: string }> {
  // No process uses the file until it is complete, so nothing has to survive a crash meanwhile.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN');
  createTables(db);
  const blocks = new BlockWriter(db, dictionaryFor(source));
  let number = 0;
  let newest = new Uint8Array() as Uint8Array;
  for await (const { bytes, hash } of check(source, new DerivedTables(db, chaincode))) {
    newest = hash;
    blocks.write(number++, hash, bytes);
    progress(number, source.height);
  }
  db.exec('COMMIT');
  return { number: number - 1, hash: Buffer.from(newest).toString('hex') };
}

/** The first block of transactions resembles all others. */
function dictionaryFor(source: ChainSource): Uint8Array {
  return openBlock(source.raw(Math.min(1, source.height - 1))).bytes.subarray(0, DICTIONARY_BYTES);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
