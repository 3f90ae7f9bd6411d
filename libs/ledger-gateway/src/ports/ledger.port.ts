import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  Page,
  PageAfter,
  PageBefore,
  TransactionFilter,
  TransactionSummary,
} from './pages.js';

/** A call of one ledger (chaincode) function; arguments are text, as Fabric's clients send them. */
export interface LedgerCall {
  /**
   * The chaincode of the channel that is called as it is. Without it the configured one, with the semantics of the asset
   * contract whichever edition is there.
   */
  readonly chaincode?: string;
  readonly function: string;
  readonly arguments: readonly string[];
}

/**
 * Makes a write one that may be sent again: the same key of the same owner is the same transaction, whoever sends it, however
 * often, from whichever program.
 */
export interface IdempotencyKey {
  /** 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** Whose key it is: each owner has a space of keys of its own. Without one it is that of all who have no name. */
  readonly owner?: string;
  /**
   * Milliseconds since the epoch: what was written under a certificate that ended before is not looked for.
   * Without it that is a week ago.
   */
  readonly since?: number;
}

/** Whose call it is, and its limits; without limits the driver's own timeouts hold. */
export interface CallOptions {
  /**
   * Name of the caller, whose own identity signs: `[a-z0-9][a-z0-9._-]{0,39}`. Without one the service's identity signs.
   * Only what is signed needs it: the embedded ledger answers evaluations without.
   */
  readonly caller?: string;
  /** Nobody waits any more. What has not begun is not begun (`LEDGER.TIMEOUT`); what has begun may go on to its end. */
  readonly signal?: AbortSignal;
  /** Milliseconds since the epoch after which nobody waits any more, with the same effect. */
  readonly deadline?: number;
  /** Makes a write repeatable; evaluations have no need of it. */
  readonly idempotency?: IdempotencyKey;
}

/** A committed, VALID transaction. */
export interface SubmitResult {
  /** 64 hexadecimal characters: SHA-256 of nonce and creator. */
  readonly transactionId: string;
  /** All of them when the driver needed several for the call; else absent. */
  readonly transactionIds?: readonly string[];
  readonly blockNumber: number;
  /** What the function returned (the response payload). */
  readonly result: Uint8Array;
  /** Whether an earlier call with the same key made the transaction. */
  readonly isReplay?: boolean;
}

/** The head of a channel's chain. */
export interface ChainInfo {
  readonly channel: string;
  /** Number of blocks, the configuration block included. */
  readonly height: number;
  /** Hexadecimal hash of the newest block's header. */
  readonly currentBlockHash: string;
  /** Hexadecimal hash of the block before it; empty at height 1. */
  readonly previousBlockHash: string;
}

/** One block as it stands in the chain. */
export interface LedgerBlock {
  readonly number: number;
  /** Hexadecimal SHA-256 of the ASN.1 header. */
  readonly hash: string;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

/** One transaction as it stands in a block, whatever its validation code. */
export interface LedgerTransaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Counted from 0 within its block. */
  readonly position: number;
  /** Hexadecimal hash of the block that holds it. */
  readonly blockHash: string;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
}

/** Whether calls can be expected to work now, and if not, why. */
export type ConnectionState =
  | { readonly status: 'ready' }
  | { readonly status: 'read-only'; readonly reason: string }
  | { readonly status: 'unavailable'; readonly reason: string };

/** What a driver tells of each commit, for metrics. */
export interface CommitObservation {
  readonly blockNumber: number;
  readonly transactions: number;
  /** From the oldest submit in the block to its acknowledgement. */
  readonly seconds: number;
}

