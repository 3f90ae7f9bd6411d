import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { BlockWriter } from '../store/store-writer.js';
import { makeOwnFile } from '../store/open-store.js';
import { createTables } from '../store/schema.js';
import { storeFailure } from '../store/store-failure.js';
import { openBlock, type ChainSource, type Progress } from './chain-source.js';

/** Most bytes of a block that serve as dictionary for the others. */
const DICTIONARY_BYTES = 16 * 1024;

/** A block that was checked, and of which what follows was written. */
export interface TakenBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

/** Checks the blocks of a source in their order and writes what follows from each into the tables. */
export type BlockTaker = (source: ChainSource, db: DatabaseSync) => AsyncIterable<TakenBlock> | Iterable<TakenBlock>;

/** What {@link buildStore} needs. */
export interface StoreBuild {
  /** Path of the new file; what stands there is replaced. */
  readonly path: string;
  readonly source: ChainSource;
  readonly take: BlockTaker;
  readonly progress: Progress;
}

/** Makes a store from blocks alone; it is on disk when this returns, and not there at all when it throws. */
export async function buildStore({ path, source, take, progress }: StoreBuild): Promise<void> {
  rmSync(path, { force: true });
  makeOwnFile(path);
  const db = new DatabaseSync(path);
  try {
    // Until it is whole nobody uses the file, so nothing has to survive a crash on the way.
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN');
    createTables(db);
    const blocks = new BlockWriter(db, dictionaryFor(source));
    let number = 0;
    for await (const { bytes, hash } of take(source, db)) {
      blocks.write(number++, hash, bytes);
      progress(number, source.height);
    }
    db.exec('COMMIT');
    db.close();
    syncFile(path);
  } catch (error) {
    if (db.isOpen) db.close();
    rmSync(path, { force: true });
    throw storeFailure(error, path);
  }
}

/** The first block of transactions looks much like all others. */
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
