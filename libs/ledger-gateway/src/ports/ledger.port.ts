import type { LedgerTransaction } from '#fabric-codec';
import type {
  AssetChange,
  AssetFilter,
  BlockSummary,
  FoundRecord,
  LedgerTotals,
  Page,
  PageAfter,
  PageBefore,
  RecordFilter,
  RecordName,
  SearchQuery,
  Suggestion,
  TimeRange,
  TransactionFilter,
  TransactionSummary,
} from './chain-lists.js';

export type { LedgerTransaction } from '#fabric-codec';

/** A logger for messages to an operator; a pino logger fits. */
export interface LedgerLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** An argument of a call: text, which is sent in UTF-8, or bytes. */
export type CallArgument = string | Uint8Array;

/** A call of a ledger (chaincode) function. */
export interface LedgerCall {
  /**
   * A chaincode of the channel, which is called as it is. The default is the configured chaincode, with the semantics of
   * the asset contract whichever edition is installed.
   */
  readonly chaincode?: string;
  readonly function: string;
  readonly arguments: readonly CallArgument[];
  /**
   * Private data for the chaincode, by their names. They are in no block, no log and no error, so a repeatable write is
   * compared without them.
   */
  readonly transient?: ReadonlyMap<string, Uint8Array> | undefined;
  /** The MSP ids of the organizations whose peers execute the call; by default those that the chaincode's policy needs. */
  readonly endorsingOrganizations?: readonly string[] | undefined;
}

/** Options of a call. */
export interface CallOptions {
  /**
   * Name of the caller: `[a-z0-9][a-z0-9._-]{0,39}`. Its own identity signs if the ledger was opened to let callers sign
   * ({@link SigningOptions}). Without a name the service's identity signs.
   */
  readonly caller?: string | undefined;
  /**
   * Makes a write repeatable: 1 to 255 visible ASCII characters. The same key of the same caller is the same transaction,
   * however often it is sent and by whichever process. Calls without a caller share one space of keys.
   */
  readonly idempotencyKey?: string | undefined;
  /** Called when a submit enters a stage; each attempt begins again with the first one. */
  readonly onStage?: ((stage: SubmitStage, transactionId?: string) => void) | undefined;
  /**
   * Called when an orderer has accepted the transaction of a submit, which is then committed or recorded as invalid. A
   * conflict is not retried after that, because the caller has received its id. The embedded ledger, which has no
   * orderer, does not call it: there a submit resolves as soon as it is durable.
   */
  readonly onAccepted?: ((transactionId: string) => void) | undefined;
}

/** Options of every driver on writes. */
export interface WritingOptions {
  /** Refuses every write with `LEDGER.WRITES_DISABLED`. */
  readonly readOnly?: boolean | undefined;
}

/** The stages of a submit. The embedded ledger has no ordering, and endorsement only for chaincodes other than its own contract. */
export type SubmitStage = 'endorsement' | 'ordering' | 'commit';

/** Options of every driver on who signs, and on where earlier copies of a repeatable write are looked up. */
export interface SigningOptions {
  /** Whose identity signs the calls of a named caller; the default is the caller's own. */
  readonly signAs?: 'caller' | 'service' | undefined;
  /**
   * Days for which a write is also looked up under certificates that were replaced since. By default they are always
   * searched.
   */
  readonly idempotencyDays?: number | undefined;
  /**
   * Directory that records which certificates have signed for whom. Without it a Fabric driver forgets replaced
   * certificates at a restart, and the embedded ledger cannot detect that a caller's identity file was lost.
   */
  readonly certificatesDir?: string | undefined;
}

/** A committed, VALID transaction. */
export interface SubmitResult {
  /** 64 hexadecimal characters: SHA-256 of nonce and creator. */
  readonly transactionId: string;
  /** The ids of all transactions if the driver needed several for the call. */
  readonly transactionIds?: readonly string[];
  readonly blockNumber: number;
  /** The response payload of the function. */
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
  /** Hexadecimal hash of the previous block's header; empty at height 1. */
  readonly previousBlockHash: string;
}

