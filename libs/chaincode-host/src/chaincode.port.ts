import type { MetadataEntry } from '#fabric-codec/encode';
import type { DocumentSource } from '#mango';

/**
 * The boundary between the embedded ledger and the programs that execute chaincode. The ledger chooses the signer and the
 * transaction id, opens a snapshot of the state, records reads and writes, validates and commits them. The host executes a
 * function and translates between the chaincode's protocol and the {@link Simulator}.
 */

/** A call of a chaincode as a peer passes it on. */
export interface ChaincodeCall {
  readonly channel: string;
  /** 64 hexadecimal characters. A stale call is simulated again with the same id. */
  readonly transactionId: string;
  /** Milliseconds since the epoch; the timestamp of the proposal. */
  readonly timestamp: number;
  /** The function, then its arguments. */
  readonly arguments: readonly Uint8Array[];
  /** The caller's serialized `msp.SerializedIdentity`. */
  readonly creator: Uint8Array;
  readonly transient: ReadonlyMap<string, Uint8Array>;
  /** The serialized `protos.SignedProposal`, which contains the transient data. */
  readonly signedProposal: Uint8Array;
}

/** The response of a chaincode, as in `protos.Response`. */
export interface ChaincodeResponse {
  /** 400 and above is a refusal: nothing is written. */
  readonly status: number;
  readonly message: string;
  readonly payload: Uint8Array;
  /** The last event that the chaincode itself set; those of chaincodes that it invoked are dropped, as on a peer. */
  readonly event?: { readonly name: string; readonly payload: Uint8Array } | undefined;
}

/** A chaincode that can be called. */
export interface Chaincode {
  /** Its namespace in the state. */
  readonly name: string;
  /** How often it was started, if that can differ: two executions may be of different code when it was started in between. */
  readonly starts?: number;
  /**
   * Executes a call, which may be one of several at a time. Reads and writes go to the simulator under the name of the
   * chaincode that makes them, so that `invokeChaincode` passes the same simulator on to another chaincode.
   * @throws `LedgerError` when there is no response: timeout, crash, broken protocol; also what the simulator throws other
   * than {@link SimulationError}
   */
  invoke(call: ChaincodeCall, simulator: Simulator): Promise<ChaincodeResponse>;
}

/** The chaincodes of an embedded ledger. */
export interface ChaincodeHost {
  readonly names: readonly string[];
  readonly limits: SimulationLimits;
  /** The private collections of the chaincodes, apart from the implicit ones. */
  readonly collections: readonly DefinedCollection[];
  /** Whether each call is simulated twice, to find differences that a network of one peer never shows. */
  readonly checksDeterminism: boolean;
  /** Milliseconds that an execution may take. */
  readonly timeout: number;
  /** Returns the chaincode of that name. */
  get(name: string): Chaincode | undefined;
  /**
   * Starts the chaincodes; called once, before the first call.
   * @param own - the ledger's own contract, which chaincodes can reach by `invokeChaincode` only
   */
  start(own: Chaincode): Promise<void>;
  /** Ends the processes. In-flight calls fail. */
  close(): Promise<void>;
}

/** A private collection of a chaincode. */
export interface DefinedCollection {
  readonly chaincode: string;
  readonly name: string;
  /** Blocks after which a key expires; 0 for never. */
  readonly blockToLive: number;
}

/** Limits of one simulation. */
export interface SimulationLimits {
  /** Most keys that are read, including the entries of ranges and histories. */
  readonly keysRead: number;
  /** Most bytes of written keys and values. */
  readonly bytesWritten: number;
}

/** An operation that the peer refuses; its message is the peer's own text, which the chaincode receives as the reason. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

/**
 * The state of one transaction: answers from a pinned snapshot of the committed state and records reads and writes. A
 * transaction's own writes are not visible to its reads, as on a peer. Synchronous. A call after the end of the simulation
 * throws {@link SimulationError}.
 */
