import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ReadingConnection } from '#chain-pages';
import { BlockPacker } from './block-packer.js';
import { isDigestOf, recordDigest } from './record-digest.js';

/** Most callers whose identities are in a dictionary. */
const MAX_CALLERS = 20;
/** Fewest blocks that a dictionary is used for: with ever changing callers each would cost more than it saves. */
const MIN_BLOCKS = 64;

/** Bytes that most blocks contain, mainly certificates: what blocks share with them is stored once. */
interface Dictionary {
  readonly id: number;
  readonly content: Buffer;
  readonly packer: BlockPacker;
}

/** Reads the row of the newest dictionary, unchecked: a {@link BlockWriter} replaces a damaged one. */
export function readNewestDictionary(
  db: ReadingConnection,
): { readonly id: number; readonly content: Uint8Array; readonly digest: unknown } | undefined {
  const newest = 'SELECT id, content, hex(digest) AS digest FROM dictionaries ORDER BY id DESC LIMIT 1';
  return db.prepare(newest).get() as ReturnType<typeof readNewestDictionary>;
}

/**
 * Writes the `blocks` table. The caller opens and commits the transaction. New blocks are compressed with a dictionary: what
 * every block contains, then the identities of the callers who signed last. It is a row that never changes; other callers
 * get a new one.
 */
export class BlockWriter {
  readonly #db: DatabaseSync;
  readonly #common: Uint8Array;
  readonly #insertBlock: StatementSync;
  /** Callers in the order in which they signed last. */
  readonly #callers = new Map<string, Uint8Array>();
  #dictionary: Dictionary;
  /** Number of the block from which on the dictionary may be replaced. */
  #usedUntil = 0;

  /** @param common - bytes that most blocks contain, independent of the callers */
  constructor(db: DatabaseSync, common: Uint8Array) {
    this.#db = db;
    this.#common = common;
    this.#insertBlock = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = this.#newestDictionary() ?? this.#insertDictionary([]);
  }

  /**
   * Inserts a block.
   * @param bytes - the serialized `common.Block`
   * @param creators - serialized identities of the callers who signed in it
   */
  write(number: number, hash: Uint8Array, bytes: Uint8Array, creators: readonly Uint8Array[] = []): void {
    this.#adopt(number, creators);
    const { id, packer } = this.#dictionary;
    const packed = packer.pack(bytes);
    this.#insertBlock.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }

  /** Creates a new dictionary if the present one lacks a block's callers. */
  #adopt(number: number, creators: readonly Uint8Array[]): void {
    for (const creator of creators) {
      const key = Buffer.from(creator).toString('latin1');
      this.#callers.delete(key);
      this.#callers.set(key, creator);
    }
    const { content } = this.#dictionary;
    if (number < this.#usedUntil || creators.every((creator) => content.indexOf(creator) >= 0)) return;
    for (const key of [...this.#callers.keys()].slice(0, -MAX_CALLERS)) this.#callers.delete(key);
    this.#usedUntil = number + MIN_BLOCKS;
    this.#dictionary = this.#insertDictionary([...this.#callers.values()]);
  }

  /** The newest one in the store, unless it is damaged or contains other identities of the ledger's own. */
  #newestDictionary(): Dictionary | undefined {
    const row = readNewestDictionary(this.#db);
    if (row === undefined || !isDigestOf(row.digest, 'dictionary', [row.id], [row.content])) return undefined;
    const content = Buffer.from(row.content);
    if (!content.subarray(0, this.#common.length).equals(this.#common)) return undefined;
    return { id: row.id, content, packer: new BlockPacker(content) };
  }

  #insertDictionary(callers: readonly Uint8Array[]): Dictionary {
    const content = Buffer.concat([this.#common, ...callers]);
    const newest = this.#db.prepare('SELECT coalesce(max(id), 0) AS id FROM dictionaries').get() as { id: number };
    const id = newest.id + 1;
    const digest = recordDigest('dictionary', [id], [content]);
    this.#db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, digest);
    return { id, content, packer: new BlockPacker(content) };
  }
}
