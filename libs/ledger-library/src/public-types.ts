// The types of the library `ledger-api/embedded`. They import nothing, because the package contains them without the sources
// (src/package.mjs).

/** The documents of each type, such as `{ login: { user: string } }`. */
export type RecordTypes = Readonly<Record<string, unknown>>;

/** Options of `openLedger`. */
export interface OpenOptions {
  /**
   * The name of the signed tree, NAME/REPLICA, such as `example.org/lisbon`. It never changes. The default is derived from the
   * ledger's first block.
   */
  readonly origin?: string;
  /** Witnesses that confirm checkpoints. */
  readonly witnesses?: WitnessOptions;
  /** Receives warnings, such as a witness that does not answer; a pino logger or the console fits. By default none. */
  readonly logger?: Logger;
}

/** Witnesses in other hands: with them, the owner of the directory cannot replace its history. */
export interface WitnessOptions {
  /** A file with the trust policy (https://c2sp.org/tlog-policy): the keys of the witnesses, their URLs, the quorum. */
  readonly policy: string;
  /** Milliseconds between rounds while the ledger grows; 10,000 by default. */
  readonly intervalMs?: number;
}

/** A logger of messages with their facts. */
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}

/** The definition of a type. */
export interface TypeDefinition {
  /** A JSON Schema (2020-12); `true`, the default, accepts any document. */
  readonly schema?: object | true;
  /** `append`, the default, refuses changes. It never changes. */
  readonly mode?: 'append' | 'mutable';
  /**
   * Where documents are stored: `inside` the blocks, the default, or `outside` of them, where `purge` erases them. It never changes.
   */
  readonly payload?: 'inside' | 'outside';
  /** Fields by which records are listed, with dots between nested names. */
  readonly indexes?: readonly string[];
}

/** A defined type. */
export interface DefinedType extends Required<TypeDefinition> {
  readonly name: string;
  /** Counts the definitions. */
  readonly version: number;
}

/** Options of an append. */
export interface AppendOptions {
  /** The id of the record; by default one is made of time and transaction (UUID version 7). */
  readonly id?: string;
  /** 1 to 255 visible ASCII characters: another append with the same key returns the first one's record. */
  readonly key?: string;
}

/** A record that is durable. */
export interface Appended {
  readonly id: string;
  /** 64 hexadecimal characters; `receipt()` proves it. */
  readonly transactionId: string;
  readonly block: number;
  /** Whether an earlier append with the same key created it. */
  readonly replayed: boolean;
}

/** Options of appending many documents. */
export interface AppendManyOptions {
  /** The member of each document that is its id: a document whose id exists is refused. */
  readonly key?: string;
}

/** The effect of appending many documents. */
export interface AppendedMany {
  readonly created: readonly Appended[];
  readonly refused: readonly RefusedDocument[];
}

/** A document that was refused. It refuses no other. */
export interface RefusedDocument {
  /** Its position among the documents. */
  readonly index: number;
  /** Such as `LEDGER.RECORD_INVALID`. */
  readonly code: string;
  readonly message: string;
}

/** The document of a record of a type with the payload `outside`. */
export interface DocumentOutside {
  /** Hexadecimal SHA-256 of the bytes of the salt, followed by the document in canonical JSON (RFC 8785): the blocks contain it. */
  readonly digest: string;
  /** `erased`: it was purged. `absent`: this ledger has no copy, as after an import of the blocks. */
  readonly state: 'stored' | 'erased' | 'absent';
  /** Hexadecimal; null unless the document is stored. */
  readonly salt: string | null;
}

/** A record. */
export interface StoredRecord<T> {
  readonly id: string;
  /** The version of the type whose schema the document met. */
  readonly version: number;
  /** Null for a document outside the blocks that is not stored. */
  readonly document: T;
  /** Present for types with the payload `outside`. */
  readonly outside?: DocumentOutside;
}

/** Which records are listed. */
export interface ListOptions {
  /** Values of indexed fields, which all must hold. Numbers and truth values are compared as JSON writes them. */
  readonly where?: Readonly<Record<string, string | number | boolean | null>>;
  /** The id after which the list begins. */
  readonly after?: string;
}

