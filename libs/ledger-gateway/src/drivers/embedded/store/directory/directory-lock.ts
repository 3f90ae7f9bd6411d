import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { MisconfiguredError } from '../../../../errors/ledger.errors.js';
import { makeOwnFile } from '../open-store.js';
import { isBusy, isDamage, storeFailure } from '../store-failure.js';

/**
 * One process a data directory: an exclusive lock on a tiny SQLite file. The kernel frees it with the process, however
 * that ends, so no stale lock can stay behind.
 */
export class DirectoryLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /**
   * Takes the lock. Whatever stands in its file is taken out when nobody holds it: no ledger writes anything there.
   * @throws {@link MisconfiguredError} when somebody holds it
   */
  static take(lockFile: string, directory: string): DirectoryLock {
    makeOwnFile(lockFile);
    try {
      return new DirectoryLock(lock(lockFile));
    } catch (error) {
      if (!isBusy(error)) throw storeFailure(error, lockFile);
      throw new MisconfiguredError(
        `Another process uses the data directory ${directory}: stop it first, or name another data directory.`,
        { cause: error },
      );
    }
  }

  release(): void {
    this.#file.close();
  }
}

/** @throws SQLite's error */
function lock(path: string): DatabaseSync {
  try {
    return lockExclusively(path);
  } catch (error) {
    // SQLite has looked into the file, so nobody held it then; whoever took it meanwhile keeps it, and has no use for content.
    if (!isDamage(error)) throw error;
    truncateSync(path, 0);
    return lockExclusively(path);
  }
}

function lockExclusively(path: string): DatabaseSync {
  const file = new DatabaseSync(path);
  try {
    // No journal beside it: nothing is ever written, the lock alone matters.
    file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
