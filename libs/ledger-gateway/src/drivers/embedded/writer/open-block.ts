import type { ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StateWrite } from '../store/derived-tables.js';
import type { WriteRequest } from './messages.js';
import type { Simulation } from './simulate.js';

/** A simulated transaction, to be written in a block. */
export interface SimulatedTransaction {
  readonly request: WriteRequest;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly readWriteSet: ReadWriteSet;
  /** The response payload. */
  readonly payload: Uint8Array;
}

/** Signed transactions that become a block. */
export interface SealedBlock {
  readonly number: number;
  readonly transactions: readonly SimulatedTransaction[];
  readonly envelopes: readonly Uint8Array[];
  readonly writes: readonly StateWrite[];
}

/** Most transactions in one block. */
export const MAX_BLOCK_TRANSACTIONS = 100;

/** Fewest signed transactions that become a block while others are still being signed. */
const EARLY_BLOCK_TRANSACTIONS = 24;

/** A simulated transaction in the open block, with the history entries of its writes. */
export interface StagedTransaction extends SimulatedTransaction {
  /** Their `position` is set when the block is sealed. */
  readonly writes: readonly PlacedWrite[];
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

type PlacedWrite = { -readonly [K in keyof StateWrite]: StateWrite[K] };

/** The block that is being assembled: simulated transactions in order, of which the signed ones at the front become a block. */
export class OpenBlock {
  #staged: StagedTransaction[] = [];
  /** The newest history entry of each key that the open block writes. */
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
   * Adds a transaction.
   * @param firstEntry - number of the history entry of its first write; the other writes have the following numbers
   */
  place(
    { request, timestamp, readWriteSet, payload, entryOf }: SimulatedTransaction & Pick<Simulation, 'entryOf'>,
    firstEntry: number,
  ): StagedTransaction {
    const writes: PlacedWrite[] = [];
    for (const { key, value = null } of readWriteSet.writes) {
      const entry = firstEntry + writes.length;
      writes.push({ position: 0, key, value, previous: this.#newest.get(key) ?? entryOf(key), entry });
      this.#newest.set(key, entry);
    }
    const staged = { request, timestamp, readWriteSet, payload, writes, envelope: undefined };
    this.#staged.push(staged);
    return staged;
  }

  /** Removes the signed transactions at the front, or returns undefined if they are not all signed and too few. */
  seal(number: number): SealedBlock | undefined {
    const envelopes: Uint8Array[] = [];
    for (const { envelope } of this.#staged) {
      if (envelope === undefined) break;
      envelopes.push(envelope);
    }
    const isAll = envelopes.length === this.#staged.length;
    if (envelopes.length === 0 || (!isAll && envelopes.length < EARLY_BLOCK_TRANSACTIONS)) return undefined;
    const transactions = isAll ? this.#staged : this.#staged.slice(0, envelopes.length);
    this.#staged = isAll ? [] : this.#staged.slice(envelopes.length);
    return { number, transactions, envelopes, writes: this.#removeWrites(transactions) };
  }

  #removeWrites(transactions: readonly StagedTransaction[]): StateWrite[] {
    const all: StateWrite[] = [];
    for (const [position, { writes }] of transactions.entries()) {
      for (const write of writes) {
        write.position = position;
        all.push(write);
        if (this.#newest.get(write.key) === write.entry) this.#newest.delete(write.key);
      }
    }
    return all;
  }

  /** Removes all transactions. */
  clear(): readonly SimulatedTransaction[] {
    this.#newest.clear();
    return this.#staged.splice(0);
  }
}
