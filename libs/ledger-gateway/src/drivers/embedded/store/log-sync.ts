import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

/**
 * Makes what was committed durable. The writing connection leaves that to it (`synchronous = NORMAL`): SQLite then writes a
 * commit into its write-ahead log without waiting for the disk, and a recovery takes whole commits from the log's beginning,
 * never one without those before it (https://www.sqlite.org/wal.html). One fsync of the log so covers all that stands in it.
 */
export class LogSync {
  readonly #file: number;

  /** @param storePath - of a store that is open: its log is there then, until the last connection closes */
  constructor(storePath: string) {
    // Windows syncs only what is open for writing.
    this.#file = openSync(`${storePath}-wal`, 'r+');
  }

  /** Waits for the disk on this thread. */
  syncNow(): void {
    fdatasyncSync(this.#file);
  }

  /** Waits for the disk beside this thread. */
  sync(done: (error: NodeJS.ErrnoException | null) => void): void {
    fdatasync(this.#file, done);
  }

  close(): void {
    closeSync(this.#file);
  }
}
