import type { StateWrite } from '../store/derived-writer.js';
import type { SealedBlock, SimulatedTransaction } from './block-forge.js';

/** Most transactions in one block. */
export const MAX_BLOCK_TRANSACTIONS = 100;

/** So many signed ones are worth a block of their own while others are still being signed. */
const WORTH_A_BLOCK = 24;

/** A transaction that was run, with its place in the histories, on its way to its block. */
export interface StagedTransaction extends SimulatedTransaction {
  readonly entries: readonly HistoryPlace[];
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

/** Where one write stands in the history of its key. */
interface HistoryPlace {
  /** Number of the entry before it of the same key; 0 when the key is new. */
  readonly previous: number;
  readonly entry: number;
}

/** Transactions that are being gathered and signed. Those that are signed leave it from the front, for a block. */
export class OpenBlock {
  #staged: StagedTransaction[] = [];
  /** The newest history entry of each key that is written here. */
  readonly #newest = new Map<string, number>();

  get length(): number {
    return this.#staged.length;
  }

  get isFull(): boolean {
    return this.#staged.length >= MAX_BLOCK_TRANSACTIONS;
  }

  get hasWrites(): boolean {
    return this.#newest.size > 0;
  }

  isWritten(key: string): boolean {
    return this.#newest.has(key);
  }

  /**
   * Takes a transaction in.
   * @param entries - gives the number of a key's newest history entry in the store, and the next number of an entry
   */
  place(
    transaction: SimulatedTransaction,
    entries: Readonly<{ previous: (key: string) => number; next: () => number }>,
  ): StagedTransaction {
    const places = transaction.readWriteSet.writes.map(({ key }) => {
      const place = { previous: this.#newest.get(key) ?? entries.previous(key), entry: entries.next() };
      this.#newest.set(key, place.entry);
      return place;
    });
    const staged = { ...transaction, entries: places, envelope: undefined };
    this.#staged.push(staged);
    return staged;
  }

  /** Takes out those from the front that are signed: all, or so many that they are worth a block; else gives undefined. */
  seal(number: number): SealedBlock | undefined {
    const unsigned = this.#staged.findIndex(({ envelope }) => envelope === undefined);
    if (unsigned !== -1 && unsigned < WORTH_A_BLOCK) return undefined;
    const transactions = this.#staged.splice(0, unsigned === -1 ? this.#staged.length : unsigned);
    if (transactions.length === 0) return undefined;
    const writes = transactions.flatMap(writesOf);
    for (const { key, entry } of writes) if (this.#newest.get(key) === entry) this.#newest.delete(key);
    const envelopes = transactions.map(({ envelope = new Uint8Array() }) => envelope);
    return { number, transactions, envelopes, writes };
  }

  /** Takes out all. */
  clear(): readonly SimulatedTransaction[] {
    this.#newest.clear();
    return this.#staged.splice(0);
  }
}

function writesOf({ readWriteSet, entries }: StagedTransaction, position: number): StateWrite[] {
  return readWriteSet.writes.map(({ key, value = null }, index) => {
    const { previous = 0, entry = 0 } = entries[index] ?? {};
    return { position, key, value, previous, entry };
  });
}
