import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerBlock } from '../../ports/ledger.port.js';

/** Tells readers of blocks how far the chain has grown; each reads at its own pace, so none can miss a block or hold memory. */
export class BlockFeed {
  readonly #read: (number: number) => LedgerBlock | undefined;
  #height = 0;
  #hasEnded = false;
  #wake = Promise.withResolvers<undefined>();

  constructor(read: (number: number) => LedgerBlock | undefined) {
    this.#read = read;
  }

  /** The chain has that many blocks now. */
  advance(height: number): void {
    this.#height = height;
    this.#wakeAll();
  }

  /** No more blocks: every reader ends. */
  end(): void {
    this.#hasEnded = true;
    this.#wakeAll();
  }

  /** Blocks from `start` on, in order, until the signal or the end. */
  async *from(start: number, height: number, signal?: AbortSignal): AsyncGenerator<LedgerBlock, void, undefined> {
    this.#height = Math.max(this.#height, height);
    const onAbort = (): void => {
      this.#wakeAll();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const isOver = (): boolean => this.#hasEnded || signal?.aborted === true;
    try {
      let next = Math.max(0, Math.trunc(start));
      while (!isOver()) {
        // Reading a block waits for nothing: a reader of a long chain would else have the event loop to itself.
        await (next < this.#height ? nextTurn() : this.#wake.promise);
        const block = next < this.#height && !isOver() ? this.#read(next) : undefined;
        if (block === undefined) continue;
        next += 1;
        yield block;
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #wakeAll(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers<undefined>();
  }
}
