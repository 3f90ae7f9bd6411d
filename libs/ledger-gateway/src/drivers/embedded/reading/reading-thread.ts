import { WorkerCalls } from '../../../threads/worker-calls.js';
import type { PageCalls, StorePagesOptions } from './store-pages.js';

/** Pages produce much garbage and retain little; without a limit V8 would let the heap grow. */
const YOUNG_GENERATION_MIB = 8;

/** The thread that reads pages. It is started by the first page, and again by the next page after it has ended. */
export class ReadingThread {
  readonly #options: StorePagesOptions;
  readonly #reads = new Set<Promise<unknown>>();
  #calls: WorkerCalls<PageCalls> | undefined;

  constructor(options: StorePagesOptions) {
    this.#options = options;
  }

  /**
   * Reads a page.
   * @throws what {@link StorePages} throws, and `LEDGER.UNAVAILABLE` when the thread ends
   */
  async read<M extends keyof PageCalls>(
    method: M,
    ...parameters: Parameters<PageCalls[M]>
  ): Promise<Awaited<ReturnType<PageCalls[M]>>> {
    if (this.#calls?.hasFailed !== false) this.#calls = this.#start();
    const read = this.#calls.call(method, ...parameters);
    this.#reads.add(read);
    try {
      return await read;
    } finally {
      this.#reads.delete(read);
    }
  }

  /** Waits for the pages being read, then ends the thread. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reads);
    await this.#calls?.terminate();
  }

  #start(): WorkerCalls<PageCalls> {
    const calls = new WorkerCalls<PageCalls>({
      name: 'reading',
      data: this.#options,
      beside: import.meta.url,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      task: 'reads pages',
    });
    // Only close() waits for it.
    calls.unref();
    return calls;
  }
}
