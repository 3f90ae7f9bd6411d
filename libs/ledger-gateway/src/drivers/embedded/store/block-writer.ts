import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BlockPacker } from './block-packer.js';
import { isDigestOf, recordDigest } from './record-digest.js';

/** Writes the `blocks` table. The caller opens and commits the transaction. */
export class BlockWriter {
  readonly #insert: StatementSync;
  readonly #dictionary: NewestDictionary;
  #packer: { readonly id: number; readonly packer: BlockPacker } | undefined;

  /** @param common - bytes that most blocks contain, independent of the callers */
  constructor(db: DatabaseSync, common: Uint8Array) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = new NewestDictionary(db, common);
  }

  /**
   * Inserts a block.
   * @param bytes - the serialized `common.Block`
   * @param creators - serialized identities of the callers who signed in it
   */
  write(number: number, hash: Uint8Array, bytes: Uint8Array, creators: readonly Uint8Array[] = []): void {
    const { id, content } = this.#dictionary.update(number, creators);
    if (this.#packer?.id !== id) this.#packer = { id, packer: new BlockPacker(content) };
    const packed = this.#packer.packer.pack(bytes);
    this.#insert.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }
}

/** Bytes that most blocks contain, mainly certificates: what blocks share with them is stored once. */
export interface Dictionary {
  readonly id: number;
  readonly content: Buffer;
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
    this.#current = this.#newestRow() ?? this.#insert([]);
  }

  /**
   * Returns the dictionary for a block, which is a new one if it lacks the block's callers.
   * @param creators - serialized identities of the callers who signed in the block
   */
  update(number: number, creators: readonly Uint8Array[]): Dictionary {
    for (const creator of creators) {
      const key = Buffer.from(creator).toString('latin1');
      this.#callers.delete(key);
      this.#callers.set(key, creator);
    }
    const current = this.#current;
    if (number < this.#usedUntil || creators.every((creator) => current.content.indexOf(creator) >= 0)) return current;
    for (const key of [...this.#callers.keys()].slice(0, -MAX_CALLERS)) this.#callers.delete(key);
    this.#usedUntil = number + MIN_BLOCKS;
    return (this.#current = this.#insert([...this.#callers.values()]));
  }

  /** The newest one in the store, unless it is damaged or contains other identities of the ledger's own. */
  #newestRow(): Dictionary | undefined {
    const newest = 'SELECT id, content, hex(digest) AS digest FROM dictionaries ORDER BY id DESC LIMIT 1';
    const row = this.#db.prepare(newest).get() as
      { readonly id: number; readonly content: Uint8Array; readonly digest: unknown } | undefined;
    if (row === undefined || !isDigestOf(row.digest, 'dictionary', [row.id], [row.content])) return undefined;
    const content = Buffer.from(row.content);
    return content.subarray(0, this.#common.length).equals(this.#common) ? { id: row.id, content } : undefined;
  }

  #insert(callers: readonly Uint8Array[]): Dictionary {
    const content = Buffer.concat([this.#common, ...callers]);
    const newest = this.#db.prepare('SELECT coalesce(max(id), 0) AS id FROM dictionaries').get() as { id: number };
    const id = newest.id + 1;
    const digest = recordDigest('dictionary', [id], [content]);
    this.#db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, digest);
    return { id, content };
  }
}
