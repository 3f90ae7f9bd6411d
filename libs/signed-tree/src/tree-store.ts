import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { inTransaction } from '#chain-pages';
import { createPrivateFile, replacingFault } from '#files';
import { misconfigured } from '#ledger-gateway';
import { entryBundle, HASH_BYTES, leafHash, nodesOfTiles, TILE_WIDTH, TileBuilder, tileWidth, type Tile } from '#tlog';

/** `levels` has the hashes of each tile; the last tile of a level is written again until it is full. */
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS entries (number INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS tiles (
    level INTEGER, number INTEGER, hashes BLOB NOT NULL, PRIMARY KEY (level, number)
  ) STRICT, WITHOUT ROWID;
`;

/** The files of the database: SQLite's write-ahead log and its index have names of their own. */
function filesOf(path: string): readonly string[] {
  return ['', '-wal', '-shm'].map((suffix) => path + suffix);
}

/**
 * Checks that the file of a {@link TreeStore} can be replaced by a new one.
 * @throws `LEDGER.MISCONFIGURED`
 */
export function requireReplaceable(path: string): void {
  for (const file of filesOf(path)) {
    const fault = replacingFault(file);
    if (fault !== undefined) throw misconfigured(`${file} cannot be replaced (${fault}): move it away.`);
  }
}

/**
 * The entries and tiles of a channel's tree, in a database file. It is derived data: it is not synced, and a file that cannot be
 * used is replaced by an empty one.
 */
export class TreeStore {
  readonly #path: string;
  #db!: DatabaseSync;
  #builder!: TileBuilder;
  #insertEntry!: StatementSync;
  #replaceTile!: StatementSync;
  #selectTile!: StatementSync;
  #selectEntries!: StatementSync;

  /** Reads a node of the tree; see `inclusionProof` and `consistencyProof` of tlog. */
  readonly node = nodesOfTiles((level, index) => this.#tile(level, index));

  constructor(path: string) {
    this.#path = path;
    try {
      this.#open();
    } catch {
      this.clear();
    }
  }

  /** The number of entries. */
  get size(): number {
    return this.#builder.size;
  }

  root(): Uint8Array {
    return this.#builder.root();
  }

  /** Appends the entries of the next blocks: all, or after an error none. */
  append(entries: readonly Uint8Array[]): void {
    // A copy, which counts after the commit: otherwise a failed commit would leave more in memory than in the file.
    const builder = this.#builderOf(this.size);
    inTransaction(this.#db, () => {
      for (const entry of entries) {
        this.#insertEntry.run(builder.size, entry);
        builder.append(leafHash(entry));
      }
      for (const { level, index, bytes } of builder.take()) this.#replaceTile.run(level, index, bytes);
    });
    this.#builder = builder;
  }

  /** Returns an entry; undefined beyond the size. */
  entry(number: number): Uint8Array | undefined {
    return this.#entries(number, number + 1)[0];
  }

  /** Returns the bytes of a tile or of a bundle of entries; undefined if the tree does not have so much of it. */
  read({ level, index, width }: Tile): Uint8Array | undefined {
    if (tileWidth(this.size, level === 'entries' ? 0 : level, index) < width) return undefined;
    if (level !== 'entries') return this.#tile(level, index).subarray(0, width * HASH_BYTES);
    return entryBundle(this.#entries(index * TILE_WIDTH, index * TILE_WIDTH + width));
  }

  /** Removes everything, to build the tree again. */
  clear(): void {
    try {
      this.#db.close();
    } catch {
      // It was not open, which is why it is replaced.
    }
    requireReplaceable(this.#path);
    for (const path of filesOf(this.#path)) rmSync(path, { force: true });
    this.#open();
  }

  close(): void {
    this.#db.close();
  }

  #open(): void {
    createPrivateFile(this.#path);
    const db = new DatabaseSync(this.#path);
    this.#db = db;
    // With a write-ahead log a crash of the process loses nothing, and one of the system damages nothing but this file.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${SCHEMA}`);
    this.#insertEntry = db.prepare('INSERT INTO entries VALUES (?, ?)');
    this.#replaceTile = db.prepare('INSERT OR REPLACE INTO tiles VALUES (?, ?, ?)');
    this.#selectTile = db.prepare('SELECT hashes FROM tiles WHERE level = ? AND number = ?');
    this.#selectEntries = db.prepare('SELECT entry FROM entries WHERE number >= ? AND number < ? ORDER BY number');
    const entries = db.prepare('SELECT count(*) AS count, coalesce(max(number) + 1, 0) AS size FROM entries');
    const { count, size } = entries.get() as { readonly count: number; readonly size: number };
    if (count !== size) throw new Error(`${this.#path} has ${count} of ${size} entries`);
    this.#builder = this.#builderOf(size);
  }

  #builderOf(size: number): TileBuilder {
    return new TileBuilder(size, (level, index) => this.#tile(level, index));
  }

  #tile(level: number, index: number): Uint8Array {
    const row = this.#selectTile.get(level, index) as { readonly hashes: Uint8Array } | undefined;
    if (row === undefined) throw new Error(`${this.#path} lacks tile ${index} of level ${level}`);
    return row.hashes;
  }

  #entries(from: number, to: number): Uint8Array[] {
    const rows = this.#selectEntries.all(from, to) as unknown as readonly { readonly entry: Uint8Array }[];
    return rows.map(({ entry }) => entry);
  }
}
