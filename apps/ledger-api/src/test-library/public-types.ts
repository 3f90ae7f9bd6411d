// The types of the library `ledger-api/testing`. They import nothing, because the package contains them without the sources
// (src/package.mjs).

/** Options of `startLedger`. Calls with equal options share one process. */
export interface LedgerOptions {
  /** The chaincodes by their names: each a folder, or an address such as `grpc://127.0.0.1:9999`. */
  readonly chaincodes?: Readonly<Record<string, string>>;
  /** Callers by their names, with the attributes of their certificates, for {@link TestLedger.as}. */
  readonly callers?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Variables of the process in addition to those of this one, such as `LEDGER_CHAINCODE_CHECK_DETERMINISM`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** The answer to a call. */
export interface CallResult {
  /** The value of the payload if it is JSON, else its text, or base64 for bytes that are not UTF-8. */
  readonly result: unknown;
  readonly payload: string;
}

/** A recorded call. */
export interface RecordedCall extends CallResult {
  readonly transactionId: string;
  readonly blockNumber: number;
}

/** A refused or failed call: the error that it throws. */
export interface CallError extends Error {
  /** The stable code, such as `API.CHAINCODE_REFUSED`. */
  readonly code: string;
  /** The status of HTTP. */
  readonly status: number;
  /** The status with which the chaincode refused. */
  readonly chaincodeStatus: number | undefined;
}

/** A ledger for one test, which begins with an empty chain. */
export interface TestLedger {
  /** The URL of its API, which any client can use with {@link key}. */
  readonly url: string;
  /** The API key of its caller, sent as X-API-Key. */
  readonly key: string;
  /**
   * Records a call as a transaction.
   * @param args - any JSON values; bigint keeps its digits, bytes are sent as bytes
   * @throws a {@link CallError}; a TypeError for a value that is not JSON, such as undefined or NaN
   */
  submit(chaincode: string, functionName: string, ...args: readonly unknown[]): Promise<RecordedCall>;
  /** Evaluates a call without recording it. @throws a {@link CallError} */
  evaluate(chaincode: string, functionName: string, ...args: readonly unknown[]): Promise<CallResult>;
  /** Requests a path of the API below {@link url}, such as `/blocks/1`, with the key. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Returns this ledger for another of {@link LedgerOptions.callers}. */
  as(caller: string): TestLedger;
  /**
   * Returns this ledger with transient data for each of its calls, which are in no block: bytes and texts as they are, other
   * values as JSON.
   */
  withTransient(values: Readonly<Record<string, unknown>>): TestLedger;
  /** Closes the ledger and removes its data. A second call has no effect. */
  close(): Promise<void>;
}
