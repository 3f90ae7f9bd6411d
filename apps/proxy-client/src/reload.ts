import { ConfigError } from './config/config-faults.js';
import type { LoadedConfig } from './config/load-config.js';
import { marksOf, type FileMarks } from './config/references.js';
import type { ProxyLog } from './failure/failure-reporter.js';
import { ListenError } from './listener/listen.js';
import type { ProxyUrls } from './proxy.js';

const POLL_INTERVAL_MS = 1000;

export interface ReloaderOptions {
  /**
   * Loads the configuration with the options and environment of the start, without blocking the event loop.
   *
   * @throws {@link ConfigError}
   */
  readonly load: () => Promise<LoadedConfig>;
  /**
   * Applies a configuration, completely or not at all.
   *
   * @throws {@link ListenError}
   */
  readonly change: (loaded: LoadedConfig) => Promise<ProxyUrls>;
  /** Reopens log files, which may have been renamed; also called when a reload fails. */
  readonly reopenLogs: () => Promise<void>;
  /** The files of the present configuration, with their state before they were read. */
  readonly files: FileMarks;
  /** Resolves when the proxy has started; no reload begins before. */
  readonly started: Promise<unknown>;
  readonly logger: ProxyLog;
}

/** Reloads the configuration from its files, on request or when one of them changes. After an error the proxy keeps the present one. */
export class Reloader {
  readonly #options: ReloaderOptions;
  #files: FileMarks;
  #reloading: Promise<unknown>;
  /** The reload that has not begun. */
  #waiting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#reloading = options.started;
  }

  /** Reloads after the start and after a reload in progress. Requests in the meantime share one reload. */
  async reload(reason: string): Promise<void> {
    this.#waiting ??= this.#reloading.then(async () => {
      this.#waiting = undefined;
      await this.#reload(reason);
    });
    this.#reloading = this.#waiting;
    await this.#waiting;
  }

  /**
   * Reloads whenever a file has changed. The files are polled, because editors replace files and Kubernetes replaces folders, which
   * a watch of the previous file or folder does not report.
   */
  watch(): void {
    this.#timer = setTimeout(() => {
      void this.#poll().then(() => {
        this.watch();
      });
    }, POLL_INTERVAL_MS).unref();
  }

  /** Stops; a configuration that is being loaded is not applied. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    const now = await marksOf(this.#files.keys());
    const changed = [...this.#files].find(([file, seen]) => now.get(file) !== seen);
    if (changed !== undefined) await this.reload(`${changed[0]} has changed`);
  }

  async #reload(reason: string): Promise<void> {
    const { load, change, reopenLogs, logger } = this.#options;
    try {
      const loaded = await load();
      if (this.#isStopped) return;
      this.#files = loaded.files;
      const urls = await change(loaded);
      logger.info({ reason, ...urls }, 'configuration reloaded');
    } catch (error) {
      if (!(error instanceof ConfigError) && !(error instanceof ListenError)) throw error;
      // Also if a file cannot be opened: the error lists the files to poll.
      if (error instanceof ConfigError && error.files.size > 0) this.#files = error.files;
      const faults = error.message.split('\n');
      logger.error({ reason, faults }, 'configuration not reloaded: the previous one stays in force');
      await reopenLogs();
    }
  }
}
