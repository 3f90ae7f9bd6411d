import type { DatabaseSync } from 'node:sqlite';

declare const isOpen: unique symbol;

/**
 * A connection that only reads a store or an index. SQLite refuses its writes, and what writes does not accept this type: it needs
 * the whole connection, which only the writer of a file opens.
 */
export type ReadingConnection = Pick<DatabaseSync, 'close' | 'exec' | 'isOpen' | 'isTransaction' | 'prepare'>;

/**
 * A connection with an open transaction. What must not be written in parts asks for it, and only {@link beginTransaction} and
 * {@link inTransaction} return it.
 */
export type Transaction = DatabaseSync & { readonly [isOpen]: true };

/** Begins a transaction that writes. */
export function beginTransaction(db: DatabaseSync): Transaction {
  db.exec('BEGIN IMMEDIATE');
  return db as Transaction;
}

/** Rolls a transaction back that failed. After a full disk SQLite has done so itself, and another ROLLBACK would hide the cause. */
export function rollBack(db: DatabaseSync): void {
  if (db.isTransaction) db.exec('ROLLBACK');
}

/**
 * Writes in one transaction, which is committed when this returns. After an error the file has nothing of it; what the caller
 * remembers of it must be dropped.
 * @throws what `write` throws, and SQLite's error of the commit
 */
export function inTransaction<T>(db: DatabaseSync, write: (transaction: Transaction) => T): T {
  const transaction = beginTransaction(db);
  try {
    const result = write(transaction);
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}
