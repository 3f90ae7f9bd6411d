import { ConfigError } from './config/config-faults.js';
import type { LoadedConfig } from './config/load-config.js';
import { lookAt, type FileMarks } from './config/references.js';
import type { ProxyLog } from './failure/failure-reporter.js';
import { ListenError } from './listener/listen.js';
import type { ProxyUrls } from './proxy.js';

/** How often the files are looked at. */
const LOOK_MS = 1000;

export interface ReloaderOptions {
  /**
   * Reads the configuration anew, beside all else that goes on.
   *
   * @throws {@link ConfigError}
   */
  readonly load: () => Promise<LoadedConfig>;
  /**
   * Changes to it, whole or not at all.
   *
   * @throws {@link ListenError}
   */
  readonly change: (loaded: LoadedConfig) => Promise<ProxyUrls>;
  /** Opens files of logs anew, which may have been renamed: also when nothing else can be changed. */
  readonly reopenLogs: () => Promise<void>;
  /** The files that the present configuration comes from, as they looked before they were read. */
  readonly files: FileMarks;
  /** Resolves when the first configuration holds: nothing is changed before. */
  readonly started: Promise<unknown>;
  readonly logger: ProxyLog;
}

/**
 * Changes to the configuration as it stands in its files by now, when it is asked to or when one of them changes. Whatever is
 * wrong with it is logged, and what was before goes on.
 */
export class Reloader {
  readonly #options: ReloaderOptions;
  #files: FileMarks;
  #reloading: Promise<unknown>;
  /** The one that has not begun. */
  #waiting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: ReloaderOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#reloading = options.started;
  }

  /** Reloads, behind the start and the reload that is under way. One that waits there is for all who ask meanwhile. */
  async reload(reason: string): Promise<void> {
    this.#waiting ??= this.#reloading.then(async () => {
      this.#waiting = undefined;
      await this.#reload(reason);
    });
    this.#reloading = this.#waiting;
    await this.#waiting;
  }

  /**
   * Reloads whenever a file has changed. They are looked at instead of being watched: editors put another file in the place of
   * one, and Kubernetes another folder, of which a watch for the first one sees nothing.
   */
  watch(): void {
    this.#timer = setTimeout(() => {
      void this.#look().then(() => {
        this.watch();
      });
    }, LOOK_MS).unref();
  }

  /** The program ends: what is being read changes nothing any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const now = await lookAt(this.#files.keys());
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
      // A file that cannot be opened is found behind the reading, which has said what to look at.
      if (error instanceof ConfigError && error.files.size > 0) this.#files = error.files;
      const faults = error.message.split('\n');
      logger.error({ reason, faults }, 'configuration not reloaded: the one before goes on');
      await reopenLogs();
    }
  }
}
