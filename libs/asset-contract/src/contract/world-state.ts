/** A value, or the promise of it: an embedded state answers at once, a peer's over the network. */
export type MaybePromise<T> = T | Promise<T>;

/** One key of the state with its value. */
export interface StateEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** One committed change of a key. */
export interface HistoryEntry {
  readonly transactionId: string;
  /** ISO 8601, as the submitter claimed it. */
  readonly timestamp: string;
  /** What was written; undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
}

/** What the contract needs of a ledger: reads and writes of one transaction. */
export interface WorldState {
  /** The committed value of the key, or undefined when there is none. */
  getState(key: string): MaybePromise<Uint8Array | undefined>;
  putState(key: string, value: Uint8Array): MaybePromise<void>;
  deleteState(key: string): MaybePromise<void>;
  /**
   * At most `limit` entries with `start` ≤ key < `end`, in byte order of the keys' UTF-8; an empty `start` or `end` is
   * no bound. Fewer than `limit` entries mean that the range holds no more.
   */
  getStateRange(start: string, end: string, limit: number): MaybePromise<readonly StateEntry[]>;
  /** Every committed change of the key, newest first; empty when the key was never written. */
  getHistory(key: string): MaybePromise<readonly HistoryEntry[]>;
}

/** The transaction that a call belongs to. */
export interface TransactionContext {
  readonly transactionId: string;
  /** ISO 8601, as the submitter claimed it; the same on every peer. */
  readonly timestamp: string;
}
