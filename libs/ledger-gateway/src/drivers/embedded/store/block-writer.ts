import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { BlockPacker } from './block-packer.js';
import { addBlock, DerivedTables } from './derived-tables.js';
import { isEmpty, openForWriting } from './open-store.js';
import { isDigestOf, recordDigest } from './record-digest.js';
import { createTables } from './schema.js';
import { storeFailure } from './store-failure.js';

/** Writes the `blocks` table. The caller opens and commits the transaction. */
export class BlockWriter {
  readonly #insert: StatementSync;
  readonly #dictionary: NewestDictionary;
  #packer: BlockPacker;

  /** @param common - bytes that most blocks contain, independent of the callers */
  constructor(db: DatabaseSync, common: Uint8Array) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = new NewestDictionary(db, common);
    this.#packer = new BlockPacker(this.#dictionary.current.content);
  }

  /**
   * Inserts a block.
   * @param bytes - the serialized `common.Block`
   * @param creators - serialized identities of the callers who signed in it
   */
  write(number: number, hash: Uint8Array, bytes: Uint8Array, creators: readonly Uint8Array[] = []): void {
    if (creators.length > 0 && this.#dictionary.update(number, creators)) {
      this.#packer = new BlockPacker(this.#dictionary.current.content);
    }
    const [id, packed] = [this.#dictionary.current.id, this.#packer.pack(bytes)];
    this.#insert.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }
}

/** Bytes that most blocks contain, mainly certificates: what blocks share with them is stored once. */
export interface Dictionary {
  readonly id: number;
  readonly content: Uint8Array;
}

/** Most callers whose identities are in a dictionary. */
const MAX_CALLERS = 20;
/** Fewest blocks that a dictionary is used for: with ever changing callers each would cost more than it saves. */
const MIN_BLOCKS = 64;

/**
 * The dictionary that new blocks are compressed with: what every block contains, then the identities of the callers who
 * signed last. It is a row that never changes; other callers get a new one.
 */
export class NewestDictionary {
  readonly #db: DatabaseSync;
  readonly #common: Uint8Array;
  #current: Dictionary;
  /** Callers in the order in which they signed last. */
  readonly #callers = new Map<string, Uint8Array>();
  #usedUntil = 0;

  /** @param common - bytes that most blocks contain, independent of the callers */
  constructor(db: DatabaseSync, common: Uint8Array) {
    this.#db = db;
    this.#common = common;
    this.#current = this.#newestRow() ?? this.#insert(common);
  }

  get current(): Dictionary {
    return this.#current;
  }

  /**
   * Notes who signed a block that is about to be compressed.
   * @param creators - serialized identities of callers
   * @returns whether there is a new dictionary
   */
  update(number: number, creators: readonly Uint8Array[]): boolean {
    for (const creator of creators) {
      const key = Buffer.from(creator).toString('latin1');
      this.#callers.delete(key);
      this.#callers.set(key, creator);
    }
    if (number < this.#usedUntil || creators.every((creator) => this.#contains(creator))) return false;
    for (const key of [...this.#callers.keys()].slice(0, -MAX_CALLERS)) this.#callers.delete(key);
    this.#current = this.#insert(Buffer.concat([this.#common, ...this.#callers.values()]));
    this.#usedUntil = number + MIN_BLOCKS;
    return true;
  }

  #contains(creator: Uint8Array): boolean {
    const { buffer, byteOffset, length } = this.#current.content;
    return Buffer.from(buffer, byteOffset, length).indexOf(creator) !== -1;
  }

  /** The newest one in the store, unless it is damaged or contains other identities of the ledger's own. */
  #newestRow(): Dictionary | undefined {
    const row = this.#db.prepare('SELECT id, content, digest FROM dictionaries ORDER BY id DESC LIMIT 1').get() as
      (Dictionary & { readonly digest: Uint8Array }) | undefined;
    if (row === undefined || Buffer.compare(row.content.subarray(0, this.#common.length), this.#common) !== 0)
      return undefined;
    return isDigestOf(row.digest, 'dictionary', [row.id], [row.content]) ? row : undefined;
  }

  #insert(content: Uint8Array): Dictionary {
    const { newest } = this.#db.prepare('SELECT coalesce(max(id), 0) AS newest FROM dictionaries').get() as {
      newest: number;
    };
    const id = newest + 1;
    const digest = recordDigest('dictionary', [id], [content]);
    this.#db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, digest);
    return { id, content };
  }
}

/** The content of a new store. */
export interface NewStore {
  /** The serialized configuration block. */
  readonly firstBlock: Uint8Array;
  readonly chaincode: string;
  /** Bytes that most blocks contain. */
  readonly dictionary: Uint8Array;
}

/** Creates a store with block 0, unless an interrupted start has created it already. */
export function createStore(path: string, content: NewStore): void {
  const db = openForWriting(path);
  try {
    if (isEmpty(db)) insertFirstBlock(db, content);
  } catch (error) {
    throw storeFailure(error, path);
  } finally {
    db.close();
  }
}

/** The tables and block 0, in one transaction: a store has both or is empty. */
function insertFirstBlock(db: DatabaseSync, { firstBlock, chaincode, dictionary }: NewStore): void {
  const block = decodeBlock(firstBlock);
  db.exec('BEGIN IMMEDIATE');
  createTables(db);
  new BlockWriter(db, dictionary).write(0, block.hash, firstBlock);
  addBlock(new DerivedTables(db, chaincode), block);
  db.exec('COMMIT');
}
