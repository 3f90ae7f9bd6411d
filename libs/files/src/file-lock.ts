import { existsSync, realpathSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './durable-files.js';

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const [BUSY, LOCKED, CORRUPT, NOTADB] = [5, 6, 11, 26] as const;

/**
 * A lock between processes: an exclusive lock on an empty SQLite file. The kernel releases it when the process ends for
 * whatever reason, so there are no stale locks.
 */
export class FileLock {
  /** The paths of the locks that this process holds. */
  static readonly #held = new Set<string>();

  readonly #file: DatabaseSync;
  /** Its path without links. */
  readonly #real: string;

  private constructor(path: string) {
    this.#real = realpathSync(path);
    this.#file = new DatabaseSync(path);
    try {
      // No journal file, since nothing is written.
      this.#file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    } catch (error) {
      this.#file.close();
      throw error;
    }
  }

  /**
   * Acquires the lock, or returns undefined if this or another process holds it. Truncates a file that is not a database.
   * @throws the system's or SQLite's error when the file cannot be created or used
   */
  static acquire(path: string): FileLock | undefined {
    // To close any descriptor of the file would release the lock of this process (POSIX).
    if (FileLock.isHeldHere(path)) return undefined;
    createPrivateFile(path);
    try {
      const lock = new FileLock(path);
      FileLock.#held.add(lock.#real);
      return lock;
    } catch (error) {
      if (has(error, BUSY, LOCKED)) return undefined;
      if (!has(error, CORRUPT, NOTADB)) throw error;
    }
    // SQLite could read the file, so no process held the lock. A process that acquired it since does not need the content.
    truncateSync(path, 0);
    return FileLock.acquire(path);
  }

  /** Returns whether this process holds the lock. */
  static isHeldHere(path: string): boolean {
    return FileLock.#held.size > 0 && existsSync(path) && FileLock.#held.has(realpathSync(path));
  }

  release(): void {
    FileLock.#held.delete(this.#real);
    this.#file.close();
  }
}

function has(error: unknown, ...codes: readonly number[]): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && codes.includes(errcode & 0xff);
}
