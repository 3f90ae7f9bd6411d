import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerBlock } from '#ledger-gateway';

/** How often the height of a chain that another process writes is read, while a reader waits for a block. */
const POLL_INTERVAL_MS = 200;

/**
 * Notifies readers of new blocks. Each reader reads at its own pace from the store, so none misses a block or buffers any.
 */
export class BlockFeed {
  readonly #read: (number: number) => LedgerBlock | undefined;
  #height = 0;
  #hasEnded = false;
  #lastTurn = Promise.resolve();
  #wake = Promise.withResolvers<undefined>();
  readonly #readHeight: (() => number) | undefined;
  #poll: NodeJS.Timeout | undefined;

  /** @param readHeight - polled while readers wait; undefined if {@link advance} reports every new height */
  constructor(read: (number: number) => LedgerBlock | undefined, readHeight?: () => number) {
    this.#read = read;
    this.#readHeight = readHeight;
  }

  /** Notifies readers of the chain's new height. */
  advance(height: number): void {
    this.#height = height;
    this.#wakeAll();
  }

  /** Ends every reader. */
  end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#poll);
    this.#wakeAll();
  }

  /** Yields blocks from `start` on, in order, until the signal or the end. */
  async *from(start: number, height: number, signal?: AbortSignal): AsyncGenerator<LedgerBlock, void, undefined> {
    let next = Math.max(0, Math.trunc(start));
    for await (const end of this.heights(() => next, height, signal)) {
      await this.#turn();
      const block = next < end && !this.#isFinished(signal) ? this.#read(next) : undefined;
      if (block === undefined) continue;
      next += 1;
      yield block;
    }
  }

  /** Yields the chain's height each time when it has the next block that a reader needs, until the signal or the end. */
  async *heights(next: () => number, height: number, signal?: AbortSignal): AsyncGenerator<number, void, undefined> {
    this.#height = Math.max(this.#height, height);
    const onAbort = (): void => {
      this.#wakeAll();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      while (!this.#isFinished(signal)) {
        if (next() < this.#height) yield this.#height;
        else await this.#advanced();
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Waits until the height may have grown. */
  async #advanced(): Promise<void> {
    if (this.#readHeight !== undefined) this.#poll ??= setTimeout(this.#onPoll, POLL_INTERVAL_MS);
    await this.#wake.promise;
    if (this.#readHeight !== undefined && !this.#hasEnded) this.#height = Math.max(this.#height, this.#readHeight());
  }

  readonly #onPoll = (): void => {
    this.#poll = undefined;
    this.#wakeAll();
  };

  #isFinished(signal?: AbortSignal): boolean {
    return this.#hasEnded || signal?.aborted === true;
  }

  /** Reads are synchronous: without a turn of the event loop between them, a long chain would block it. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(async () => nextTurn());
    return this.#lastTurn;
  }

  #wakeAll(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers<undefined>();
  }
}
