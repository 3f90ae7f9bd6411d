import { WorkerCalls } from '#threads';
import type { PageCalls, StorePagesOptions } from './store-pages.js';

/** Pages produce much garbage and retain little; without a limit V8 would let the heap grow. */
const YOUNG_GENERATION_MIB = 8;
/** An idle thread is stopped after this time to release its memory. Starting it again delays a page by about 0.1 s. */
const IDLE_MS = 60_000;

/** The thread that reads pages. It is started by the first page, and again by the next page after it has ended. */
export class ReadingThread {
  readonly #options: StorePagesOptions;
  readonly #reads = new Set<Promise<unknown>>();
  #calls: WorkerCalls<PageCalls> | undefined;
  #idle: NodeJS.Timeout | undefined;

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
    clearTimeout(this.#idle);
    if (this.#calls?.hasFailed !== false) this.#calls = this.#start();
    const calls = this.#calls;
    const read = calls.call(method, ...parameters);
    this.#reads.add(read);
    // A program that only waits for a page must not exit before it arrives.
    if (this.#reads.size === 1) calls.ref();
    try {
      return await read;
    } finally {
      this.#reads.delete(read);
      if (this.#reads.size === 0) this.#rest(calls);
    }
  }

  #rest(calls: WorkerCalls<PageCalls>): void {
    calls.unref();
    this.#idle = setTimeout(() => void this.#stop(), IDLE_MS).unref();
  }

  /** Waits for the pages being read, then ends the thread. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reads);
    clearTimeout(this.#idle);
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const calls = this.#calls;
    this.#calls = undefined;
    await calls?.terminate();
  }

  #start(): WorkerCalls<PageCalls> {
    return new WorkerCalls<PageCalls>({
      name: 'reading',
      data: this.#options,
      relativeTo: import.meta.url,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      task: 'reads pages',
    });
  }
}
