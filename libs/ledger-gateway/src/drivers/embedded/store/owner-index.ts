import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { readAsset } from '#asset-contract';
import { makeOwnFile } from './open-store.js';
import type { ChainHead } from './prove-store.js';
import type { StoreReader } from './store-reader.js';

/** The format of an index; in `PRAGMA user_version`. One of another format is made anew. */
const INDEX_FORMAT = 1;

/**
 * - places: one row for each asset that is there, see {@link placeOf}
 * - progress: the chain that the rows follow from, and how far: `behind` is the id up to which assets were taken in, null
 *   when all were; `boot` names the run of the system in which the index is open, and is empty when it was closed
 */
const TABLES = `
  CREATE TABLE places (place TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE progress (height INTEGER NOT NULL, head TEXT NOT NULL, behind TEXT, boot TEXT NOT NULL) STRICT;
  INSERT INTO progress VALUES (0, '', '', '');
  PRAGMA user_version = ${INDEX_FORMAT};
`;

/** Characters of a place that stand for the owner: 128 bits of SHA-256 in base64url. */
const OWNER_CHARACTERS = 22;

/**
 * Where an asset stands in the index: its owner's assets beside one another, in byte order of their ids. In one column, since
 * SQLite begins a range at one by its order alone; of two it would pass over a row that was altered.
 */
export function placeOf(owner: string, id: string): string {
  return hash('sha256', owner, 'base64url').slice(0, OWNER_CHARACTERS) + id;
}

/** The id of the asset that stands at a place. */
export function idAt(place: string): string {
  return place.slice(OWNER_CHARACTERS);
}

/** Whether the assets at two places have one owner. */
export function isSameOwner(a: string, b: string): boolean {
  return a.slice(0, OWNER_CHARACTERS) === b.slice(0, OWNER_CHARACTERS);
}

/** What an index says of itself. */
export interface IndexProgress {
  /** Number of blocks that it follows. */
  readonly height: number;
  /** Hexadecimal hash of the newest of them. */
  readonly head: string;
  readonly isComplete: boolean;
  /** Whether it is what was written: it is not made durable, so after the system went down nobody knows. */
  readonly isSound: boolean;
  /** Id up to which assets were taken in. */
  readonly behind: string;
}

/** The owner of a record; undefined for one that is no asset. */
export function ownerOf(value: Uint8Array | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : readAsset(value)?.owner;
}

/** What an index says of itself; undefined when it is none of this format. */
export function readProgress(db: DatabaseSync): IndexProgress | undefined {
  if (db.prepare('PRAGMA user_version').get()?.['user_version'] !== INDEX_FORMAT) return undefined;
  const row = db.prepare('SELECT height, head, behind, boot FROM progress').get();
  if (row === undefined) return undefined;
  const { height, head, behind, boot } = row as unknown as {
    readonly height: number;
    readonly head: string;
    readonly behind: string | null;
    readonly boot: string;
  };
  const isSound = boot === '' || boot === BOOT;
  return { height, head, isComplete: behind === null, isSound, behind: behind ?? '' };
}

/** Whether an index follows the chain of a store, up to one of its blocks. */
export function isOfChain({ height, head }: IndexProgress, reader: StoreReader): boolean {
  const newest = reader.packedBlock(height - 1)?.hash;
  return newest !== undefined && Buffer.from(newest).toString('hex') === head;
}

/** Names this run of the system; where it cannot be told, no other name equals it. */
const BOOT = ((): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return `unknown since ${process.pid} ${performance.timeOrigin}`;
  }
})();

/** An asset that changes hands: whose it was and whose it is; undefined where there was or is none. */
export interface OwnerChange {
  readonly id: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Which assets an owner has, in a file of its own beside the store: it follows from the store and is made anew whenever it
 * does not fit. It is not part of a ledger: a program that does not know it leaves it alone, and nothing that befalls it
 * befalls the ledger.
 */
export class OwnerIndex {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #advance: StatementSync;
  readonly #progress: IndexProgress;

  private constructor(db: DatabaseSync, progress: IndexProgress) {
    this.#db = db;
    this.#insert = db.prepare('INSERT OR IGNORE INTO places VALUES (?)');
    this.#delete = db.prepare('DELETE FROM places WHERE place = ?');
    this.#advance = db.prepare('UPDATE progress SET height = ?, head = ?, behind = ?, boot = ?');
    this.#progress = progress;
  }

  /** Opens the index at a path, or makes an empty one when there is none that can be used. */
  static open(path: string): OwnerIndex {
    return this.#openExisting(path) ?? this.#make(path);
  }

  static #openExisting(path: string): OwnerIndex | undefined {
    let db: DatabaseSync | undefined;
    try {
      db = openFile(path);
      const progress = readProgress(db);
      if (progress?.isSound === true) return new OwnerIndex(db, progress);
    } catch {
      // Damaged, or something else: it is made anew.
    }
    db?.close();
    return undefined;
  }

  static #make(path: string): OwnerIndex {
    removeIndex(path);
    const db = openFile(path);
    try {
      db.exec(`BEGIN; ${TABLES} COMMIT`);
      return new OwnerIndex(db, { height: 0, head: '', isComplete: false, isSound: true, behind: '' });
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** How far it was when it was opened. */
  get progress(): IndexProgress {
    return this.#progress;
  }

  /**
   * Takes changes in, and notes how far it is then.
   * @param behind - id up to which assets were taken in; undefined when all were
   * @param isAnew - whether it forgets first all that it holds
   */
  write(
    changes: Iterable<OwnerChange>,
    { height, currentHash }: Pick<ChainHead, 'height' | 'currentHash'>,
    behind: string | undefined,
    isAnew = false,
  ): void {
    this.#inTransaction(() => {
      if (isAnew) this.#db.exec('DELETE FROM places');
      for (const { id, from, to } of changes) {
        if (from === to) continue;
        if (from !== undefined) this.#delete.run(placeOf(from, id));
        if (to !== undefined) this.#insert.run(placeOf(to, id));
      }
      this.#advance.run(height, currentHash, behind ?? null, BOOT);
    });
  }

  /**
   * Takes in the assets of a store that stand behind an id, and notes how far it is then.
   * @param behind - id up to which assets were taken in; empty when none were
   * @param limit - most that are taken in
   * @returns the same for the next ones; undefined when all are in
   */
  takeIn(reader: StoreReader, head: ChainHead, behind: string, limit: number): string | undefined {
    const found = reader.behind(behind, limit);
    const next = found.length < limit ? undefined : found.at(-1)?.key;
    const changes = found.map(({ key, value }) => ({ id: key, from: undefined, to: ownerOf(value) }));
    this.write(changes, head, next);
    return next;
  }

  /** Closes it, and says so in it when it is on the disk. */
  close(): void {
    try {
      this.#db.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)');
      this.#db.exec(`UPDATE progress SET boot = ''`);
    } finally {
      this.#db.close();
    }
  }

  #inTransaction(work: () => void): void {
    this.#db.exec('BEGIN');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

function openFile(path: string): DatabaseSync {
  makeOwnFile(path);
  // A verification that reads it meanwhile holds it for a moment when it opens and closes it.
  const db = new DatabaseSync(path, { timeout: 1000 });
  // Not made durable: it follows from what is. Without that no write of the ledger waits for it.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -2048');
  return db;
}

/** Takes an index away. */
export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}
