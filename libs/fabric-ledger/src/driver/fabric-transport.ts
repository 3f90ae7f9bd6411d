import type { CallOptions, LedgerCall } from '#ledger-gateway';

/** A call of one chaincode on one channel. */
export interface FabricCall extends LedgerCall {
  readonly channel: string;
  readonly chaincode: string;
  /** Name of the caller whose identity signs; without it the service's does. */
  readonly caller?: string | undefined;
}

/** A transaction id that is chosen before the transaction is created. */
export interface GivenId {
  readonly nonce: Uint8Array;
  /** SHA-256 of the nonce and the creator, 64 hexadecimal characters. */
  readonly transactionId: string;
}

/** Terms of a transaction. */
export interface SubmitTerms extends Pick<CallOptions, 'onStage' | 'onAccepted'> {
  readonly id?: GivenId | undefined;
  /** Called between endorsement and ordering, in transports that have {@link FabricTransport.endorse}; if it throws, nothing is ordered. */
  readonly accept?: ((endorsed: Endorsed) => void) | undefined;
}

/** The outcome of a transaction that a block contains. */
export interface RecordedTransaction {
  readonly transactionId: string;
  readonly blockNumber: number;
  /** Fabric's `TxValidationCode`; 0 is VALID. */
  readonly validationCode: number;
  /** What the function returned when it was endorsed. */
  readonly result: Uint8Array;
}

/** A transaction that was endorsed and not ordered. */
export interface Endorsed {
  /** What the function returned. */
  readonly result: Uint8Array;
  /** The keys that were read in the chaincode's state, with their versions; undefined for missing keys. */
  readonly reads: ReadonlyMap<string, string | undefined>;
}

/**
 * The calls of a Fabric SDK. Each is a single attempt, and each failure is one of the port's errors. Queues, retries and the
 * contract's semantics are built on it.
 */
export interface FabricTransport {
  /** Name of the driver. */
  readonly driver: 'fabric' | 'fabric-gateway';
  /**
   * Endorses and orders a transaction and waits until it is recorded. With a given id, the outcome may be that of another
   * copy with the same id.
   * @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when another identity signs than the given id was made for, and nothing was sent; `LEDGER.OUTCOME_UNKNOWN` when it may yet be recorded; every other error is certain that it never will be
   */
  submit(call: FabricCall, terms: SubmitTerms): Promise<RecordedTransaction>;
  /** Endorses a call without ordering it. Missing if the SDK cannot do that. */
  endorse?(call: FabricCall): Promise<Endorsed>;
  /**
   * Checks whether transactions could be ordered, as far as possible without submitting one.
   * @throws `LEDGER.UNAVAILABLE` when no orderer is reachable
   */
  ordering(channel: string): Promise<void>;
  /** Evaluates a call on one peer. */
  evaluate(call: FabricCall): Promise<Uint8Array>;
  /**
   * Lets a peer of the own organization endorse a call, as proof of its response.
   * @returns message `common.Payload`, as in a transaction
   */
  attest(call: FabricCall): Promise<Uint8Array>;
  /**
   * Yields serialized blocks from `startBlock` on until the signal.
   * @throws `LEDGER.UNAVAILABLE` when the connection is lost
   */
  blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array>;
  close(): void;
}

/** Timeouts of the stages of a call, in milliseconds. */
export interface StageLimits {
  readonly evaluate: number;
  readonly endorse: number;
  /** Submitting a transaction to the orderers. */
  readonly submit: number;
  /** From then until a block contains it. */
  readonly commit: number;
}

/** Intervals and cache times, in milliseconds. Tests replace them. */
export const PACE = {
  /** Cache time of the connection state. */
  state: 1000,
  /** Minimum interval between checks of identity and certificate files. */
  files: 1000,
  /** For how long the network's acceptance of a caller's identity is cached. */
  access: 5000,
  /** Timeout of a connection attempt, and maximum delay before the next one. */
  connect: 1500,
  /** For how long a call is repeated for which peers find no endorsers: after a restart of a peer it may succeed. */
  endorsers: 4000,
  /** Minimum age of a session before it is replaced after a failure. */
  replace: 5000,
};

/** Returns gRPC's delays between connection attempts. Its default, up to two minutes, is too long after a peer's restart. */
export function reconnectOptions(): Readonly<Record<string, number>> {
  return {
    'grpc.initial_reconnect_backoff_ms': Math.min(100, PACE.connect),
    'grpc.max_reconnect_backoff_ms': Math.min(1000, PACE.connect),
  };
}
