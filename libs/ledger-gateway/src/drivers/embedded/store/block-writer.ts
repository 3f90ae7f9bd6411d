import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BlockPacker } from './block-packer.js';
import { NewestDictionary } from './dictionary.js';
import { recordDigest } from './record-digest.js';

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
