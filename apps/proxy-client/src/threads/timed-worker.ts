import { Worker } from 'node:worker_threads';

/** A thread did not answer in time, or has ended. */
export class WorkerError extends Error {
  readonly code: 'silent' | 'ended';

  constructor(code: WorkerError['code'], options: ErrorOptions = {}) {
    const { cause } = options;
    const ended = cause instanceof Error ? `The thread has ended: ${cause.message}` : 'The thread has ended.';
    super(code === 'silent' ? 'The thread did not answer in time.' : ended, options);
    this.name = 'WorkerError';
    this.code = code;
  }
}

export interface TimedWorkerOptions {
  /** The name of the thread, and of its module `NAME.worker`. */
  readonly name: string;
  /** The URL of a module in the folder of the worker's module. */
  readonly relativeTo: string;
  readonly data?: unknown;
  /** Milliseconds for one call. */
  readonly timeout: number;
}

interface Pending {
  readonly message: unknown;
  readonly known: (() => unknown) | undefined;
  readonly waiting: PromiseWithResolvers<unknown>;
}

/** A thread needs time to start, on a busy machine seconds: the first call has it in addition. */
const START_MS = 10_000;

/**
 * Calls a worker thread, one call after the other. A thread that does not answer in time is ended, since what it executes cannot be
 * interrupted; the next call starts another one. The calls that wait behind a silent one are not lost.
 */
export class TimedWorker<Message, Reply> {
  readonly #options: TimedWorkerOptions;
  #worker: Worker | undefined;
  readonly #queue: Pending[] = [];
  #current: Pending | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TimedWorkerOptions) {
    this.#options = options;
  }

  /** Calls that wait, or are in progress. */
  get pending(): number {
    return this.#queue.length + Number(this.#current !== undefined);
  }

  /**
   * @param known - is asked when it is the turn of the call: what it returns is the reply, without the thread. Calls that wait behind
   *   one that took too long would take as long
   * @throws {@link WorkerError}
   */
  async call(message: Message, known?: () => Reply | undefined): Promise<Reply> {
    const waiting = Promise.withResolvers<unknown>();
    this.#queue.push({ message, known, waiting });
    this.#next();
    return (await waiting.promise) as Reply;
  }

  /** Ends the thread. Calls in progress fail. */
  close(): void {
    this.#replace('ended');
    for (const { waiting } of this.#queue.splice(0)) waiting.reject(new WorkerError('ended'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#nextUnknown();
    if (next === undefined) return;
    this.#current = next;
    const { timeout } = this.#options;
    const limit = this.#worker === undefined ? START_MS + timeout : timeout;
    this.#worker ??= this.#start();
    this.#timer = setTimeout(() => {
      this.#replace('silent');
      this.#nextSoon();
    }, limit);
    this.#worker.postMessage(next.message);
  }

  /** Starts the next call after the caller of the previous one has seen its result, by which it may know the next reply. */
  #nextSoon(): void {
    if (this.#queue.length > 0) setImmediate(this.#next.bind(this));
  }

  /** Returns the next call that needs the thread, after the replies to those that do not. */
  #nextUnknown(): Pending | undefined {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const reply = next.known?.();
      if (reply === undefined) return next;
      next.waiting.resolve(reply);
    }
    return undefined;
  }

  #start(): Worker {
    const worker = startThread(this.#options);
    worker.on('message', (reply: unknown) => {
      if (worker !== this.#worker) return;
      this.#finish()?.resolve(reply);
      this.#nextSoon();
    });
    let cause: unknown;
    worker.once('error', (error: unknown) => {
      cause = error;
    });
    worker.once('exit', () => {
      if (worker !== this.#worker) return;
      this.#replace('ended', cause);
      this.#nextSoon();
    });
    worker.unref();
    return worker;
  }

  #replace(code: WorkerError['code'], cause?: unknown): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#finish()?.reject(new WorkerError(code, { cause }));
  }

  #finish(): PromiseWithResolvers<unknown> | undefined {
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = undefined;
    return current?.waiting;
  }
}

/** Starts a worker thread. When tests run the TypeScript sources, the thread resolves modules as its parent does. */
function startThread({ name, data, relativeTo }: TimedWorkerOptions): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const fromSource = new URL('../../../../libs/threads/src/run-from-source.mjs', import.meta.url).href;
  return new Worker(new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, relativeTo), {
    name,
    workerData: data,
    // Not those of the host program, of which some are invalid for a thread.
    execArgv: isSource ? ['--disable-warning=ExperimentalWarning', '--import', fromSource] : [],
  });
}
