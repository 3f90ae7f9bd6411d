import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { VerifiedHead } from '#fabric-codec/verify';
import { BlockWriter } from './block-writer.js';
import type { BlocksToLive } from './blocks-to-live.js';
import { DerivedTables } from './derived-tables.js';
import { HeadPin } from './head-pin.js';
import { createStoreFile } from './open-store.js';
import { createTables } from './schema.js';
import { storeFailure } from './store-failure.js';

/** A block whose records are in the derived tables. */
export interface BuiltBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  readonly hash: Uint8Array;
}

/** The content of a new store. */
export interface StoreBuild {
  /** Path of the new file, which is replaced if it exists, like the pin. */
  readonly path: string;
  readonly pinPath: string;
  readonly chaincode: string;
  /** See {@link DerivedTables}. */
  readonly blocksToLive?: BlocksToLive | undefined;
  /** Bytes that most blocks contain. */
  readonly dictionary: Uint8Array;
  /** Adds each block to the derived tables and returns it, from block 0 on. */
  readonly blocks: (tables: DerivedTables) => AsyncIterable<BuiltBlock> | Iterable<BuiltBlock>;
}

/** Creates a store and its pin from blocks alone. They are durable when this returns, and do not exist when it throws. */
export async function buildStore(build: StoreBuild): Promise<VerifiedHead> {
  const { path, pinPath } = build;
  for (const file of [pinPath, path]) rmSync(file, { force: true });
  createStoreFile(path);
  const db = new DatabaseSync(path);
  try {
    const head = await fillStore(db, build);
    db.close();
    syncFile(path);
    // The pin is last: with it the store is complete. After a crash before it, a first start, an import or a rebuild begins
    // again.
    new HeadPin(pinPath, { number: head.height - 1, hash: head.hash }).close();
    return head;
  } catch (error) {
    if (db.isOpen) db.close();
    rmSync(path, { force: true });
    throw storeFailure(error, path);
  }
}

async function fillStore(
  db: DatabaseSync,
  { chaincode, blocksToLive, dictionary, blocks }: StoreBuild,
): Promise<VerifiedHead> {
  // No process uses the file until it is complete, so nothing has to survive a crash meanwhile.
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN');
  createTables(db);
  const writer = new BlockWriter(db, dictionary);
  let height = 0;
  let newest = new Uint8Array() as Uint8Array;
  for await (const { bytes, hash } of blocks(new DerivedTables(db, chaincode, blocksToLive))) {
    newest = hash;
    writer.write(height++, hash, bytes);
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
