import type { ContractEvent } from '#asset-contract';
import type { ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StateWrite } from '../store/derived-tables.js';

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

/** The result of a simulated call. */
export interface Simulation {
  readonly readWriteSet: ReadWriteSet;
  /** The response payload. */
  readonly payload: Uint8Array;
  readonly event?: ContractEvent | undefined;
}

/** A simulated transaction, to be written in a block. */
export interface SimulatedTransaction extends Simulation {
  readonly request: WriteRequest;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
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

/** A simulated transaction in the open block. */
export interface StagedTransaction extends SimulatedTransaction {
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

/** The block that is being assembled: simulated transactions in order, of which the signed ones at the front become a block. */
export class OpenBlock {
  readonly #staged: StagedTransaction[] = [];
  /** Number of staged writes by key. */
  readonly #written = new Map<string, number>();

  get length(): number {
    return this.#staged.length;
  }

  get isFull(): boolean {
    return this.#staged.length >= MAX_BLOCK_TRANSACTIONS;
  }

  get hasWrites(): boolean {
    return this.#written.size > 0;
  }

  isWritten(key: string): boolean {
    return this.#written.has(key);
  }

  /** Adds a transaction. */
  place(simulated: SimulatedTransaction): StagedTransaction {
    const staged = { ...simulated, envelope: undefined };
    this.#staged.push(staged);
    for (const { key } of simulated.readWriteSet.writes) this.#written.set(key, (this.#written.get(key) ?? 0) + 1);
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
    const writes = transactions.flatMap(({ readWriteSet }, position) =>
      readWriteSet.writes.map(({ key, value = null }) => ({ position, key, value })),
    );
    for (const { key } of writes) {
      const others = (this.#written.get(key) ?? 1) - 1;
      if (others === 0) this.#written.delete(key);
      else this.#written.set(key, others);
    }
    return { number, transactions, envelopes, writes };
  }

  /** Removes all transactions. */
  clear(): readonly SimulatedTransaction[] {
    this.#written.clear();
    return this.#staged.splice(0);
  }
}
