import { WorkerCalls } from '#threads';
import type { WriterEvent } from './writer.js';
import type { WriterService } from './writer-service.js';

/** Limits the garbage of the thread: under load V8 would let the process grow by 100 MiB more, at no gain in speed. */
const YOUNG_GENERATION_MIB = 16;

/** Receives what a writer thread reports. */
export interface WriterThreadUser {
  readonly receive: (event: WriterEvent) => void;
  /** Called when the thread has ended, with the error that ended it. */
  readonly ended: (cause: Error | undefined) => void;
}

/** A thread that writes for one ledger at a time. */
export class WriterThread {
  readonly calls: WorkerCalls<Pick<WriterService, 'open' | 'addSigner' | 'submit' | 'close'>>;
  /** Undefined between two ledgers. */
  user: WriterThreadUser | undefined;

  constructor() {
    this.calls = new WorkerCalls({
      name: 'writer',
      relativeTo: import.meta.url,
      task: 'writes blocks',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      onEvent: (event) => {
        this.user?.receive(event as WriterEvent);
      },
      onEnd: (cause) => {
        this.user?.ended(cause);
      },
    });
  }
}

/**
 * Writer threads that the next ledger uses after one has closed. Most of the time that it takes to open a ledger is spent on
 * its thread, which matters to tests that open one after another.
 */
export class WriterThreads {
  readonly #idle: WriterThread[] = [];
  #isClosed = false;

  /** Returns an idle thread, or starts one. */
  take(): WriterThread {
    const thread = this.#idle.pop();
    return thread === undefined || thread.calls.hasFailed ? new WriterThread() : thread;
  }

  /** Starts a thread for the next ledger. */
  prepare(): void {
    const thread = new WriterThread();
    thread.calls.unref();
    this.#idle.push(thread);
  }

  /** Accepts the thread of a ledger that is closed. */
  async giveBack(thread: WriterThread): Promise<void> {
    thread.user = undefined;
    thread.calls.unref();
    if (this.#isClosed || thread.calls.hasFailed) await thread.calls.terminate();
    else this.#idle.push(thread);
  }

  /** Ends the idle threads, and each other one when it is given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.splice(0).map(async ({ calls }) => calls.terminate()));
  }
}