/** A block of the chain. */
export interface LedgerBlock {
  readonly number: number;
  /** Hexadecimal SHA-256 of the ASN.1 header. */
  readonly hash: string;
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
}

/** Whether calls can be expected to succeed now, and the reason if not. */
export type ConnectionState =
  | { readonly status: 'ready' }
  | { readonly status: 'read-only'; readonly reason: string }
  | { readonly status: 'unavailable'; readonly reason: string };

/** A commit, reported for metrics. */
export interface CommitObservation {
  readonly blockNumber: number;
  readonly transactions: number;
  /** From the oldest submit in the block to its acknowledgement. */
  readonly seconds: number;
}

/**
 * What lists, searches and counts show of one channel. The embedded ledger reads them from its store; on a Fabric network
 * they are read from the chain index, or from the newest blocks where there is none.
 */
export interface ChainLists {
  /**
   * Returns the JSON text of an asset as it was after a block.
   * @throws `LEDGER.ASSET_NOT_FOUND` when it did not exist then, `LEDGER.INVALID_ARGUMENT` for a block beyond the chain,
   * `LEDGER.NOT_SUPPORTED` when the chaincode records no history, or one that does not reach so far back
   */
  assetAt(id: string, block: number, options?: CallOptions): Promise<string>;
  /** Returns blocks, newest first. */
  blocks(page: PageBefore<number> & TimeRange): Promise<Page<BlockSummary, number>>;
  /** Returns transactions of every kind and validation code, newest first. */
  transactions(page: PageBefore & TransactionFilter): Promise<Page<TransactionSummary>>;
  /**
   * Returns the changes of an asset, deleted or not, newest first.
   * @throws a refusal of the contract when no asset ever had that id, `LEDGER.NOT_SUPPORTED` when the chaincode records no
   * history
   */
  assetHistory(id: string, page: PageBefore & TimeRange, options?: CallOptions): Promise<Page<AssetChange>>;
  /**
   * Suggests what begins with a text. When nothing does, letters match in upper and lower case.
   * @returns grouped by kind, each kind in byte order; fewer kinds where a driver has no index
   */
  search(query: SearchQuery, options?: CallOptions): Promise<readonly Suggestion[]>;
  /** Counts assets and transactions. Absent where the whole chain would have to be read. */
  readonly totals?: () => Promise<LedgerTotals>;
  /**
   * Returns the records of a type that meet conditions on indexed fields, in byte order of their ids. A page's cursor is the last
   * id. Absent where nothing indexes them.
   */
  readonly records?: (page: PageAfter & RecordFilter, options?: CallOptions) => Promise<Page<FoundRecord, string>>;
  /**
   * Returns the stored form of a record as it was after a block. Absent where {@link records} is.
   * @throws `LEDGER.RECORD_NOT_FOUND` when it did not exist then, `LEDGER.INVALID_ARGUMENT` for a block beyond the chain
   */
  readonly recordAt?: (record: RecordName, block: number, options?: CallOptions) => Promise<string>;
}

/** How far the index of a channel is, from which {@link ChainLists} are read. */
export interface IndexState {
  /**
   * `ready`: it has every block. `building`: it follows the chain, which is longer. `reading`: another process writes it.
   * `stopped`: it cannot be written or continued now. Unless it is ready, lists search the newest blocks.
   */
  readonly status: 'ready' | 'building' | 'reading' | 'stopped';
  /** The number after its newest block. */
  readonly blocks: number;
  /** The part of the chain that it has, from 0 to 1. */
  readonly progress: number;
  /** Why it has stopped. */
  readonly reason?: string;
}

