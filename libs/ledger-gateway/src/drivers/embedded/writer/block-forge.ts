import type { ReadWriteSet } from '../../../fabric-blocks/encode/read-write-set.js';
import type { StateWrite } from '../store/derived-writer.js';
import type { WriteRequest } from './messages.js';
import type { SignerPem } from './signing/signer.js';

/** A transaction that ran and goes into a block. */
export interface SimulatedTransaction {
  readonly request: WriteRequest;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly readWriteSet: ReadWriteSet;
  /** The response payload. */
  readonly payload: Uint8Array;
}

/** Transactions whose envelopes are there, as they go into a block. */
export interface SealedBlock {
  readonly number: number;
  readonly transactions: readonly SimulatedTransaction[];
  readonly envelopes: readonly Uint8Array[];
  readonly writes: readonly StateWrite[];
}

/** A block's place in the chain. */
export interface BlockLink {
  readonly previousHash: Uint8Array;
  /** Empty for block 1. */
  readonly previousCommitHash: Uint8Array;
}

/** A whole block and its hashes. */
export interface ForgedBlock {
  /** The serialized `common.Block`. */
  readonly bytes: Uint8Array;
  /** SHA-256 of the ASN.1 header. */
  readonly hash: Uint8Array;
  readonly commitHash: Uint8Array;
}

/** Makes signed envelopes and blocks in Fabric's format. */
export interface BlockForge {
  /** What most blocks contain: stored once, see StoreWriter. */
  readonly dictionary: Uint8Array;
  /** Takes one more client, which gets the next number as a signer. */
  addSigner(client: SignerPem): void;
  /** The serialized identity of a signer. */
  creator(signer: number): Uint8Array;
  /**
   * The envelopes of transactions in their order, endorsed by the peer and signed each by its client.
   * @param areAlone - whether nothing else is under way that could go on meanwhile
   */
  envelopes(transactions: readonly SimulatedTransaction[], areAlone: boolean): Promise<readonly Uint8Array[]>;
  /** A block of VALID transactions, signed by the orderer. */
  block(link: BlockLink, block: SealedBlock): ForgedBlock;
  /** Ends what works beside the writer thread. */
  close(): Promise<void>;
}
