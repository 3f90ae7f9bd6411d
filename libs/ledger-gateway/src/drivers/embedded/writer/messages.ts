import type { TransferredError } from '../../../threads/transferred-error.js';
import type { LedgerNames } from '../store/data-directory.js';
import type { Identities } from '../store/identity-store.js';
import type { ChainHead } from '../store/open-store.js';
import type { SignerPem } from './signing.js';

// The messages between the main thread and the writer thread.

/** Start data of the writer thread. */
export interface WriterData extends LedgerNames {
  readonly storePath: string;
  readonly pinPath: string;
  readonly identities: Identities;
}

/** A write to execute. */
export interface WriteRequest {
  readonly function: string;
  readonly arguments: readonly string[];
  /** Number of the identity that signs; {@link SERVICE_SIGNER} for calls without a caller. */
  readonly signer: number;
  /** Hexadecimal, of 24 random bytes or of the 32 of a keyed write: strings are cheaper to clone than small buffers. */
  readonly nonce: string;
  /** Hexadecimal SHA-256 of nonce and creator. */
  readonly transactionId: string;
}

/** A committed write. */
export interface WriteResult {
  readonly transactionId: string;
  /** The response payload. */
  readonly result: Uint8Array;
}

/** The number of the service's identity. */
export const SERVICE_SIGNER = 0;

export type ToWriter =
  /** One more identity; signers are numbered from 1 in the order of these messages. */
  | { readonly type: 'signer'; readonly signer: SignerPem }
  | { readonly type: 'submit'; readonly requests: readonly WriteRequest[] }
  | { readonly type: 'close' };

export type FromWriter =
  | { readonly type: 'ready'; readonly head: ChainHead }
  | { readonly type: 'failed'; readonly error: TransferredError }
  | {
      readonly type: 'committed';
      readonly head: ChainHead;
      readonly blockNumber: number;
      /** In the order of their positions. */
      readonly writes: readonly WriteResult[];
    }
  | {
      readonly type: 'refused';
      readonly refusals: readonly { readonly transactionId: string; readonly error: TransferredError }[];
    }
  /** A problem for the log; writes continue. */
  | { readonly type: 'trouble'; readonly error: TransferredError }
  /** No more writes until a restart. The error is for the log. */
  | { readonly type: 'read-only'; readonly reason: string; readonly error: TransferredError };
