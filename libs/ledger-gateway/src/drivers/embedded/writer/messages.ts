import type { LedgerNames } from '../directory/data-directory.js';
import type { Identities } from '../identities/identity-store.js';
import type { SignerPem } from './signing/signer.js';
import type { TransferredError } from './transferred-error.js';

/** What the writer thread is started with. */
export interface WriterData extends LedgerNames {
  readonly storePath: string;
  readonly pinPath: string;
  readonly identities: Identities;
}

/** One write on its way to the writer thread. */
export interface WriteRequest {
  /** What the two threads call this write. */
  readonly ticket: number;
  readonly function: string;
  readonly arguments: readonly string[];
  /** Who signs it, by the number that the two threads call it; {@link SERVICE_SIGNER} for calls of nobody in particular. */
  readonly signer: number;
  /** 24 random bytes in hexadecimal: a text goes to another thread more cheaply than bytes. */
  readonly nonce: string;
  /** Hexadecimal SHA-256 of nonce and creator. */
  readonly transactionId: string;
}

/** Writes as one list for each of their fields: of objects, each would name its fields anew on its way to the other thread. */
export type WriteRequestColumns = { readonly [K in keyof WriteRequest]: readonly WriteRequest[K][] };

/** The newest block. */
export interface ChainHead {
  readonly height: number;
  /** Hexadecimal. */
  readonly currentHash: string;
  /** Hexadecimal; empty at height 1. */
  readonly previousHash: string;
}

/** The number of the service's identity. */
export const SERVICE_SIGNER = 0;

export type ToWriter =
  /** One more identity: the numbers of signers are those of these messages, from 1 on. */
  | { readonly type: 'signer'; readonly signer: SignerPem }
  | { readonly type: 'submit'; readonly requests: WriteRequestColumns }
  | { readonly type: 'close' };

export type FromWriter =
  | { readonly type: 'ready'; readonly head: ChainHead }
  | { readonly type: 'failed'; readonly error: TransferredError }
  | {
      readonly type: 'committed';
      readonly head: ChainHead;
      readonly blockNumber: number;
      /** The writes in the order of their positions. */
      readonly tickets: readonly number[];
      /** All payloads behind one another; the end of each in `ends`. */
      readonly payloads: Uint8Array;
      readonly ends: readonly number[];
    }
  | {
      readonly type: 'refused';
      readonly refusals: readonly { readonly ticket: number; readonly error: TransferredError }[];
    }
  /** For the log: something to look after, while writes go on. */
  | { readonly type: 'trouble'; readonly error: TransferredError }
  /** The error is for the log. */
  | { readonly type: 'read-only'; readonly reason: string; readonly error: TransferredError };
