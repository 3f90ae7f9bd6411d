import type { ReadingConnection, Transaction } from '#chain-pages';

/** Reports how far a migration is, now and then. */
export type MigrationProgress = (done: number, total: number, unit: 'keys' | 'blocks') => void;

/** What a migration may use. */
export interface MigrationContext {
  /** Name of the ledger's own chaincode. */
  readonly namespace: string;
  readonly progress: MigrationProgress;
}

/**
 * A change of a store's derived tables to the next format, in a file `NNN-what-it-adds.ts` with the number of the format that
 * the store has afterwards. It can be written as if nothing fails: all migrations of a start are one transaction, which the
 * caller commits with the number of the format, so that a crash or a full disk leaves the old format, complete.
 */
export interface Migration {
  /** Format of the store afterwards; the previous one before. */
  readonly format: number;
  /** Estimates the bytes that it adds to the file. */
  readonly addedBytes: (db: ReadingConnection) => number;
  /** Changes the tables, and awaits the event loop now and then, in which signals are handled. */
  readonly run: (db: Transaction, context: MigrationContext) => Promise<void>;
}