export interface Simulator {
  /** Returns the committed value; undefined when there is none. */
  getState(namespace: string, key: string): Uint8Array | undefined;
  /** An empty value deletes the key, as on a peer. */
  putState(namespace: string, key: string, value: Uint8Array): void;
  deleteState(namespace: string, key: string): void;
  /** Returns the committed metadata of a key by their names; none for a key without a value. Reading them reads the key. */
  getStateMetadata(namespace: string, key: string): readonly MetadataEntry[];
  /** Replaces the metadata of a key. They belong to its value, and a key without one gets none. */
  putStateMetadata(namespace: string, key: string, entries: readonly MetadataEntry[]): void;
  /** Opens a range; entries are recorded as read when they are taken from the iterator. */
  getStateByRange(namespace: string, range: StateRange): StateIterator;
  /**
   * Opens the state for a query of CouchDB.
   * @param isPage - pages are for transactions without writes only, as on a peer
   */
  getQueryResult(namespace: string, isPage: boolean): QuerySource;
  /** Returns the committed changes of a key, newest first. They are not recorded, as on a peer. */
  getHistoryForKey(namespace: string, key: string): Iterator<KeyModification, undefined>;
  /** Returns the state of a private collection, which must be defined. */
  collection(place: CollectionPlace): PrivateState;
  /** Forgets what was read and written, so that the call can be executed again on the same snapshot. */
  reset(): void;
}

/** A private collection of a chaincode. */
export interface CollectionPlace {
  readonly namespace: string;
  readonly collection: string;
  /** Whether this peer stores its values; otherwise only their hashes. */
  readonly isStored: boolean;
}

/** The state of a private collection in one transaction. Blocks and the state contain hashes of its keys and values only. */
export interface PrivateState {
  /**
   * Returns the committed value; undefined when there is none.
   * @throws {@link SimulationError} when a value exists and is not stored here
   */
  get(key: string): Uint8Array | undefined;
  /** Returns the SHA-256 of the committed value; undefined when there is none. */
  hash(key: string): Uint8Array | undefined;
  /** An empty value deletes the key. */
  put(key: string, value: Uint8Array): void;
  delete(key: string): void;
  /** Deletes the key, and erases all its values. */
  purge(key: string): void;
  metadata(key: string): readonly MetadataEntry[];
  putMetadata(key: string, entries: readonly MetadataEntry[]): void;
  /** Opens a range, which is not recorded and only for transactions without writes, as on a peer; empty bounds are none. */
  range(start: string, end: string): StateIterator;
}

/** A range of keys in byte order of their UTF-8; an empty `start` or `end` is no bound. */
export interface StateRange {
  readonly start: string;
  /** The first key after the range. */
  readonly end: string;
  /** Pages are for transactions without writes only, as on a peer. */
  readonly page?: {
    readonly size: number;
    /** Of the previous page; empty for the first one. */
    readonly bookmark: string;
  };
}

/** The entries of a range. Closing one early needs no call: only entries that were taken are recorded. */
export interface StateIterator {
  /** Returns the next entry; undefined at the end of the range or page. */
  next(): { readonly key: string; readonly value: Uint8Array } | undefined;
  /** Returns the key at which the next page begins; empty when there is none. It is not recorded as read. */
  bookmark(): string;
}

/** The state in which a query searches. Each entry that it yields counts as read, but only results are recorded. */
export interface QuerySource extends DocumentSource {
  /** Records a result as a read of its key, as a peer does. @param key - of the last entry or value that was read */
  recordRead(key: string): void;
}

/** A committed change of a key. */
export interface KeyModification {
  readonly transactionId: string;
  /** ISO 8601 in UTC, of the transaction's proposal; up to nanoseconds. */
  readonly timestamp: string;
  /** Undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
}

/** The configured chaincodes of an embedded ledger. */
export interface ChaincodesOptions {
  /** Each with its folder, or with the address `grpc://host:port` at which it is served. */
  readonly sources: readonly { readonly name: string; readonly source: string }[];
  /** Milliseconds after which a call fails and its process is killed. */
  readonly timeout: number;
  /** See {@link ChaincodeHost.checksDeterminism}. */
  readonly checksDeterminism: boolean;
  /** Whether an edit in a folder restarts its chaincode. */
  readonly isWatched: boolean;
  /** Whether queries of CouchDB are executed; otherwise they are refused, as by a peer with LevelDB. */
  readonly hasQueries: boolean;
}
