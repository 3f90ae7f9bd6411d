import { constants, zstdCompressSync } from 'node:zlib';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isSameDigest, recordDigest } from './record-digest.js';

/** A block with what follows from it, as it goes into the store in one SQLite transaction. */
export interface BlockRecord {
  readonly number: number;
  readonly hash: Uint8Array;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  /** Id of the transaction at each position, or undefined for a configuration. */
  readonly transactionIds: readonly (Uint8Array | undefined)[];
  /** Writes of the VALID transactions, in order. */
  readonly writes: readonly StateWrite[];
}

export interface StateWrite {
  readonly position: number;
  readonly key: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
  /** Number of the history entry of the write before this one, 0 when the key is new. */
  readonly previous: number;
  /** Number of this write's history entry. */
  readonly entry: number;
}

/** The level that costs least; higher ones gain nothing on blocks, whose bulk repeats literally. */
const COMPRESSION = { [constants.ZSTD_c_compressionLevel]: 1 };

/** Writes blocks into the store through prepared statements. The caller opens and commits the transaction. */
export class StoreWriter {
  readonly #block: StatementSync;
  readonly #state: StatementSync;
  readonly #transaction: StatementSync;
  readonly #entry: StatementSync;
  readonly #dictionary: { readonly id: number; readonly content: Uint8Array };

  /** @param dictionary - bytes that most blocks contain (certificates): what they share is stored once */
  constructor(db: DatabaseSync, dictionary: Uint8Array) {
    this.#block = db.prepare('INSERT INTO blocks VALUES (?, ?, ?, ?, ?)');
    this.#state = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)');
    this.#transaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#entry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
    this.#dictionary = { id: keepDictionary(db, dictionary), content: dictionary };
  }

  write(record: BlockRecord): void {
    this.writeBlock(record);
    this.writeDerived(record);
  }

  writeBlock({ number, hash, bytes }: BlockRecord): void {
    const { id, content } = this.#dictionary;
    const packed = zstdCompressSync(bytes, { params: COMPRESSION, dictionary: content });
    this.#block.run(number, hash, id, packed, recordDigest('block', [number, id], [hash, packed]));
  }

  writeDerived({ number, transactionIds, writes }: BlockRecord): void {
    transactionIds.forEach((id, position) => {
      // Of two transactions with one id, which a genuine chain may hold (DUPLICATE_TXID), the first is the one looked up.
      if (id !== undefined) {
        this.#transaction.run(id, number, position, recordDigest('transaction', [number, position], [id]));
      }
    });
    for (const { position, key, value, previous, entry } of writes) {
      this.#entry.run(
        entry,
        previous,
        number,
        position,
        recordDigest('history', [entry, previous, number, position], [key]),
      );
      this.#state.run(
        key,
        value,
        number,
        position,
        entry,
        recordDigest('state', [number, position, entry], [key, value]),
      );
    }
  }
}

/** The id of a dictionary in the store, where it is put when the newest one there is another. */
function keepDictionary(db: DatabaseSync, content: Uint8Array): number {
  const newest = db.prepare('SELECT id, content, digest FROM dictionaries ORDER BY id DESC LIMIT 1').get() as
    { id: number; content: Uint8Array; digest: Uint8Array } | undefined;
  if (newest !== undefined && Buffer.compare(newest.content, content) === 0) {
    if (isSameDigest(newest.digest, recordDigest('dictionary', [newest.id], [content]))) return newest.id;
  }
  const id = (newest?.id ?? 0) + 1;
  db.prepare('INSERT INTO dictionaries VALUES (?, ?, ?)').run(id, content, recordDigest('dictionary', [id], [content]));
  return id;
}
