import { isLedgerError } from '#ledger-gateway';
import { WorkerCalls } from '#threads';
import type { DerivedData } from './chain-follower.js';
import type { IndexCursor, IndexService, IndexServiceOptions, OpenedIndex } from './index-service.js';

/** What the thread of an index does. */
type IndexCalls = { [Method in keyof IndexService]: IndexService[Method] };

/** The error of an index that another process writes. */
export class IndexLocked extends Error {
  override readonly name = 'IndexLocked';
}

/** The thread that has an index open. */
export class IndexThread {
  readonly #options: IndexServiceOptions;
  #calls: WorkerCalls<IndexCalls> | undefined;

  constructor(options: IndexServiceOptions) {
    this.#options = options;
  }

  /** Calls a function in the thread, which is started if there is none. */
  async call<M extends keyof IndexCalls>(
    method: M,
    ...parameters: Parameters<IndexCalls[M]>
  ): Promise<Awaited<ReturnType<IndexCalls[M]>>> {
    if (this.#calls?.hasFailed !== false) this.#calls = this.#start();
    try {
      return await this.#calls.call(method, ...parameters);
    } catch (error) {
      // The end of the thread is no failure of the network.
      throw isLedgerError(error, 'LEDGER.UNAVAILABLE') ? new Error(error.message, { cause: error }) : error;
    }
  }

  async close(): Promise<void> {
    const calls = this.#calls;
    if (calls === undefined) return;
    await calls.call('close').catch(() => undefined);
    await calls.terminate();
  }

  #start(): WorkerCalls<IndexCalls> {
    const calls = new WorkerCalls<IndexCalls>({
      name: 'index',
      data: this.#options,
      relativeTo: import.meta.url,
      task: 'indexes the chain',
    });
    // A program that is done need not wait for an index.
    calls.unref();
    return calls;
  }
}

/** The index in a thread, as data that follow its chain. */
export class FollowedIndex implements DerivedData {
  readonly #thread: IndexThread;
  #cursor: IndexCursor;
  /** Why an unusable file was replaced by an empty one. */
  readonly replaced: string | undefined;

  private constructor(thread: IndexThread, { first, next, replaced }: OpenedIndex) {
    this.#thread = thread;
    this.#cursor = { first, next };
    this.replaced = replaced;
  }

  /** @throws {@link IndexLocked} when another process writes it; the thread can read it then */
  static async open(thread: IndexThread): Promise<FollowedIndex> {
    const opened = await thread.call('open');
    if (!opened.isWriter) throw new IndexLocked('Another process writes the index, and this one reads it.');
    return new FollowedIndex(thread, opened);
  }

  get first(): number | undefined {
    return this.#cursor.first;
  }

  get next(): number | undefined {
    return this.#cursor.next;
  }

  hashOf(block: number): Promise<string | undefined> {
    return this.#thread.call('hashOf', block);
  }

  async append(blocks: readonly Uint8Array[]): Promise<boolean> {
    const { isContinued, first, next } = await this.#thread.call('append', blocks);
    this.#cursor = { first, next };
    return isContinued;
  }

  async clear(): Promise<void> {
    await this.#thread.call('clear');
  }

  async close(): Promise<void> {
    await this.#thread.call('closeFile');
  }
}
