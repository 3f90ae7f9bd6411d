import { closeSync, openSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const [BUSY, LOCKED, CORRUPT, NOTADB] = [5, 6, 11, 26] as const;

/**
 * A lock between processes: an exclusive lock on an empty SQLite file. The kernel releases it when the process ends for
 * whatever reason, so there are no stale locks.
 */
export class FileLock {
  readonly #file: DatabaseSync;

  private constructor(path: string) {
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
   * Acquires the lock, or returns undefined if another process holds it. Truncates a file that is not a database.
   * @throws the system's or SQLite's error when the file cannot be created or used
   */
  static acquire(path: string): FileLock | undefined {
    closeSync(openSync(path, 'a', 0o600));
    try {
      return new FileLock(path);
    } catch (error) {
      if (has(error, BUSY, LOCKED)) return undefined;
      if (!has(error, CORRUPT, NOTADB)) throw error;
    }
    // SQLite could read the file, so no process held the lock. A process that acquired it since does not need the content.
    truncateSync(path, 0);
    return FileLock.acquire(path);
  }

  release(): void {
    this.#file.close();
  }
}

function has(error: unknown, ...codes: readonly number[]): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && codes.includes(errcode & 0xff);
}
