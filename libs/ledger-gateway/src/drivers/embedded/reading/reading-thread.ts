import { WorkerCalls } from '../../../threads/worker-calls.js';
import type { PageCalls, StorePagesOptions } from './store-pages.js';

/** Pages produce much garbage and retain little; without a limit V8 would let the heap grow. */
const YOUNG_GENERATION_MIB = 8;
/** An idle thread is stopped after this time to release its memory. Starting it again delays a page by about 0.1 s. */
const IDLE_MS = 60_000;

/** The thread that reads pages. It is started by the first page. */
export class ReadingThread {
  readonly #options: StorePagesOptions;
  readonly #closed = Promise.withResolvers<undefined>();
  #calls: WorkerCalls<PageCalls> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #running = 0;
  #isClosing = false;

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
    if (this.#calls?.hasFailed === true) await this.#stop();
    const calls = (this.#calls ??= this.#start());
    this.#running += 1;
    try {
      return await calls.call(method, ...parameters);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#rest();
    }
  }

  /** Waits for the pages being read, then ends the thread. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#running === 0) this.#rest();
    await this.#closed.promise;
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

  #rest(): void {
    clearTimeout(this.#idle);
    if (this.#isClosing) {
      void this.#stop().then(() => {
        this.#closed.resolve(undefined);
      });
      return;
    }
    this.#idle = setTimeout(() => void this.#stop(), IDLE_MS).unref();
  }

  async #stop(): Promise<void> {
    const calls = this.#calls;
    this.#calls = undefined;
    await calls?.terminate();
  }
}
