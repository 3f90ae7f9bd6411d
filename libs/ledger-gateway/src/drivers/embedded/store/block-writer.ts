import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BlockPacker } from './block-packer.js';
import { keepDictionary } from './dictionary.js';
import { recordDigest } from './record-digest.js';

/** Writes the `blocks` table. The caller opens and commits the transaction. */
export class BlockWriter {
  readonly #insert: StatementSync;
  readonly #dictionary: number;
  readonly #packer: BlockPacker;

  /** @param dictionary - bytes that most blocks contain */
  constructor(db: DatabaseSync, dictionary: Uint8Array) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    const { id, content } = keepDictionary(db, dictionary);
    this.#dictionary = id;
    this.#packer = new BlockPacker(content);
  }

  /** @param bytes - the serialized `common.Block` */
  write(number: number, hash: Uint8Array, bytes: Uint8Array): void {
    const [id, packed] = [this.#dictionary, this.#packer.pack(bytes)];
    this.#insert.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }
}
