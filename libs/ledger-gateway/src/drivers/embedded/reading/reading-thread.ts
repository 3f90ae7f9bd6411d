import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { LedgerError, isLedgerError } from '../../../errors/ledger.errors.js';
import { startThread } from '../../../threads/start-thread.js';
import { reviveError } from '../../../threads/transferred-error.js';
import type { FromReader, PageCalls, ToReader } from './messages.js';
import type { StorePagesOptions } from './store-pages.js';

/** Pages leave much garbage behind and keep little: without a limit V8 would let it grow. */
const YOUNG_MIB = 8;
/** A thread that nobody has asked for so long gives its memory back; the next page takes a tenth of a second more. */
const IDLE_MS = 60_000;

/** The calling thread's side of the thread that reads pages: there is none before the first is asked for. */
export class ReadingThread {
  readonly #options: StorePagesOptions;
  readonly #waiting = new Map<number, PromiseWithResolvers<object>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #newestTicket = 0;
  #drained: (() => void) | undefined;

  constructor(options: StorePagesOptions) {
    this.#options = options;
  }

  /**
   * Asks for a page.
   * @throws what {@link StorePages} throws, and `LEDGER.UNAVAILABLE` when the thread ends
   */
  read<M extends keyof PageCalls>(method: M, ...parameters: Parameters<PageCalls[M]>): ReturnType<PageCalls[M]> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    const ticket = ++this.#newestTicket;
    const answer = Promise.withResolvers<object>();
    this.#waiting.set(ticket, answer);
    worker.postMessage({ type: 'read', ticket, method, parameters });
    return answer.promise as ReturnType<PageCalls[M]>;
  }

  /** Lets what is under way finish, then ends the thread. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#waiting.size > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    await this.#end();
  }

  #start(): Worker {
    const worker = startThread('reading', this.#options, import.meta.url, { maxYoungGenerationSizeMb: YOUNG_MIB });
    worker.on('message', (message: FromReader) => {
      this.#receive(message);
    });
    worker.on('error', (error: Error) => {
      this.#lose(worker, error);
    });
    worker.on('exit', () => {
      this.#lose(worker, new LedgerError('LEDGER.UNAVAILABLE', 'The thread that reads pages ended: try again.'));
    });
    // Nobody waits for it at the end but those who close it.
    worker.unref();
    return worker;
  }

  #receive(message: FromReader): void {
    if (message.ticket === undefined) {
      for (const answer of this.#takeAll()) answer.reject(reviveError(message.error));
      void this.#end();
      return;
    }
    const answer = this.#waiting.get(message.ticket);
    this.#waiting.delete(message.ticket);
    if ('error' in message) answer?.reject(reviveError(message.error));
    else answer?.resolve(message.page);
    this.#rest();
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#drained?.();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    clearTimeout(this.#idle);
    const close: ToReader = { type: 'close' };
    worker.ref();
    worker.postMessage(close);
    await once(worker, 'exit');
  }

  #lose(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const failure = isLedgerError(error, 'LEDGER.UNAVAILABLE') ? error : unavailable(error);
    for (const answer of this.#takeAll()) answer.reject(failure);
    this.#drained?.();
  }

  #takeAll(): PromiseWithResolvers<object>[] {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    return all;
  }
}

function unavailable(cause: Error): LedgerError {
  return new LedgerError('LEDGER.UNAVAILABLE', `The thread that reads pages ended (${cause.message}): try again.`, {
    cause,
  });
}