/** The transaction that records a purge. */
export interface Purged {
  readonly transactionId: string;
  readonly block: number;
}

/** A change of a record. */
export interface RecordChange<T> {
  readonly transactionId: string;
  /** ISO 8601 in UTC. */
  readonly timestamp: string;
  readonly deleted: boolean;
  /** Undefined for a deletion; null for a document outside the blocks that is not stored. */
  readonly document: T | undefined;
  /** Present for types with the payload `outside`. */
  readonly outside?: DocumentOutside;
}

/** Which events are yielded. */
export interface EventOptions {
  /** The first block; by default that after the newest one. */
  readonly from?: number;
  /** Ends the events. */
  readonly signal?: AbortSignal;
}

/** A change of a record, as it was committed. */
export interface RecordEvent {
  readonly block: number;
  readonly transactionId: string;
  readonly timestamp: string;
  readonly type: string;
  readonly id: string;
  /** Undefined for a deletion; null for a document outside the blocks. */
  readonly document: unknown;
  /** That of a document outside the blocks. */
  readonly digest?: string;
}

/** What a verification compares with. */
export interface VerifyOptions {
  /** A checkpoint that was stored elsewhere, or that witnesses confirmed: a signed note. */
  readonly checkpoint?: string;
  /** A file with the trust policy by which the checkpoint must be confirmed. */
  readonly policy?: string;
}

/** The result of a verification. */
export interface Verification {
  readonly ok: boolean;
  readonly blocks: number;
  readonly transactions: number;
  /** The errors, the first one first; at most 50. */
  readonly findings: readonly Finding[];
}

/** An error that a verification found. */
export interface Finding {
  /** The block, transaction or record. */
  readonly where: string;
  /** The rule. */
  readonly check: string;
  readonly what: string;
}

/**
 * A ledger of records in a directory, open in this process. Errors have a `code`, such as `LEDGER.RECORD_INVALID` (docs/errors.md). It
 * ends with the program; `close()`, or `await using`, ends it earlier.
 */
export interface RecordLog<Types extends RecordTypes = RecordTypes> {
  /** Defines a type, or its next version. The same definition changes nothing. */
  define(type: keyof Types & string, definition: TypeDefinition): Promise<DefinedType>;
  /** Appends a document, which is durable when the promise resolves. An unknown type is defined: any document, append. */
  append<N extends keyof Types & string>(type: N, document: Types[N], options?: AppendOptions): Promise<Appended>;
  /** Appends documents, up to 500 in a transaction. */
  appendMany<N extends keyof Types & string>(
    type: N,
    documents: Iterable<Types[N]>,
    options?: AppendManyOptions,
  ): Promise<AppendedMany>;
  /** Returns a record; undefined when there is none. */
  get<N extends keyof Types & string>(type: N, id: string): Promise<StoredRecord<Types[N]> | undefined>;
  /** Yields the records of a type in order of their ids. */
  list<N extends keyof Types & string>(type: N, options?: ListOptions): AsyncGenerator<StoredRecord<Types[N]>, void>;
  /**
   * Erases the documents of all versions of a record of a type with the payload `outside`, and deletes the record: when the promise
   * resolves, no file of the directory contains them. The transactions stay, with digests.
   */
  purge(type: keyof Types & string, id: string): Promise<Purged>;
  /** Yields the changes of a record, newest first. */
  history<N extends keyof Types & string>(type: N, id: string): AsyncGenerator<RecordChange<Types[N]>, void>;
  /** Returns a receipt, JSON text that proves a transaction without the ledger (docs/receipts.md); undefined for an unknown one. */
  receipt(transactionId: string): Promise<string | undefined>;
  /**
   * Returns a checkpoint that covers everything appended so far: a signed note, to be stored elsewhere. With witnesses it is one that
   * they have confirmed.
   */
  checkpoint(): Promise<string>;
  /** Returns the key that verifies checkpoints, for witnesses and policies: https://c2sp.org/signed-note. */
  verifierKey(): Promise<string>;
  /** Verifies the whole directory: each block, signature and record; with a checkpoint, that the history has not been replaced. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** Yields changes of records as they are committed. */
  events(options?: EventOptions): AsyncGenerator<RecordEvent, void>;
  /** Waits for appends in flight, and closes the files. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
