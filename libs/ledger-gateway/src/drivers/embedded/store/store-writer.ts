import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { BlockPacker } from './block-packer.js';
import { deriveRecords, type DerivedRecords, type StateWrite } from './derive-records.js';
import { NewestDictionary } from './dictionary.js';
import { isEmpty, openForWriting } from './open-store.js';
import { recordDigest } from './record-digest.js';
import { createTables } from './schema.js';
import { storeFailure } from './store-failure.js';

/** Writes the `blocks` table. The caller opens and commits the transaction. */
export class BlockWriter {
  readonly #insert: StatementSync;
  readonly #dictionary: NewestDictionary;
  #packer: BlockPacker;

  /** @param always - bytes that most blocks contain, whoever signs them */
  constructor(db: DatabaseSync, always: Uint8Array) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = new NewestDictionary(db, always);
    this.#packer = new BlockPacker(this.#dictionary.current.content);
  }

  /**
   * @param bytes - the serialized `common.Block`
   * @param creators - serialized identities of the callers who signed in it
   */
  write(number: number, hash: Uint8Array, bytes: Uint8Array, creators: readonly Uint8Array[] = []): void {
    if (creators.length > 0 && this.#dictionary.meet(number, creators)) {
      this.#packer = new BlockPacker(this.#dictionary.current.content);
    }
    const [id, packed] = [this.#dictionary.current.id, this.#packer.pack(bytes)];
    this.#insert.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }
}

/** Writes the tables that follow from the blocks. The caller opens and commits the transaction. */
export class DerivedWriter {
  readonly #state: StatementSync;
  readonly #transaction: StatementSync;
  readonly #entry: StatementSync;

  constructor(db: DatabaseSync) {
    this.#state = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)');
    // Of two transactions with one id, which a chain may hold (DUPLICATE_TXID), the first is the one looked up.
    this.#transaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#entry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
  }

  write({ number, transactionIds, writes }: DerivedRecords): void {
    transactionIds.forEach((id, position) => {
      this.writeTransaction(id, number, position);
    });
    this.writeState(number, writes);
  }

  /** Says where a transaction stands; false when one with its id stands elsewhere, which stays. */
  writeTransaction(id: Uint8Array, number: number, position: number): boolean {
    return (
      this.#transaction.run(id, number, position, recordDigest('transaction', [number, position], [id])).changes === 1
    );
  }

  /** Puts the writes of a block into state and histories. */
  writeState(number: number, writes: readonly StateWrite[]): void {
    for (const { position, key, value, previous, entry } of writes) {
      const historyDigest = recordDigest('history', [entry, previous, number, position], [key]);
      this.#entry.run(entry, previous, number, position, historyDigest);
      const stateDigest = recordDigest('state', [number, position, entry], [key, value]);
      this.#state.run(key, value, number, position, entry, stateDigest);
    }
  }
}

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
