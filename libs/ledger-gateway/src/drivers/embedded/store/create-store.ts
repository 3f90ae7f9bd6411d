import type { DatabaseSync } from 'node:sqlite';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { BlockWriter } from './block-writer.js';
import { deriveRecords } from './derive-records.js';
import { DerivedWriter } from './derived-writer.js';
import { isEmpty, openForWriting } from './open-store.js';
import { createTables } from './schema.js';
import { storeFailure } from './store-failure.js';

/** What a new store begins with. */
export interface StoreBeginning {
  /** The serialized configuration block. */
  readonly firstBlock: Uint8Array;
  readonly chaincode: string;
  /** Bytes that most blocks contain. */
  readonly dictionary: Uint8Array;
}

/** Makes a store with block 0, unless a start that was cut short has made it already. */
export function createStore(path: string, beginning: StoreBeginning): void {
  const db = openForWriting(path);
  try {
    if (isEmpty(db)) begin(db, beginning);
  } catch (error) {
    throw storeFailure(error, path);
  } finally {
    db.close();
  }
}

/** The tables and block 0, in one transaction: a store has both or is empty. */
function begin(db: DatabaseSync, { firstBlock, chaincode, dictionary }: StoreBeginning): void {
  const block = decodeBlock(firstBlock);
  db.exec('BEGIN IMMEDIATE');
  createTables(db);
  new BlockWriter(db, dictionary).write(0, block.hash, firstBlock);
  new DerivedWriter(db).write(deriveRecords(block, chaincode, { previous: () => 0, next: () => 0 }));
  db.exec('COMMIT');
}
