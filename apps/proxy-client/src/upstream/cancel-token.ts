/** The attempt was cancelled by the one who wanted it: neither a success nor a failure. */
export class ConnectCancelled extends Error {
  constructor() {
    super('The connection attempt was cancelled.');
    this.name = 'ConnectCancelled';
  }
}

/** What a {@link CancelToken} cancels. */
export interface Cancellable {
  cancel(): void;
}

/** One attempt's cancellation, cheaper than an AbortController (one is made for every tunnel). */
export class CancelToken {
  #cancelled = false;
  #action: Cancellable | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Names what `cancel` cancels; one thing at a time. It is cancelled at once on a token that is cancelled already. */
  onCancel(action: Cancellable | undefined): void {
    this.#action = action;
    if (this.#cancelled) {
      action?.cancel();
    }
  }

  cancel(): void {
    if (!this.#cancelled) {
      this.#cancelled = true;
      this.#action?.cancel();
    }
  }
}
