import { sha256 } from '#fabric-codec/encode';
import type { ReadingConnection } from '#chain-pages';
import { damaged } from '#ledger-gateway';
import { queryOf, type Query } from '../store/store-reader.js';
import { openValuesForReading } from './values-file.js';

/** A private key with at least one stored value. */
export interface StoredKey {
  readonly key: string;
  readonly keyHash: Uint8Array;
}

/** Reads private values. The file is opened when it exists, which is after the first private write. */
export class PrivateReader {
  readonly #path: string;
  #db: ReadingConnection | undefined;
  #value: Query | undefined;
  #keys: Query | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Returns the value of a key with a hash; undefined when it is not stored.
   * @param space - see `collectionSpace`
   * @throws `LEDGER.DAMAGED` when the stored value has another hash
   */
  value(space: string, keyHash: Uint8Array, hash: Uint8Array): Uint8Array | undefined {
    const [row] = this.#open() ? (this.#value?.(keyHash, hash, space) ?? []) : [];
    if (row === undefined) return undefined;
    const [value] = row as [Uint8Array];
    if (sha256(value).equals(hash)) return value;
    throw damaged(`A private value in ${this.#path} is not the one that was written: restore a backup.`);
  }

  /** Returns listed keys with stored values from one on and below another (empty: no end), in byte order. */
  keys(space: string, start: string, end: string, limit: number): readonly StoredKey[] {
    const rows = this.#open() ? (this.#keys?.(space, start, end, limit) ?? []) : [];
    return rows.map((row) => {
      const [key, keyHash] = row as [string, Uint8Array];
      return { key, keyHash };
    });
  }

  close(): void {
    this.#db?.close();
    this.#db = undefined;
  }

  #open(): boolean {
    if (this.#db !== undefined) return true;
    const db = openValuesForReading(this.#path);
    if (db === undefined) return false;
    const values = 'the private values';
    this.#value = queryOf(db, values, 'SELECT value FROM private_values WHERE key_hash = ? AND hash = ? AND space = ?');
    this.#keys = queryOf(
      db,
      values,
      `SELECT DISTINCT key, key_hash FROM private_values WHERE key IS NOT NULL AND space = ?1 AND key >= ?2 AND (?3 = '' OR key < ?3)
        ORDER BY key LIMIT ?4`,
    );
    this.#db = db;
    return true;
  }
}
