import type { ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StateWrite } from '../store/derived-tables.js';
import type { Simulation } from './simulate.js';

/** A write to execute. */
export interface WriteRequest {
  readonly function: string;
  readonly arguments: readonly string[];
  /** Number of the identity that signs; `SERVICE_SIGNER` for calls without a caller. */
  readonly signer: number;
  /** Hexadecimal, of 24 random bytes or of the 32 of a keyed write: strings are cheaper to clone than small buffers. */
  readonly nonce: string;
  /** Hexadecimal SHA-256 of nonce and creator. */
  readonly transactionId: string;
}

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
  /** Their positions follow when the block is sealed. */
  readonly writes: readonly Omit<StateWrite, 'position'>[];
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

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
    { entryOf, ...simulated }: SimulatedTransaction & Pick<Simulation, 'entryOf'>,
    firstEntry: number,
  ): StagedTransaction {
    const writes = simulated.readWriteSet.writes.map(({ key, value = null }, index) => {
      const entry = firstEntry + index;
      const previous = this.#newest.get(key) ?? entryOf(key);
      this.#newest.set(key, entry);
      return { key, value, previous, entry };
    });
    const staged = { ...simulated, writes, envelope: undefined };
    this.#staged.push(staged);
    return staged;
  }

  /** Removes the signed transactions at the front, or returns undefined if they are not all signed and too few. */
  seal(number: number): SealedBlock | undefined {
    const unsigned = this.#staged.findIndex(({ envelope }) => envelope === undefined);
    const count = unsigned < 0 ? this.#staged.length : unsigned;
    const least = unsigned < 0 ? 1 : EARLY_BLOCK_TRANSACTIONS;
    if (count < least) return undefined;
    const transactions = this.#staged.splice(0, count);
    const envelopes = transactions.flatMap(({ envelope }) => envelope ?? []);
    const writes = transactions.flatMap((transaction, position) =>
      transaction.writes.map((write) => ({ position, ...write })),
    );
    for (const { key, entry } of writes) if (this.#newest.get(key) === entry) this.#newest.delete(key);
    return { number, transactions, envelopes, writes };
  }

  /** Removes all transactions. */
  clear(): readonly SimulatedTransaction[] {
    this.#newest.clear();
    return this.#staged.splice(0);
  }
}
