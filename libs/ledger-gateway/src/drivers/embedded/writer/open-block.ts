import type { ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StateWrite } from '../store/derive-records.js';
import type { WriteRequest } from './messages.js';
import type { Simulation } from './simulate.js';

/** A transaction that ran and goes into a block. */
export interface SimulatedTransaction {
  readonly request: WriteRequest;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly readWriteSet: ReadWriteSet;
  /** The response payload. */
  readonly payload: Uint8Array;
}

/** Transactions whose envelopes are there, as they go into a block. */
export interface SealedBlock {
  readonly number: number;
  readonly transactions: readonly SimulatedTransaction[];
  readonly envelopes: readonly Uint8Array[];
  readonly writes: readonly StateWrite[];
}

/** Most transactions in one block. */
export const MAX_BLOCK_TRANSACTIONS = 100;

/** So many signed ones are worth a block of their own while others are still being signed. */
const WORTH_A_BLOCK = 24;

/** A transaction that was run, with the places of its writes in the histories, on its way to its block. */
export interface StagedTransaction extends SimulatedTransaction {
  /** Their `position` is known when the block is sealed. */
  readonly writes: readonly PlacedWrite[];
  /** Undefined until it is signed. */
  envelope: Uint8Array | undefined;
}

type PlacedWrite = { -readonly [K in keyof StateWrite]: StateWrite[K] };

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
   * @param firstEntry - the number of its first write's history entry; those of the others follow
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

  /** Takes out those from the front that are signed: all, or so many that they are worth a block; else gives undefined. */
  seal(number: number): SealedBlock | undefined {
    const envelopes: Uint8Array[] = [];
    for (const { envelope } of this.#staged) {
      if (envelope === undefined) break;
      envelopes.push(envelope);
    }
    const isAll = envelopes.length === this.#staged.length;
    if (envelopes.length === 0 || (!isAll && envelopes.length < WORTH_A_BLOCK)) return undefined;
    const transactions = isAll ? this.#staged : this.#staged.slice(0, envelopes.length);
    this.#staged = isAll ? [] : this.#staged.slice(envelopes.length);
    return { number, transactions, envelopes, writes: this.#takeWrites(transactions) };
  }

  #takeWrites(transactions: readonly StagedTransaction[]): StateWrite[] {
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

  /** Takes out all. */
  clear(): readonly SimulatedTransaction[] {
    this.#newest.clear();
    return this.#staged.splice(0);
  }
}
