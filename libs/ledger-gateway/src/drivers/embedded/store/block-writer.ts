import { constants, zstdCompressSync } from 'node:zlib';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { keepDictionary, type Dictionary } from './dictionary.js';
import { recordDigest } from './record-digest.js';

/** The level that costs least; higher ones gain nothing on blocks, whose bulk repeats literally. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Writes the `blocks` table. The caller opens and commits the transaction. */
export class BlockWriter {
  readonly #insert: StatementSync;
  readonly #dictionary: Dictionary;

  /** @param dictionary - bytes that most blocks contain */
  constructor(db: DatabaseSync, dictionary: Uint8Array) {
    this.#insert = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = keepDictionary(db, dictionary);
  }

  /** @param bytes - the serialized `common.Block` */
  write(number: number, hash: Uint8Array, bytes: Uint8Array): void {
    const { id, content } = this.#dictionary;
    // Most blocks shrink to an eighth; by default each would get 16 KB of room, however small it is.
    const chunkSize = Math.max(1024, bytes.length >> 3);
    const packed = zstdCompressSync(bytes, { params: COMPRESSION, dictionary: content, chunkSize });
    this.#insert.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }
}
