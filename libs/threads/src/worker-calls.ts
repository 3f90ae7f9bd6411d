import { parentPort, Worker, type ResourceLimits } from 'node:worker_threads';
import { movedBuffers } from './moved-bytes.js';
import { isLedgerError, LedgerError, type LedgerErrorCode } from '#ledger-gateway';

/** Functions that a worker thread offers. */
export type WorkerMethods<Methods> = { readonly [Name in keyof Methods]: (...parameters: never[]) => unknown };

/** A message to the worker; without an id no reply is sent. */
interface Call {
  readonly id: number | undefined;
  readonly method: string;
  readonly parameters: readonly unknown[];
}

/** A message from the worker. An error without an id means that the worker could not start. */
type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: TransferredError }
  | { readonly id: undefined; readonly error: TransferredError }
  | { readonly event: unknown };

/** The thread that {@link WorkerCalls} starts. */
export interface WorkerOptions {
  /** Name of the thread, and of its module `NAME.worker`. */
  readonly name: string;
  readonly data?: unknown;
  /** URL of a module in the folder of the worker's module. */
  readonly relativeTo: string;
  readonly resourceLimits?: ResourceLimits;
  /** What the thread does, for the error of the calls that its end interrupts. */
  readonly task: string;
  readonly onEvent?: (event: unknown) => void;
  /** Called when the thread has ended, with the error that ended it. */
  readonly onEnd?: (cause: Error | undefined) => void;
}

/** Calls functions in a worker thread that {@link serveCalls} offers there. */
export class WorkerCalls<Methods extends WorkerMethods<Methods>> {
  readonly #worker: Worker;
  readonly #options: WorkerOptions;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #newestId = 0;
  #failure: Error | undefined;

  /** Starts the thread. */
  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#worker = startThread(options);
    this.#worker.on('message', (reply: Reply) => {
      this.#receive(reply);
    });
    // An 'exit' event follows every error.
    let cause: Error | undefined;
    this.#worker.once('error', (error: Error) => {
      cause = error;
    });
    this.#worker.once('exit', () => {
      this.#fail(this.#ended(cause));
      options.onEnd?.(cause);
    });
  }

  /** Number of calls that wait for their result. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Whether the thread has ended or could not start; every call fails then. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Lets the process exit while the thread runs. */
  unref(): void {
    this.#worker.unref();
  }

  /** Keeps the process from exiting while the thread runs, as at the beginning. */
  ref(): void {
    this.#worker.ref();
  }

  /**
   * Calls a function in the thread.
   * @throws what the function throws, and `LEDGER.UNAVAILABLE` when the thread ends
   */
  async call<M extends keyof Methods & string>(
    method: M,
    ...parameters: Parameters<Methods[M]>
  ): Promise<Awaited<ReturnType<Methods[M]>>> {
    if (this.#failure !== undefined) throw this.#failure;
    const id = ++this.#newestId;
    const waiting = Promise.withResolvers<unknown>();
    this.#pending.set(id, waiting);
    this.#worker.postMessage({ id, method, parameters } satisfies Call, movedBuffers(parameters));
    return (await waiting.promise) as Awaited<ReturnType<Methods[M]>>;
  }

  /** Calls a function in the thread without waiting for it. An error that it throws ends the thread. */
  send<M extends keyof Methods & string>(method: M, ...parameters: Parameters<Methods[M]>): void {
    this.#worker.postMessage({ id: undefined, method, parameters } satisfies Call);
  }

  /** Ends the thread at once. Pending calls fail. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(reply: Reply): void {
    if ('event' in reply) {
      this.#options.onEvent?.(reply.event);
      return;
    }
    if (reply.id === undefined) {
      this.#fail(reviveError(reply.error));
      return;
    }
    const waiting = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('error' in reply) waiting?.reject(reviveError(reply.error));
    else waiting?.resolve(reply.result);
  }

  #ended(cause: Error | undefined): LedgerError {
    const reason = cause === undefined ? '' : ` (${cause.message})`;
    const text = `The thread that ${this.#options.task} ended${reason}. Try again.`;
    return new LedgerError('LEDGER.UNAVAILABLE', text, { cause });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
  }
}

/**
 * Starts a worker thread. When tests run the TypeScript sources, the thread resolves modules as its parent does; see
 * run-from-source.mjs.
 */
function startThread({ name, data, relativeTo, resourceLimits = {} }: WorkerOptions): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const fromSource = new URL('./run-from-source.mjs', import.meta.url).href;
  return new Worker(new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, relativeTo), {
    name: `ledger-${name}`,
    workerData: data,
    resourceLimits,
    // Not those of the host program, such as --test or --inspect, of which some are invalid for a thread.
    execArgv: isSource ? ['--disable-warning=ExperimentalWarning', '--import', fromSource] : [],
  });
}

/**
 * Offers functions to the thread that started this one. Called once, at the top of a worker's module.
 * @param start - creates the functions; an error that it throws is reported to the starting thread, which also receives the
 * events that it emits
 */
export function serveCalls(start: (emit: (event: unknown) => void) => object): void {
  const port = parentPort;
  if (port === null) throw new Error('This module runs in a worker thread only.');
  const reply = (message: Reply): void => {
    port.postMessage(message);
  };
  let methods: Readonly<Record<string, (...parameters: readonly unknown[]) => unknown>>;
  try {
    methods = start((event) => {
      reply({ event });
    }) as typeof methods;
  } catch (error) {
    reply({ id: undefined, error: transferError(error) });
    return;
  }
  port.on('message', ({ id, method, parameters }: Call) => {
    if (id === undefined) {
      methods[method]?.(...parameters);
      return;
    }
    void (async () => {
      try {
        const result = await methods[method]?.(...parameters);
        port.postMessage({ id, result } satisfies Reply, movedBuffers([result]));
      } catch (error) {
        reply({ id, error: transferError(error) });
      }
    })();
  });
}

/** An error in a message between threads; structured cloning would lose its class and code. */
export interface TransferredError {
  /** Undefined for an error that is not one of the port's. */
  readonly code: LedgerErrorCode | undefined;
  readonly message: string;
  readonly transactionId: string | undefined;
  /** For the log. */
  readonly stack: string | undefined;
}

/** Converts an error for `postMessage`. */
export function transferError(error: unknown): TransferredError {
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  const { code, transactionId } = isLedgerError(error) ? error : {};
  return { code, message, transactionId, stack };
}

/** Recreates the error on the receiving thread. */
export function reviveError({ code, message, transactionId, stack }: TransferredError): Error {
  if (code !== undefined) return new LedgerError(code, message, transactionId === undefined ? {} : { transactionId });
  const unexpected = new Error(message);
  if (stack !== undefined) unexpected.stack = stack;
  return unexpected;
}
