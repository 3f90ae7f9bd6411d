/** Where a transaction stands in the chain. */
export interface ChainPosition {
  readonly block: number;
  /** Counted from 0 within its block. */
  readonly position: number;
}

/**
 * A part of a list, by which one gets through all of it while others write: nothing comes twice, and nothing is missing that
 * was there before. The work for one page is bounded, so that one may be short, or empty, and yet not be the last.
 */
export interface Page<T, Cursor = ChainPosition> {
  readonly items: readonly T[];
  /** For the next page; absent behind the last one. */
  readonly next?: Cursor;
}

/** A page of a list, newest first. */
export interface PageBefore<Cursor = ChainPosition> {
  readonly limit: number;
  /** Only what stands before it in the chain; without it, from the newest on. */
  readonly before?: Cursor | undefined;
}

/** Who made a transaction, by the certificate that signed it. */
export interface TransactionCreator {
  /** The certificate's common name; empty where nobody signed, as in a channel's first configuration. */
  readonly creatorId: string;
  readonly creatorMspId: string;
}

/** One committed change of an asset. */
export interface AssetChange extends TransactionCreator {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** ISO 8601 in UTC, as the submitter claims it. */
  readonly timestamp: string;
  readonly isDelete: boolean;
  /** JSON text of the asset as it was written; undefined where it was deleted, or where what was written is no asset. */
  readonly asset: string | undefined;
}

/** A transaction as a list shows it, whatever its kind and validation code. */
export interface TransactionSummary extends TransactionCreator {
  /** Empty where the chain holds bytes that are no transaction. */
  readonly transactionId: string;
  readonly blockNumber: number;
  /** ISO 8601 in UTC, as the submitter claims it. */
  readonly timestamp: string;
  /** Fabric's name of its kind (`common.HeaderType`), such as `ENDORSER_TRANSACTION` or `CONFIG`. */
  readonly type: string;
  /** Empty for what is no call of a chaincode, as the function is then. */
  readonly chaincodeId: string;
  readonly function: string;
  /** For a function of the contract of assets the asset's id; empty where it is longer than 256 bytes. */
  readonly firstArgument: string;
  /** Fabric's name of the code, such as `VALID`. */
  readonly validationCode: string;
}

/** A block as a list shows it. Hashes are hexadecimal. */
export interface BlockSummary {
  readonly number: number;
  readonly hash: string;
  /** Empty in block 0. */
  readonly previousHash: string;
  readonly dataHash: string;
  /** That of its last transaction: blocks have none of their own. */
  readonly timestamp: string;
  /** In the order of the block. */
  readonly transactions: readonly TransactionSummary[];
}

/** Transactions that a list is narrowed down to: those that equal all that is said here. */
export interface TransactionFilter {
  /** See {@link TransactionCreator.creatorId}. */
  readonly creator?: string | undefined;
  readonly function?: string | undefined;
}

/** Assets that a list is narrowed down to: those whose fields equal all that is said here. */
export interface AssetFilter {
  readonly owner?: string | undefined;
  readonly color?: string | undefined;
  readonly size?: string | undefined;
}

/** A page of assets in byte order of their ids. */
export interface PageAfter {
  readonly limit: number;
  /** The id behind which the page begins; without it the first page. */
  readonly after?: string | undefined;
}
