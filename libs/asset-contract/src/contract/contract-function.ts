/** One function of the contract, as callers and peers know it. */
export interface ContractFunction {
  readonly name: string;
  /** Names of the arguments in their order; their number is what a call must bring. */
  readonly parameters: readonly string[];
  /** Whether it only reads: such a call is evaluated and not recorded. */
  readonly isQuery: boolean;
  /** Whether it reads lists, of which even a page takes long for a program that serves others meanwhile. */
  readonly isLong: boolean;
}

/** The arguments of a function with these parameters: as many texts. */
export type Arguments<P extends readonly string[]> = { readonly [K in keyof P]: string };

/** The committed value of a key; undefined when there is none. */
export type StoredValue = Uint8Array | undefined;

/** What a call writes under one key; undefined deletes it. */
export interface Write {
  readonly key: string;
  readonly value: Uint8Array | undefined;
}

/** What a call comes to. */
export interface Decision {
  /** In the order in which they are to be made; no key twice. */
  readonly writes: readonly Write[];
  /** The response payload. */
  readonly payload: Uint8Array;
}

/**
 * A function that decides from the values of a few keys, which its arguments name. It touches no state: the caller
 * fetches what it reads and makes what it writes.
 */
export interface Rule<A> {
  /**
   * The keys that it reads, in order.
   * @throws {@link ContractError} for arguments that are refused whatever is stored
   */
  reads(args: A): readonly string[];
  /**
   * @param stored - the values of those keys, in their order
   * @param digest - for rules that compare what is stored with what a caller has read
   * @throws {@link ContractError} when the call is refused
   */
  decide(args: A, stored: readonly StoredValue[], digest: Digest): Decision;
}

/** SHA-256 in base64url, without padding. The contract has no cryptography of its own. */
export type Digest = (bytes: Uint8Array) => string;

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

/** Committed changes of the key, newest first; none when the key was never written. */
export interface HistoryQuery {
  readonly historyOf: string;
  /** The transaction whose change comes first, those that are newer being left out; empty for the newest. */
  readonly from: string;
  /** Most changes that are given. */
  readonly limit: number;
  /** Most changes that are looked at: when `from` is not among them, none is given. */
  readonly reach: number;
}

/** Selects the entries of a query from the changes of its key, which are added from the newest on. */
export class HistoryChoice {
  readonly #query: HistoryQuery;
  readonly #chosen: HistoryEntry[] = [];
  #left: number;
  #isReached: boolean;

  constructor(query: HistoryQuery) {
    this.#query = query;
    this.#left = query.reach;
    this.#isReached = query.from === '';
  }

  get chosen(): readonly HistoryEntry[] {
    return this.#chosen;
  }

  /** Whether another change is of use. */
  get isOpen(): boolean {
    return this.#left > 0 && this.#chosen.length < this.#query.limit;
  }

  add(change: HistoryEntry): void {
    this.#left -= 1;
    this.#isReached ||= change.transactionId === this.#query.from;
    if (this.#isReached) this.#chosen.push(change);
  }
}

export type StateQuery = RangeQuery | HistoryQuery;

/** What a query finds: entries of the kind that it asks for. */
export type Found = readonly StateEntry[] | readonly HistoryEntry[];

/**
 * A call that reads lists: it yields its queries one by one, goes on with what each of them finds, and ends with its
 * payload. It writes nothing.
 */
export type Evaluation = Generator<StateQuery, Uint8Array, Found>;

/** Asks for a range: `const entries = yield* range({ start, end, limit })`. */
export function* range(query: RangeQuery): Generator<RangeQuery, readonly StateEntry[], Found> {
  return (yield query) as readonly StateEntry[];
}

/** Asks for changes of a key: `const changes = yield* changes({ historyOf, from, limit, reach })`. */
export function* changes(query: HistoryQuery): Generator<HistoryQuery, readonly HistoryEntry[], Found> {
  return (yield query) as readonly HistoryEntry[];
}
