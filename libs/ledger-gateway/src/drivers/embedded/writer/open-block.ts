import { PendingBlock } from '../simulation/pending-block.js';
import type { StoredState } from '../store/store-reader.js';
import type { StateWrite } from '../store/derived-writer.js';
import type { SimulatedTransaction } from './block-forge.js';

/** Most transactions in one block. */
export const MAX_BLOCK_TRANSACTIONS = 100;

/** A transaction in a block, and its envelope as soon as that is signed. */
export interface PlacedTransaction extends SimulatedTransaction {
  readonly envelope: Promise<Uint8Array>;
}

/** A block that is being gathered, then signed, then written. */
export class OpenBlock {
  readonly pending: PendingBlock;
  readonly transactions: PlacedTransaction[] = [];
  readonly writes: StateWrite[] = [];
  /** Answers that rest on this block: they go out once it is on disk. */
  readonly afterwards: (() => void)[] = [];

  constructor(number: number) {
    this.pending = new PendingBlock(number);
  }

  get number(): number {
    return this.pending.number;
  }

  get isFull(): boolean {
    return this.transactions.length >= MAX_BLOCK_TRANSACTIONS;
  }

  /**
   * Takes a transaction in.
   * @param previousEntry - number of the newest history entry of a key before this block
   * @param nextEntry - gives the next number of a history entry
   */
  place(
    transaction: PlacedTransaction,
    entries: Readonly<{ previous: (key: string) => number; next: () => number }>,
  ): void {
    const position = this.transactions.push(transaction) - 1;
    for (const write of transaction.readWriteSet.writes) {
      const { key, value = null } = write;
      const previous = this.pending.state(key)?.entry ?? entries.previous(key);
      const entry = entries.next();
      const state: StoredState = { key, value, block: this.number, position, entry };
      this.pending.put(state);
      this.writes.push({ position, key, value, previous, entry });
    }
  }
}
