import { closeSync, openSync, truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** SQLite's primary result codes (https://www.sqlite.org/rescode.html). */
const [BUSY, LOCKED, CORRUPT, NOTADB] = [5, 6, 11, 26] as const;

/**
 * A lock between processes: an exclusive one on a tiny SQLite file, in which nothing is ever written. The kernel frees it
 * with the process, however that ends, so no stale lock can stay behind.
 */
export class FileLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /**
   * Takes the lock; undefined when somebody holds it. Whatever stands in its file is taken out when nobody does.
   * @throws the system's or SQLite's error when the file cannot be made or used
   */
  static take(path: string): FileLock | undefined {
    closeSync(openSync(path, 'a', 0o600));
    try {
      return new FileLock(lock(path));
    } catch (error) {
      if (has(error, BUSY, LOCKED)) return undefined;
      throw error;
    }
  }

  release(): void {
    this.#file.close();
  }
}

function lock(path: string): DatabaseSync {
  try {
    return lockExclusively(path);
  } catch (error) {
    // SQLite has looked into the file, so nobody held it then; whoever took it meanwhile keeps it, and has no use for content.
    if (!has(error, CORRUPT, NOTADB)) throw error;
    truncateSync(path, 0);
    return lockExclusively(path);
  }
}

function lockExclusively(path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  try {
    // No journal beside it: the lock alone matters.
    file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

function has(error: unknown, ...codes: readonly number[]): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return typeof errcode === 'number' && codes.includes(errcode & 0xff);
}
