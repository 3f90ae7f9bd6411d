import type { TransferredError } from '../../../threads/transferred-error.js';
import type { LedgerNames } from '../store/directory/data-directory.js';
import type { Identities } from '../store/identities/identity-store.js';
import type { ChainHead } from '../store/prove-store.js';
import type { SignerPem } from './signing.js';

// What the calling thread and the writer thread say to each other, and the forms in which it crosses.

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
  /** In hexadecimal, of 24 random bytes or of the 32 that a key makes: a text goes to another thread more cheaply than bytes. */
  readonly nonce: string;
  /** Hexadecimal SHA-256 of nonce and creator. */
  readonly transactionId: string;
}

/** Writes as one list for each of their fields: of objects, each would name its fields anew on its way to the other thread. */
export type WriteRequestColumns = { readonly [K in keyof WriteRequest]: readonly WriteRequest[K][] };

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

/** Writes in the form that goes to the other thread, gathered one by one. */
export class WriteBatch {
  #columns = emptyColumns();

  get length(): number {
    return this.#columns.ticket.length;
  }

  add({ ticket, function: name, arguments: args, signer, nonce, transactionId }: WriteRequest): void {
    const columns = this.#columns;
    columns.ticket.push(ticket);
    columns.function.push(name);
    columns.arguments.push(args);
    columns.signer.push(signer);
    columns.nonce.push(nonce);
    columns.transactionId.push(transactionId);
  }

  /** Gives what was gathered and begins anew. */
  take(): WriteRequestColumns {
    const columns = this.#columns;
    this.#columns = emptyColumns();
    return columns;
  }
}

type Columns = { readonly [K in keyof WriteRequest]: WriteRequest[K][] };

function emptyColumns(): Columns {
  return { ticket: [], function: [], arguments: [], signer: [], nonce: [], transactionId: [] };
}

/** The writes again. */
export function requestsOf(columns: WriteRequestColumns): WriteRequest[] {
  return columns.ticket.map((ticket, index) => ({
    ticket,
    function: columns.function[index] ?? '',
    arguments: columns.arguments[index] ?? [],
    signer: columns.signer[index] ?? SERVICE_SIGNER,
    nonce: columns.nonce[index] ?? '',
    transactionId: columns.transactionId[index] ?? '',
  }));
}