/** One channel of a ledger. */
export interface LedgerChannel {
  readonly name: string;
  /**
   * Runs a function as a transaction; resolves only when the transaction is committed as VALID and durable.
   * @throws a refusal of the contract when the contract refuses, `LEDGER.CONFLICT`, `LEDGER.UNAVAILABLE`,
   * `LEDGER.OUTCOME_UNKNOWN`, `LEDGER.TIMEOUT`, `LEDGER.OVERLOADED`, `LEDGER.MISCONFIGURED`,
   * `LEDGER.UNKNOWN_CALLER`, `LEDGER.CALLER_REFUSED`; with a key also `LEDGER.KEY_REUSED`, `LEDGER.KEY_IN_USE`,
   * `LEDGER.INVALID_TRANSACTION`, `LEDGER.OUTCOME_PRUNED`; with a chaincode `LEDGER.CHAINCODE_UNKNOWN`
   */
  submit(call: LedgerCall, options?: CallOptions): Promise<SubmitResult>;
  /** Runs a function on committed state without recording it and gives its response payload. */
  evaluate(call: LedgerCall, options?: CallOptions): Promise<Uint8Array>;
  /**
   * Checks that the ledger accepts a caller's identity now. The result may be up to 10 s old.
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.CALLER_REFUSED`; `LEDGER.UNAVAILABLE` and others when it cannot be checked
   */
  authorize(caller: string): Promise<void>;
  chainInfo(options?: CallOptions): Promise<ChainInfo>;
  /** The block of that number, or undefined when the chain is not that high. */
  blockByNumber(number: number, options?: CallOptions): Promise<LedgerBlock | undefined>;
  /** The transaction of that id, or undefined when no block holds it. */
  transactionById(transactionId: string, options?: CallOptions): Promise<LedgerTransaction | undefined>;
  /** JSON texts of assets in byte order of their ids; the next page begins behind the id that this one names. */
  assets(page: PageAfter & AssetFilter, options?: CallOptions): Promise<Page<string, string>>;
  /** Blocks, newest first. */
  blocks(page: PageBefore<number>, options?: CallOptions): Promise<Page<BlockSummary, number>>;
  /** Transactions of whatever kind and validation code, newest first. */
  transactions(page: PageBefore & TransactionFilter, options?: CallOptions): Promise<Page<TransactionSummary>>;
  /**
   * The changes of an asset, newest first, those of one that was deleted too.
   * @throws a refusal of the contract when there never was an asset of that id, `LEDGER.NOT_SUPPORTED` where the
   * chaincode keeps no history
   */
  assetHistory(id: string, page: PageBefore, options?: CallOptions): Promise<Page<AssetChange>>;
  /**
   * What proves a transaction to whoever has not the ledger: its block, and a peer's signed word on its validation code.
   * @returns a JSON text (docs/receipts.md), or undefined when no block holds the transaction
   * @throws `LEDGER.NOT_SUPPORTED` where nobody is there who could sign
   */
  receipt(transactionId: string, options?: CallOptions): Promise<string | undefined>;
  /** Blocks from `startBlock` on, in order and without gaps: first those recorded, then each new one as it commits. */
  blockEvents(options: { readonly startBlock: number; readonly signal?: AbortSignal }): AsyncIterable<LedgerBlock>;
  /**
   * Serialized identities (`msp.SerializedIdentity`) under which transactions of a caller were made: the one that signs for
   * it now, then those before it that ended after a moment, newest first. A transaction id is the hash of a nonce and one
   * of them, so whoever looks for what an earlier call made looks under each.
   * @param caller - as in {@link CallOptions}; undefined for the service
   * @param endedAfter - milliseconds since the epoch
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.READ_ONLY` where nothing is signed
   */
  creators(caller: string | undefined, endedAfter: number): Promise<readonly Uint8Array[]>;
  /** How many submitted transactions wait for their commit. */
  queueLength(): number;
}

/** A ledger behind one of the drivers. */
export interface Ledger {
  /** The channel of that name; without a name the configured one. */
  channel(name?: string): LedgerChannel;
  connectionState(): Promise<ConnectionState>;
  /** Lets what is under way finish, then frees files and connections. Calls after it are refused. */
  close(): Promise<void>;
}
