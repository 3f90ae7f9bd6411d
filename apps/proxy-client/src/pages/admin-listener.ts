import { Worker } from 'node:worker_threads';
import type { AdminConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { ListenError } from '../listener/listen.js';
import type { AdminPlace, FromPages, PageGuard, ProxyView, Question, ToPages } from './proxy-view.js';

/** After a fault that ended the pages. */
const AGAIN_MS = 1000;

/** The pages are small and read by few. Their heap has no limit: to meet one may end the whole process. */
const MEMORY = { maxYoungGenerationSizeMb: 2 };

export interface AdminListenerOptions {
  readonly admin: AdminConfig;
  readonly guard: PageGuard;
  readonly view: ProxyView;
  readonly logger: ProxyLog;
}

/** Where it listens. */
export interface AdminAddress {
  readonly address: string;
  readonly port: number;
}

/**
 * The admin listener, as the proxy sees it: a thread that listens by itself and asks for what it shows. Whatever the pages
 * load, make or are asked for, tunnels go on.
 */
export class AdminListener {
  readonly #options: AdminListenerOptions;
  #worker: Worker;
  #guard: PageGuard;
  #place: AdminAddress | undefined;
  #isClosed = false;

  /** Starts the thread; what it needs to listen is loaded beside the proxy. */
  constructor(options: AdminListenerOptions) {
    this.#options = options;
    this.#guard = options.guard;
    this.#worker = this.#start();
  }

  /** Where it listens; undefined before, and when no port could be had. */
  get place(): AdminAddress | undefined {
    return this.#place;
  }

  /** Whether it is the one that this configuration asks for. */
  isFor(config: AdminConfig | undefined): boolean {
    const { host, port, orUpTo } = this.#options.admin;
    return host === config?.host && port === config.port && orUpTo === config.orUpTo;
  }

  /**
   * Starts to listen.
   *
   * @returns where; undefined when no port is free and none was asked for
   * @throws {@link ListenError}
   */
  async listen(): Promise<AdminAddress | undefined> {
    const { admin, logger } = this.#options;
    const { host, port, orUpTo } = admin;
    const bound = await this.#open({ host, port, orUpTo });
    if ('address' in bound) {
      this.#startAgainAfterFaults({ host: bound.address, port: bound.port });
      this.#place = bound;
      return bound;
    }
    this.close();
    if (orUpTo === undefined) throw new ListenError(admin, admin.setBy ?? 'the configuration', bound);
    const why = `no admin listener: none of the ports ${port} to ${orUpTo} of ${host} can be had (admin.port names another)`;
    logger.info({ code: bound.code }, why);
    return undefined;
  }

  /** Who may see what from now on. */
  guard(guard: PageGuard): void {
    this.#guard = guard;
    this.#worker.postMessage({ type: 'guard', guard } satisfies ToPages);
  }

  /** The proxy is about to end: who follows its events is told. */
  drain(): void {
    this.#worker.postMessage({ type: 'drain' } satisfies ToPages);
  }

  close(): void {
    this.#isClosed = true;
    void this.#worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./admin.worker.js', import.meta.url), { name: 'admin', resourceLimits: MEMORY });
    worker.on('message', (message: FromPages) => {
      if (message.type === 'ask') void this.#answer(worker, message);
      else if (message.type === 'fault') this.#options.logger.error({ detail: message.detail }, message.message);
    });
    worker.on('error', (err: Error) => {
      this.#options.logger.error({ err }, 'the admin pages have failed');
    });
    return worker;
  }

  /** @returns where the thread listens, or with which error it does not */
  async #open(place: Omit<AdminPlace, 'guard'>): Promise<AdminAddress | { readonly code: string }> {
    const worker = this.#worker;
    return new Promise((resolve) => {
      const onMessage = (message: FromPages): void => {
        if (message.type === 'listening') resolve({ address: message.address, port: message.port });
        else if (message.type === 'refused') resolve({ code: message.code });
        else return;
        worker.off('message', onMessage);
      };
      worker.on('message', onMessage);
      worker.once('exit', () => {
        resolve({ code: 'the thread has ended' });
      });
      worker.postMessage({ type: 'listen', place: { ...place, guard: this.#guard } } satisfies ToPages);
    });
  }

  async #answer(worker: Worker, { id, question, about }: Extract<FromPages, { type: 'ask' }>): Promise<void> {
    try {
      const view = this.#options.view as unknown as Record<
        Question,
        (...about: readonly unknown[]) => Promise<unknown>
      >;
      const answer = await view[question](...about);
      worker.postMessage({ type: 'answer', id, answer } satisfies ToPages);
    } catch (error) {
      worker.postMessage({ type: 'failed', id, reason: String(error) } satisfies ToPages);
    }
  }

  /** A fault of the pages ends their thread only. */
  #startAgainAfterFaults(place: Omit<AdminPlace, 'guard'>): void {
    this.#worker.once('exit', () => {
      setTimeout(() => {
        if (this.#isClosed) return;
        this.#worker = this.#start();
        this.#startAgainAfterFaults(place);
        void this.#open(place);
      }, AGAIN_MS).unref();
    });
  }
}
