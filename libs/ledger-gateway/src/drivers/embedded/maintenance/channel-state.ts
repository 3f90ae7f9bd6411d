import { Buffer } from 'node:buffer';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Version } from '../../../fabric-blocks/encode/hashes.js';
import type { KeyRead } from '../../../fabric-blocks/encode/read-write-set.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/block-replay.js';
import { prepareRows } from '../store/store-reader.js';

const TABLES = `
  CREATE TABLE versions (
    namespace TEXT NOT NULL,
    key BLOB NOT NULL,
    block INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE seen (id TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
`;

/**
 * The replayed state of a Fabric channel with any number of chaincodes and private collections. It is stored in its own
 * tables, so that a chain of any length is verified in constant memory. Keys are bytes: those of private data are hashes.
 */
export class ChannelState implements ReplayState {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #delete: StatementSync;
  readonly #range: StatementSync;
  readonly #see: StatementSync;

  /** @param db - the tables are created in it */
  constructor(db: DatabaseSync) {
    db.exec(TABLES);
    this.#get = prepareRows(db, 'SELECT block, position FROM versions WHERE namespace = ? AND key = ?');
    this.#set = db.prepare('INSERT OR REPLACE INTO versions VALUES (?, ?, ?, ?)');
    this.#delete = db.prepare('DELETE FROM versions WHERE namespace = ? AND key = ?');
    const range = "namespace = ?1 AND key >= ?2 AND (?3 = x'' OR key < ?3) ORDER BY key";
    this.#range = prepareRows(db, `SELECT key, block, position FROM versions WHERE ${range}`);
    this.#see = db.prepare('INSERT OR IGNORE INTO seen VALUES (?)');
  }

  version(namespace: string, key: string): Version | undefined {
    const row = this.#get.get(namespace, Buffer.from(key)) as unknown as [number, number] | undefined;
    return row && { blockNumber: row[0], transactionNumber: row[1] };
  }

  setVersion(namespace: string, key: string, version: Version | undefined): void {
    if (version === undefined) this.#delete.run(namespace, Buffer.from(key));
    else this.#set.run(namespace, Buffer.from(key), version.blockNumber, version.transactionNumber);
  }

  *range(namespace: string, start: string, end: string): Generator<KeyRead> {
    for (const row of this.#range.iterate(namespace, Buffer.from(start), Buffer.from(end))) {
      const [key, blockNumber, transactionNumber] = row as unknown as [Uint8Array, number, number];
      yield { key: Buffer.from(key).toString(), version: { blockNumber, transactionNumber } };
    }
  }

  addTransaction(transactionId: string): boolean {
    return this.#see.run(transactionId).changes === 1;
  }
}
