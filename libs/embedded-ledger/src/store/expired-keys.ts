import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type BlocksToLive, expiringSpaces } from './blocks-to-live.js';
import { metadataSpace } from './key-metadata.js';
import { recordDigest } from './record-digest.js';
import { endOf, storedKey } from './schema.js';
import { prepareRows } from './store-reader.js';

/** A key of a private collection that has expired. */
export interface ExpiredKey {
  /** See `collectionSpace`. */
  readonly space: string;
  /** Hexadecimal. */
  readonly keyHash: string;
}

/** The row of a key in the state: entry, stored key, block, position. */
type StateRow = readonly [entry: number, stored: string, block: number, position: number];

/**
 * Deletes the keys of private collections that expire, as a peer does: a key whose version is of block n is deleted with block
 * n + blockToLive + 1, after its commit hash was made, unless that block writes it. It is no write of a transaction: the row of the
 * state loses its value, and the history of the key has no entry.
 */
export class ExpiredKeys {
  readonly #spaces: ReadonlyMap<string, number>;
  readonly #blockOf: StatementSync;
  readonly #written: StatementSync;
  readonly #key: StatementSync;
  readonly #expire: StatementSync;

  constructor(db: DatabaseSync, blocksToLive: BlocksToLive) {
    this.#spaces = expiringSpaces(blocksToLive);
    this.#blockOf = prepareRows(db, 'SELECT block FROM history WHERE entry = ?');
    const columns = 'SELECT entry, qualified_key, block, position FROM state';
    this.#written = prepareRows(
      db,
      `${columns} WHERE entry >= ? AND entry < ? AND qualified_key >= ? AND qualified_key < ? AND value IS NOT NULL`,
    );
    this.#key = prepareRows(db, `${columns} WHERE qualified_key = ? AND block = ? AND value IS NOT NULL`);
    this.#expire = db.prepare('UPDATE state SET value = NULL, digest = ? WHERE entry = ?');
  }

  /**
   * Deletes what expires with a block, after its writes.
   * @param newest - number of the newest history entry
   */
  delete(block: number, newest: number): readonly ExpiredKey[] {
    const expired: ExpiredKey[] = [];
    for (const [space, blocksToLive] of this.#spaces) {
      const written = block - blocksToLive - 1;
      if (written > 0) expired.push(...this.#deleteIn(space, written, newest));
    }
    return expired;
  }

  #deleteIn(space: string, block: number, newest: number): readonly ExpiredKey[] {
    const [from, to] = [this.#firstEntry(block, newest), this.#firstEntry(block + 1, newest)];
    const keys = new Set<string>();
    // New metadata raise the version of a key, and are the only entry of that block then.
    for (const each of [space, metadataSpace(space)]) {
      for (const row of this.#written.all(from, to, storedKey(each, ''), endOf(each))) {
        keys.add((row as unknown as StateRow)[1].slice(storedKey(each, '').length));
      }
    }
    return [...keys].flatMap((keyHash) => {
      const row = this.#key.get(storedKey(space, keyHash), block) as unknown as StateRow | undefined;
      if (row === undefined) return [];
      this.#clear(row);
      const metadata = this.#key.get(storedKey(metadataSpace(space), keyHash), block) as unknown as
        | StateRow
        | undefined;
      if (metadata !== undefined) this.#clear(metadata);
      return [{ space, keyHash }];
    });
  }

  #clear([entry, stored, block, position]: StateRow): void {
    this.#expire.run(recordDigest('state', [block, position, entry], [stored, null]), entry);
  }

  /** Returns the first history entry of a block or of those after it; entries are numbered without gaps in the order of the blocks. */
  #firstEntry(block: number, newest: number): number {
    let [low, high] = [1, newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [found] = this.#blockOf.get(middle) as unknown as [number];
      if (found < block) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
