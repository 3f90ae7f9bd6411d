import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { recordDigest } from './record-digest.js';

/** What follows from a block: its part of the state, of the index of transactions and of the histories. */
export interface DerivedRecords {
  readonly number: number;
  /** Id of the transaction at each position. */
  readonly transactionIds: readonly Uint8Array[];
  /** Writes of the VALID transactions, in order. */
  readonly writes: readonly StateWrite[];
}

/** One write of one key. */
export interface StateWrite {
  readonly position: number;
  readonly key: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
  /** Number of the history entry of the write before this one, 0 when the key is new. */
  readonly previous: number;
  /** Number of this write's history entry. */
  readonly entry: number;
}

/** Writes the tables that follow from the blocks. The caller opens and commits the transaction. */
export class DerivedWriter {
  readonly #state: StatementSync;
  readonly #transaction: StatementSync;
  readonly #entry: StatementSync;

  constructor(db: DatabaseSync) {
    this.#state = db.prepare('INSERT OR REPLACE INTO state VALUES (?, ?, ?, ?, ?, ?)');
    // Of two transactions with one id, which a chain may hold (DUPLICATE_TXID), the first is the one looked up.
    this.#transaction = db.prepare('INSERT OR IGNORE INTO transactions VALUES (?, ?, ?, ?)');
    this.#entry = db.prepare('INSERT INTO history VALUES (?, ?, ?, ?, ?)');
  }

  write({ number, transactionIds, writes }: DerivedRecords): void {
    transactionIds.forEach((id, position) => {
      this.writeTransaction(id, number, position);
    });
    this.writeState(number, writes);
  }

  /** Says where a transaction stands; false when one with its id stands elsewhere, which stays. */
  writeTransaction(id: Uint8Array, number: number, position: number): boolean {
    return (
      this.#transaction.run(id, number, position, recordDigest('transaction', [number, position], [id])).changes === 1
    );
  }

  /** Puts the writes of a block into state and histories. */
  writeState(number: number, writes: readonly StateWrite[]): void {
    for (const { position, key, value, previous, entry } of writes) {
      const historyDigest = recordDigest('history', [entry, previous, number, position], [key]);
      this.#entry.run(entry, previous, number, position, historyDigest);
      const stateDigest = recordDigest('state', [number, position, entry], [key, value]);
      this.#state.run(key, value, number, position, entry, stateDigest);
    }
  }
}
