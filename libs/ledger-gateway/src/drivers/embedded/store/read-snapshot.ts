import type { DatabaseSync } from 'node:sqlite';
import { storeFailure } from './store-failure.js';

/**
 * One read transaction for all that is read in one turn of the event loop: every call sees one moment, and the locks of
 * a transaction are paid once. It ends with the turn, so it never keeps the writer from reusing its log.
 */
export class ReadSnapshot {
  readonly #db: DatabaseSync;
  #end: NodeJS.Immediate | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Makes sure that a snapshot is open. */
  begin(): void {
    if (this.#end !== undefined) return;
    try {
      this.#db.exec('BEGIN');
    } catch (error) {
      throw storeFailure(error, 'the store');
    }
    this.#end = setImmediate(() => {
      this.end();
    });
  }

  /** What is read from here on is new again. */
  end(): void {
    if (this.#end === undefined) return;
    clearImmediate(this.#end);
    this.#end = undefined;
    // After some failures SQLite has ended the transaction by itself.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
  }
}