/** What not every ledger can do. An absent member is absent from the start, and a program can say so before it is asked. */
export interface LedgerCapabilities {
  /** Returns JSON texts of assets in byte order of their ids. A page's cursor is the last id. */
  readonly assets?: (page: PageAfter & AssetFilter, options?: CallOptions) => Promise<Page<string, string>>;
  /**
   * Returns a receipt, which proves a transaction without access to the ledger: its block, and a peer's attestation of its
   * validation code. Absent when no peer can sign.
   * @returns a JSON text (docs/receipts.md), or undefined when no block contains the transaction
   */
  readonly receipt?: (transactionId: string) => Promise<string | undefined>;
  /**
   * Returns the certificates of an organization's authorities, roots and intermediates, as the channel's present
   * configuration lists them.
   * @returns PEM, or undefined when no organization of the channel has that MSP id
   * @throws `LEDGER.NOT_SUPPORTED` when the peer does not have the block with the configuration
   */
  readonly authorities?: (mspId: string) => Promise<string | undefined>;
  /**
   * Yields the entries of the channel's Merkle tree (docs/proofs.md), one for each block, from `startBlock` on, in order and
   * without gaps, several at a time: those of the recorded blocks, then of each new one.
   */
  readonly treeEntries?: (options: BlockRange) => AsyncIterable<readonly Uint8Array[]>;
  /**
   * Checks that transactions can purge private values. Absent where they always can.
   * @throws `LEDGER.NOT_SUPPORTED` on a channel whose peers may be too old
   */
  readonly requirePurge?: () => Promise<void>;
}

/** The blocks that a reader follows. */
export interface BlockRange {
  readonly startBlock: number;
  readonly signal?: AbortSignal;
}

/**
 * One channel of a ledger. All methods fail with a `LedgerError`; those of a channel other than the default one also with
 * `LEDGER.CHANNEL_UNKNOWN`, when the peer has not joined it.
 */
export interface LedgerChannel extends LedgerCapabilities {
  /** Its name. */
  readonly channel: string;
  readonly lists: ChainLists;
  /**
   * Runs a function as a transaction. Resolves when the transaction is committed as VALID and durable.
   * @throws a refusal of the contract, `LEDGER.CONFLICT`, `LEDGER.UNAVAILABLE`, `LEDGER.OUTCOME_UNKNOWN`,
   * `LEDGER.TIMEOUT`, `LEDGER.OVERLOADED`, `LEDGER.READ_ONLY`, `LEDGER.WRITES_DISABLED`, `LEDGER.MISCONFIGURED`,
   * `LEDGER.UNKNOWN_CALLER`, `LEDGER.CALLER_REFUSED`; with a key also `LEDGER.KEY_REUSED`, `LEDGER.KEY_IN_USE`, `LEDGER.INVALID_TRANSACTION`,
   * `LEDGER.OUTCOME_PRUNED`, `LEDGER.DAMAGED`; with a chaincode also `LEDGER.CHAINCODE_UNKNOWN`
   */
  submit(call: LedgerCall, options?: CallOptions): Promise<SubmitResult>;
  /** Runs a function on committed state without recording it, and returns its response payload. */
  evaluate(call: LedgerCall, options?: CallOptions): Promise<Uint8Array>;
  /**
   * Checks that the ledger accepts a caller's identity now. The result may be up to 10 s old.
   * @throws `LEDGER.UNKNOWN_CALLER`, `LEDGER.CALLER_REFUSED`; `LEDGER.UNAVAILABLE` and others when it cannot be checked
   */
  authorize(caller: string): Promise<void>;
  chainInfo(): Promise<ChainInfo>;
  /** Returns a block by its number, or undefined when the chain is shorter. */
  blockByNumber(number: number): Promise<LedgerBlock | undefined>;
  /** Returns a transaction by its id, or undefined when no block contains it. */
  transactionById(transactionId: string): Promise<LedgerTransaction | undefined>;
  /** Yields blocks from `startBlock` on, in order and without gaps: the recorded ones, then each new one as it commits. */
  blockEvents(options: BlockRange): AsyncIterable<LedgerBlock>;
  /** Returns how far the index of the channel is; undefined when it has none, because its lists need none or it is off. */
  indexState?(): IndexState | undefined;
  /** Returns how many submitted transactions wait for their commit. */
  queueLength(): number;
  connectionState(): Promise<ConnectionState>;
}

/** A ledger, opened by one of the drivers: its default channel, and with it the others of the configuration. */
export interface Ledger extends LedgerChannel {
  /** All channels by their names, the default one first. */
  readonly channels: ReadonlyMap<string, LedgerChannel>;
  /** Waits for in-flight writes, then closes files and connections. Later calls fail with `LEDGER.UNAVAILABLE`. */
  close(): Promise<void>;
}
