import { TimedWorker, WorkerError } from '../threads/timed-worker.js';

/** The data of the worker. */
export interface PacWorkerData {
  readonly script: string;
  /** Whether names are resolved. */
  readonly resolves: boolean;
}

/** A request to the worker: to evaluate the script, or only to load it. */
export interface PacRequest {
  readonly url: string;
  readonly host: string;
}

/** Why there is no answer. */
export interface PacError {
  readonly error: PacErrorCode;
  /** Of an exception of the script, or of its thread. */
  readonly message?: string;
}

/** What the worker answers: the text that the script returned, or why there is none. */
export type PacReply = { readonly result: string } | PacError;

export type PacErrorCode =
  | 'script'
  | 'no-function'
  | 'exception'
  | 'time'
  | 'memory'
  | 'no-text'
  | 'long'
  | 'names'
  | 'silent'
  | 'ended';

/** The time for a call: the limit of the script is shorter, so that only a thread that hangs exceeds it. */
const CALL_MS = 3000;
/** With names that are resolved. */
const RESOLVING_CALL_MS = 10_000;
const CACHE_ENTRIES = 1000;
const CACHE_MS = 60_000;
/** A script that did not answer so often is not asked for a while: each call costs the thread a second. */
const MAX_TIMEOUTS = 3;
const PAUSE_MS = 30_000;

interface Cached {
  readonly reply: Promise<PacReply>;
  readonly at: number;
}

/** Evaluates a PAC script in a thread, with a cache of its answers. */
export class PacEvaluator {
  readonly #worker: TimedWorker<PacRequest | 'load', PacReply>;
  readonly #clock: () => number;
  readonly #cache = new Map<string, Cached>();
  /** The answers in the cache that are known already. */
  readonly #known = new WeakMap<Promise<PacReply>, PacReply>();
  #timeouts = 0;
  #pausedUntil = 0;

  /** @param clock - milliseconds */
  constructor(data: PacWorkerData, clock: () => number = performance.now.bind(performance)) {
    this.#clock = clock;
    const timeout = data.resolves ? RESOLVING_CALL_MS : CALL_MS;
    this.#worker = new TimedWorker({ name: 'pac', relativeTo: import.meta.url, data, timeout });
  }

  /** Loads the script; returns why it cannot be used. */
  async load(): Promise<PacError | undefined> {
    const reply = await this.#call('load');
    return 'error' in reply ? reply : undefined;
  }

  /** Returns the answer for a request if it is in the cache. */
  cached(request: PacRequest): PacReply | undefined {
    const cached = this.#cache.get(request.url);
    return cached === undefined || this.#isOld(cached) ? undefined : this.#known.get(cached.reply);
  }

  /** Returns the answer of the script for a request. */
  async find(request: PacRequest): Promise<PacReply> {
    const cached = this.#cache.get(request.url);
    if (cached !== undefined && !this.#isOld(cached)) return cached.reply;
    const pause = this.#pause();
    if (pause !== undefined) return pause;
    const reply = this.#ask(request);
    // The order of a Map is that of insertion.
    this.#cache.delete(request.url);
    this.#cache.set(request.url, { reply, at: this.#clock() });
    const [oldest = ''] = this.#cache.keys();
    if (this.#cache.size > CACHE_ENTRIES) this.#cache.delete(oldest);
    return reply;
  }

  /** Ends the thread. */
  close(): void {
    this.#worker.close();
  }

  /** Returns the reply while the script is not asked. */
  #pause(): PacReply | undefined {
    const isPaused = this.#timeouts >= MAX_TIMEOUTS && this.#clock() < this.#pausedUntil;
    return isPaused ? { error: 'silent' } : undefined;
  }

  #isOld({ at }: Cached): boolean {
    return this.#clock() - at > CACHE_MS;
  }

  async #ask(request: PacRequest): Promise<PacReply> {
    const reply = await this.#call(request, () => this.#pause());
    const isTimeout = 'error' in reply && (reply.error === 'time' || reply.error === 'silent');
    this.#timeouts = isTimeout ? this.#timeouts + 1 : 0;
    if (isTimeout) this.#pausedUntil = this.#clock() + PAUSE_MS;
    const cached = this.#cache.get(request.url);
    // Failures may be temporary.
    if ('error' in reply) this.#cache.delete(request.url);
    else if (cached !== undefined) this.#known.set(cached.reply, reply);
    return reply;
  }

  async #call(request: PacRequest | 'load', known?: () => PacReply | undefined): Promise<PacReply> {
    try {
      return await this.#worker.call(request, known);
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const { cause } = error;
      return { error: error.code, ...(cause instanceof Error && { message: cause.message }) };
    }
  }
}
