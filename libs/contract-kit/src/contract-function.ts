/** One function of the contract. */
export interface ContractFunction {
  readonly name: string;
  /** Names of the arguments in their order; a call must have as many. */
  readonly parameters: readonly string[];
  /** Whether it only reads: such a call is evaluated and not recorded. */
  readonly isQuery: boolean;
  /** Whether it reads lists, of which even a page takes long for a program that serves other calls meanwhile. */
  readonly isLong: boolean;
  /** Whether it accepts transient data, which are not recorded. */
  readonly acceptsTransient?: boolean;
}

/** The facts of a transaction that its functions may use; every peer that executes it sees the same. */
export interface TransactionFacts {
  /** 64 hexadecimal characters. */
  readonly transactionId: string;
  /** ISO 8601 in UTC with milliseconds, as claimed by the submitter. */
  readonly timestamp: string;
  /** Data of the call that are not recorded, by their names. */
  readonly transient?: ReadonlyMap<string, Uint8Array> | undefined;
}

/** The arguments of a function with these parameters: as many texts. */
export type Arguments<P extends readonly string[]> = { readonly [K in keyof P]: string };

/** The committed value of a key; undefined when there is none. */
export type StoredValue = Uint8Array | undefined;

/** A write of a key; undefined deletes it. */
export interface Write {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/** A key of a private collection. */
export interface PrivateKey {
  readonly collection: string;
  readonly key: string;
}

/** A write of a private value, of which the transaction contains hashes only; undefined deletes it. */
export interface PrivateWrite extends PrivateKey {
  readonly value: Uint8Array | undefined;
  /** Whether a deletion also erases all earlier values of the key. */
  readonly isPurge?: boolean;
}

/** An event that a transaction announces to its readers. */
export interface ContractEvent {
  readonly name: string;
  readonly payload: Uint8Array;
}

/** The effects of a call. */
export interface Decision {
  /** In order; no key twice. */
  readonly writes: readonly Write[];
  readonly privateWrites?: readonly PrivateWrite[];
  /** The response payload. */
  readonly payload: Uint8Array;
  /** Fabric allows one event in a transaction. */
  readonly event?: ContractEvent;
}

/**
 * A function that decides from the values of a few keys, which its arguments name. It does not access the state: its caller
 * fetches the values and executes the writes.
 */
export interface Rule<A> {
  /**
   * The keys that it reads, in order.
   * @throws `ContractError` for arguments that are refused whatever is stored
   */
  reads(args: A): readonly string[];
  /**
   * @param stored - the values of those keys, in their order
   * @throws `ContractError` when the call is refused
   */
  decide(args: A, stored: readonly StoredValue[]): Decision;
}

/** A call that decides from the values of the keys in `reads`, in their order. */
export interface DecidingCall {
  readonly reads: readonly string[];
  /** Private values that a query reads; a function that writes cannot read them. */
  readonly privateReads?: readonly PrivateKey[];
  /** A key whose committed changes it reads. */
  readonly historyOf?: string;
  /**
   * @param privately - the values of `privateReads`, in their order; undefined also for one that is not stored here
   * @param changes - those of `historyOf`, newest first
   * @throws `ContractError`
   */
  decide(
    stored: readonly StoredValue[],
    privately?: readonly StoredValue[],
    changes?: readonly HistoryEntry[],
  ): Decision;
}

/** One key of the state with its value. */
export interface StateEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** One committed change of a key. */
export interface HistoryEntry {
  readonly transactionId: string;
  /** ISO 8601, by the submitter's clock. */
  readonly timestamp: string;
  /** Undefined when the key was deleted. */
  readonly value: StoredValue;
}

/**
 * At most `limit` entries with `start` ≤ key < `end`, in byte order of the keys' UTF-8; an empty `start` or `end` is no
 * bound. Fewer than `limit` entries mean that the range holds no more.
 */
export interface RangeQuery {
  readonly start: string;
  readonly end: string;
  readonly limit: number;
}

/** The committed changes of a key, newest first. */
export interface HistoryQuery {
  readonly historyOf: string;
  /** Receives the changes one by one; no more are read after it returns false. */
  readonly add: (change: HistoryEntry) => boolean;
}

/**
 * A call that reads lists: it yields its queries one by one, receives the entries of its ranges, and returns its payload. It
 * writes nothing.
 */
export type Evaluation = Generator<RangeQuery | HistoryQuery, Uint8Array, readonly StateEntry[]>;
