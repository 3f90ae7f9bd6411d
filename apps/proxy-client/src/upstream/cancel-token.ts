/** The attempt was cancelled by the one who wanted it: neither a success nor a failure. */
export class ConnectCancelled extends Error {
  constructor() {
    super('The connection attempt was cancelled.');
    this.name = 'ConnectCancelled';
  }
}

/** One attempt's cancellation, cheaper than an AbortController (one is made for every tunnel). */
export class CancelToken {
  #cancelled = false;
  #action: (() => void) | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Names what `cancel` does; one action at a time. It runs at once on a token that is cancelled already. */
  onCancel(action: (() => void) | undefined): void {
    this.#action = action;
    if (this.#cancelled) {
      action?.();
    }
  }

  cancel(): void {
    if (!this.#cancelled) {
      this.#cancelled = true;
      this.#action?.();
    }
  }
}
