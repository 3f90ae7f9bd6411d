import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { AdminConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { ListenError } from '../listener/listen-error.js';
import type { BoundAddress } from '../routing/rules/own-addresses.js';
import type { AccessRules } from './access-rules.js';
import type { ProxyView } from './proxy-view.js';
import type { AdminAddress, PagesThread } from './remote-view.js';
import { connectThreads, methodsOf, type Remote } from './thread-rpc.js';

const RESTART_DELAY_MS = 1000;
const DRAIN_TIMEOUT_MS = 2000;

/** The pages are small and have few readers. Their heap is not limited: exceeding the limit can end the whole process. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 2 };

export interface AdminListenerOptions {
  readonly admin: AdminConfig;
  readonly access: AccessRules;
  readonly view: ProxyView;
  readonly logger: ProxyLog;
}

/**
 * The admin listener, as the main thread sees it: a worker thread that listens and asks the main thread for the data of its pages. Nothing
 * that the pages load or do delays tunnels.
 */
export class AdminListener {
  readonly #options: AdminListenerOptions;
  #access: AccessRules;
  #worker: Worker;
  #pages: Remote<PagesThread>;
  #bound: BoundAddress | undefined;
  #isClosed = false;

  /** Starts the thread, which loads its code while the proxy starts. */
  constructor(options: AdminListenerOptions) {
    this.#options = options;
    this.#access = options.access;
    [this.#worker, this.#pages] = this.#start();
  }

  /** The bound address; undefined before `listen`, and if no port was free. */
  get bound(): BoundAddress | undefined {
    return this.#bound;
  }

  /** Returns whether a configuration enables this listener. */
  isFor(config: AdminConfig | undefined): boolean {
    const { host, port, orUpTo } = this.#options.admin;
    return host === config?.host && port === config.port && orUpTo === config.orUpTo;
  }

  /**
   * Starts to listen.
   *
   * @returns the bound address; undefined if no port is free and the configuration names none
   * @throws {@link ListenError}
   */
  async listen(): Promise<BoundAddress | undefined> {
    const { admin, logger } = this.#options;
    const { host, port, orUpTo } = admin;
    const bound = await this.#open({ host, port, ...(orUpTo !== undefined && { orUpTo }) });
    if ('address' in bound) {
      this.#restartAfterFailures({ host: bound.address, port: bound.port });
      this.#bound = bound;
      return bound;
    }
    this.close();
    if (orUpTo === undefined) throw new ListenError(admin, admin.setBy ?? 'the configuration', bound);
    const message = `no admin listener: none of the ports ${port} to ${orUpTo} of ${host} is free (admin.port names another)`;
    logger.info({ code: bound.code }, message);
    return undefined;
  }

  /** Changes who may see the pages, event streams that are open included. */
  setAccess(access: AccessRules): void {
    this.#access = access;
    void this.#pages.setAccess(access).catch(() => undefined);
  }

  /** Sends `event: end` to all event streams, and resolves when they have received it. */
  async drain(): Promise<void> {
    const drained = this.#pages.drain().catch(() => undefined);
    await Promise.race([drained, delay(DRAIN_TIMEOUT_MS, undefined, { ref: false })]);
  }

  close(): void {
    this.#isClosed = true;
    void this.#worker.terminate();
  }

  #start(): [Worker, Remote<PagesThread>] {
    const { view, logger } = this.#options;
    const worker = new Worker(new URL('./admin.worker.js', import.meta.url), {
      name: 'admin',
      resourceLimits: RESOURCE_LIMITS,
      workerData: methodsOf(view),
    });
    worker.on('error', (err: Error) => {
      logger.error({ err }, 'the thread of the admin pages has failed');
    });
    return [worker, connectThreads<PagesThread>(worker, view, ['listen', 'setAccess', 'drain'])];
  }

  async #open(address: AdminAddress): Promise<BoundAddress | { readonly code: string }> {
    return this.#pages.listen(address, this.#access).catch(() => ({ code: 'the thread has exited' }));
  }

  /** A failure of the pages ends their thread only, which is started again. */
  #restartAfterFailures(address: AdminAddress): void {
    this.#worker.once('exit', () => {
      setTimeout(() => {
        if (!this.#isClosed) void this.#restart(address);
      }, RESTART_DELAY_MS).unref();
    });
  }

  async #restart(address: AdminAddress): Promise<void> {
    [this.#worker, this.#pages] = this.#start();
    const worker = this.#worker;
    this.#restartAfterFailures(address);
    const bound = await this.#open(address);
    if ('address' in bound || this.#isClosed) return;
    this.#options.logger.error({ ...address, code: bound.code }, 'the admin listener cannot be opened again');
    // Tries again when it has exited.
    void worker.terminate();
  }
}
