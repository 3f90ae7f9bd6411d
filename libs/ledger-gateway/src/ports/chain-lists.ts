/** The name of a record. */
export interface RecordName {
  readonly type: string;
  readonly id: string;
}

/** A filter for records of a type. */
export interface RecordFilter {
  readonly type: string;
  /** At least one condition; each must hold. Values are compared as texts: a number as JSON writes it. */
  readonly where: readonly { readonly field: string; readonly value: string }[];
}

/** A record that was found. */
export interface FoundRecord {
  readonly id: string;
  /** Its stored form, JSON text. */
  readonly record: string;
}

/** Position of a transaction in the chain. */
export interface ChainPosition {
  readonly block: number;
  /** Index within the block. */
  readonly position: number;
}

/**
 * A page of a list. Walking the pages while others write returns each item that existed at the start exactly once. The work
 * for one page is bounded: a page may be short or empty without being the last.
 */
export interface Page<T, Cursor = ChainPosition> {
  readonly items: readonly T[];
  /** Cursor of the next page; absent on the last one. */
  readonly next?: Cursor;
}

/** A request for a page, newest first. */
export interface PageBefore<Cursor = ChainPosition> {
  readonly limit: number;
  /** Returns only items before this one in the chain; the default is the newest. */
  readonly before?: Cursor | undefined;
}

/** A request for a page of assets in byte order of their ids. */
export interface PageAfter {
  readonly limit: number;
  /** The id after which the page begins; the default is the first page. */
  readonly after?: string | undefined;
}

/** The creator of a transaction, from the certificate that signed it. */
export interface TransactionCreator {
  /** The certificate's common name; empty for an unsigned transaction, such as a channel's first configuration. */
  readonly creatorId: string;
  readonly creatorMspId: string;
}

/** One committed change of an asset. */
export interface AssetChange extends TransactionCreator {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** ISO 8601 in UTC, as claimed by the submitter. */
  readonly timestamp: string;
  readonly isDelete: boolean;
  /** JSON text of the asset that was written; undefined for a deletion, or if the written value is not an asset. */
  readonly asset: string | undefined;
}

/** A transaction in a list, whatever its kind and validation code. */
export interface TransactionSummary extends TransactionCreator {
  /** Empty if the chain contains bytes that are not a transaction. */
  readonly transactionId: string;
  readonly blockNumber: number;
  /** ISO 8601 in UTC, as claimed by the submitter. */
  readonly timestamp: string;
  /** Fabric's name of its kind (`common.HeaderType`), such as `ENDORSER_TRANSACTION` or `CONFIG`. */
  readonly type: string;
  /** Empty if the transaction is not a chaincode call, like the function. */
  readonly chaincodeId: string;
  readonly function: string;
  /** For a function of the asset contract the asset's id; empty if it is longer than 256 bytes. */
  readonly firstArgument: string;
  /** Of a call of CreateAssets that created some. */
  readonly createdAssets?: CreatedAssets;
  /** Fabric's name of the code, such as `VALID`. */
  readonly validationCode: string;
}

/** Assets that one transaction created, named by the first and the last one in the order of its argument. */
export interface CreatedAssets {
  readonly count: number;
  readonly first: string;
  readonly last: string;
}

/** A block in a list. Hashes are hexadecimal. */
export interface BlockSummary {
  readonly number: number;
  readonly hash: string;
  /** Empty in block 0. */
  readonly previousHash: string;
  readonly dataHash: string;
  /** The timestamp of its last transaction: blocks have no timestamp. */
  readonly timestamp: string;
  /** In the order of the block. */
  readonly transactions: readonly TransactionSummary[];
}

/** A filter by timestamp, in the form of timestamps: ISO 8601 in UTC. Without a timestamp an item is in no range. */
export interface TimeRange {
  /** The first timestamp in the range. */
  readonly since?: string | undefined;
  /** The first timestamp after the range. */
  readonly until?: string | undefined;
}

/** A filter for transactions, which must satisfy every given condition. */
export interface TransactionFilter extends TimeRange {
  /** See {@link TransactionCreator.creatorId}. */
  readonly creator?: string | undefined;
  readonly function?: string | undefined;
  /** The first characters of the id, in lower case. */
  readonly prefix?: string | undefined;
}

/** A request for suggestions. */
export interface SearchQuery {
  /** Not empty. */
  readonly text: string;
  /** The maximum number of suggestions. */
  readonly limit: number;
}

/** The kinds of suggestions. A caller is the creator of a transaction, and a block's value is its number. */
export type SuggestionKind = 'block' | 'transaction' | 'asset' | 'owner' | 'caller' | 'function';

/** A value that a search found. */
export interface Suggestion {
  readonly kind: SuggestionKind;
  readonly value: string;
  /** The hash of a block that was found by it, hexadecimal. */
  readonly hash?: string;
}

/** Counts of a ledger. */
export interface LedgerTotals {
  readonly assets: number;
  /** Of every kind and validation code. */
  readonly transactions: number;
  /** The last 48 hours that have transactions, in order, by the timestamps of the transactions. */
  readonly hours: readonly HourCount[];
}

/** The number of transactions in an hour. */
export interface HourCount {
  /** Its beginning, ISO 8601 in UTC. */
  readonly hour: string;
  readonly transactions: number;
}

/** A filter for assets, whose fields must equal every given value. */
export interface AssetFilter {
  /** The beginning of the id, compared byte by byte. */
  readonly prefix?: string | undefined;
  readonly owner?: string | undefined;
  readonly color?: string | undefined;
  readonly size?: string | undefined;
}
