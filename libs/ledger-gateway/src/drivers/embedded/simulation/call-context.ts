import type { TransactionContext } from '#asset-contract';

/** What the contract may know of its call; the timestamp becomes a text when it asks for it. */
export class CallContext implements TransactionContext {
  readonly transactionId: string;
  readonly #milliseconds: number;

  constructor(transactionId: string, milliseconds: number) {
    this.transactionId = transactionId;
    this.#milliseconds = milliseconds;
  }

  get timestamp(): string {
    return new Date(this.#milliseconds).toISOString();
  }
}
