import { DatabaseSync } from 'node:sqlite';
import { MisconfiguredError } from '../../../errors/ledger.errors.js';
import { makeOwnFile } from '../store/open-store.js';
import { isBusy, storeFailure } from '../store/store-failure.js';

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
   * Takes the lock.
   * @throws {@link MisconfiguredError} when somebody holds it
   */
  static take(lockFile: string, directory: string): DirectoryLock {
    let file: DatabaseSync | undefined;
    try {
      makeOwnFile(lockFile);
      file = new DatabaseSync(lockFile);
      // No journal beside it: nothing is ever written, the lock alone matters.
      file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      return new DirectoryLock(file);
    } catch (error) {
      file?.close();
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
