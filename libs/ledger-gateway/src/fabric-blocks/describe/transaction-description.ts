/** A value that JSON can carry as it is. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A decoded message: text as text, bytes that are no text as base64, certificates as PEM. */
export type JsonObject = Readonly<Record<string, JsonValue>>;

/** What a function answered when it was endorsed. */
export interface TransactionResponse {
  readonly status: number;
  readonly message: string;
  /** Text as is; bytes that are no UTF-8 as base64. */
  readonly payload: string;
}

/**
 * What an envelope tells of its transaction. A configuration transaction has no creator, endorsers, chaincode, function
 * or arguments: those are empty, and the response is status 0 without message or payload.
 */
export interface TransactionDescription {
  readonly transactionId: string;
  /** Hexadecimal. */
  readonly blockHash: string;
  readonly blockNumber: number;
  readonly chaincodeId: string;
  readonly channelId: string;
  /** Common name of the certificate that signed the transaction. */
  readonly creatorId: string;
  readonly creatorMspId: string;
  /** Common names of the certificates that endorsed it, in the order of the envelope. */
  readonly endorsers: readonly string[];
  readonly function: string;
  /** Text as is; bytes that are no UTF-8 as base64. */
  readonly arguments: readonly string[];
  /** ISO 8601 in UTC, as the submitter claims it. */
  readonly timestamp: string;
  /** Fabric's own name, such as `VALID` or `MVCC_READ_CONFLICT`; a code that has none is `UNKNOWN_<number>`. */
  readonly validationCode: string;
  readonly response: TransactionResponse;
  /** The whole envelope, decoded, with read and write sets and full certificates. */
  readonly rawTransaction: JsonObject;
}
