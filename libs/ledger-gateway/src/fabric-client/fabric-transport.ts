import type { IdempotencyKey } from '../idempotency/attempt-ids.js';
import type { LedgerCall } from '../ports/ledger.port.js';
import type { TimeLimit } from './waiting.js';

/** How a call is made: who signs it, how long its caller waits, and its idempotency key. */
export interface FabricCallOptions extends TimeLimit {
  /** Name of the caller whose identity signs; without it the service's does. */
  readonly caller?: string | undefined;
  readonly idempotency?: IdempotencyKey | undefined;
}

/** A call of one chaincode on one channel. */
export interface FabricCall extends LedgerCall {
  readonly channel: string;
  readonly chaincode: string;
}

/** The id of a transaction that is given to it. */
export interface GivenId {
  readonly nonce: Uint8Array;
  /** The hash of the nonce and of who is taken to sign, 64 hexadecimal characters. */
  readonly transactionId: string;
}

/** What is settled of a transaction before it is made. */
export interface SubmitTerms {
  readonly id?: GivenId | undefined;
  /** Looks at what is endorsed before it is ordered, in transports that can {@link FabricTransport.endorse}: by throwing it keeps it from that. */
  readonly accept?: ((endorsed: Endorsed) => void) | undefined;
}

/** What became of a transaction that stands in a block. */
export interface RecordedTransaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  /** What the function returned when it was endorsed. */
  readonly result: Uint8Array;
}

/** What a transaction would do that was endorsed and not ordered. */
export interface Endorsed {
  /** What the function returned. */
  readonly result: Uint8Array;
  /** The keys of the chaincode that were read, each with the version of it; absent keys with undefined. */
  readonly reads: ReadonlyMap<string, string | undefined>;
}

/**
 * What a Fabric SDK does for a ledger: one attempt at a time, every failure already one of the port's errors. Queues,
 * repeated attempts and the contract's semantics stand above it.
 */
export interface FabricTransport {
  /**
   * Makes one transaction: endorsed, ordered, recorded. What it comes to is that of its id: with an id that is given, which
   * others may have made a transaction of too, it may be theirs.
   * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when another identity signs than the given id was made for, and nothing was sent; `LEDGER.OUTCOME_UNKNOWN` when it may yet be recorded; every other error is certain that it never will be
   */
  submit(call: FabricCall, options: FabricCallOptions, terms?: SubmitTerms): Promise<RecordedTransaction>;
  /** Has a call endorsed, as a transaction is, and goes no further. Absent where the SDK cannot stop there. */
  endorse?(call: FabricCall, options: FabricCallOptions): Promise<Endorsed>;
  /**
   * Finds out whether transactions would be ordered now, as far as that can be seen without making one.
   * @throws `LEDGER.UNAVAILABLE` when no orderer can be reached
   */
  ordering(channel: string, options: FabricCallOptions): Promise<void>;
  /** Asks one peer. */
  evaluate(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array>;
  /**
   * Has a peer of the own organisation answer a call and sign its answer, and goes no further.
   * @returns message `common.Payload`, as a transaction of it would hold it
   */
  attest(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array>;
  /**
   * Serialized blocks from `startBlock` on; ends with the signal.
   * @throws `LEDGER.UNAVAILABLE` when the connection is lost
   */
  blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

/** Milliseconds for each stage of a call. */
export interface StageLimits {
  readonly evaluate: number;
  readonly endorse: number;
  /** Handing a transaction to the orderers. */
  readonly submit: number;
  /** From there until it stands in a block. */
  readonly commit: number;
}

/** Milliseconds between the looks that a ledger takes of its own accord. */
export interface Pace {
  /** For how long the answer to whether calls work holds, and how often it is asked for while they do not. */
  readonly state: number;
  /** Files of identities and certificates are looked at again when they are asked for after this time. */
  readonly files: number;
  /** For how long the network's acceptance of a caller's identity is cached. */
  readonly access: number;
  /** Longest wait for a connection, and before the next try to make one. */
  readonly connect: number;
  /** What failed in a younger connection to the network fails in the next one too, so that it is not replaced. */
  readonly replace: number;
}

/** The pace in production. */
export const PACE: Pace = { state: 1000, files: 1000, access: 5000, connect: 1500, replace: 2000 };
