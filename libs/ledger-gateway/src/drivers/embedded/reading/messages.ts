import type { TransferredError } from '../../../threads/transferred-error.js';
import type { StorePages } from './store-pages.js';

// What the calling thread and the reading thread say to each other.

/** What can be asked for. */
export type PageCalls = Omit<StorePages, 'close'>;

/** A page that is asked for, under a number that its answer bears. */
export type PageRequest = {
  readonly [M in keyof PageCalls]: {
    readonly type: 'read';
    readonly ticket: number;
    readonly method: M;
    readonly parameters: Parameters<PageCalls[M]>;
  };
}[keyof PageCalls];

export type ToReader = PageRequest | { readonly type: 'close' };

/** Without a ticket: the thread cannot read at all. */
export type FromReader =
  | { readonly ticket: number; readonly page: object }
  | { readonly ticket: number; readonly error: TransferredError }
  | { readonly ticket: undefined; readonly error: TransferredError };
