import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { LogFile } from '#logging';
import { ConfigError } from '../config/config-faults.js';
import type { RequestLogConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import type { FinishedRequests } from './proxy-services.js';
import { requestLine, type LoggedRequest, type RequestEnd } from './request-line.js';

/** The destination of the lines. */
interface LineOutput {
  write(text: string, lines: number): void;
  writeNow(text: string): void;
}

/** An opened output and its configuration. */
export interface PreparedRequestLog {
  readonly config: RequestLogConfig | undefined;
  readonly file: LogFile | undefined;
}

export interface RequestLogOptions {
  /** Standard output, which the log of the program shares. */
  readonly stdout: LineOutput | undefined;
  /** Logs how many lines were lost. */
  readonly logger: ProxyLog;
}

/** The limits of a batch: one write per request would cost more than the request. */
const BATCH_MS = 100;
const BATCH_CHARACTERS = 65_536;
/** The interval of warnings while lines are lost. */
const WARN_INTERVAL_MS = 10_000;
/** The delay of the first warning, which collects the first losses. */
const WARN_DELAY_MS = 1000;

const UNWRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'is not writable by this user',
  EISDIR: 'is a directory',
  ENOENT: 'is in a directory that does not exist',
  ENOTDIR: 'is in a directory that does not exist',
  ENOTSUP: 'is a socket',
  ENXIO: 'is a pipe without a reader',
  EROFS: 'is on a read-only file system',
};

/**
 * Checks whether the file of the request log could be opened, without creating it.
 *
 * @returns what the start requires in addition: a pipe is not opened now, because its reader would see its end
 * @throws {@link ConfigError} as {@link RequestLog.prepare}
 */
export function checkRequestLog(config: RequestLogConfig | undefined): string | undefined {
  if (config?.file === undefined) return undefined;
  try {
    const found = statSync(config.file, { throwIfNoEntry: false });
    accessSync(found === undefined ? dirname(config.file) : config.file, constants.W_OK);
    if (found === undefined) return undefined;
    if (found.isDirectory()) throw withCode('EISDIR');
    if (found.isSocket()) throw withCode('ENOTSUP');
    return found.isFIFO() ? `${config.file} is a pipe, which another program must be reading` : undefined;
  } catch (error) {
    throw unwritable(config, error);
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function unwritable({ setBy }: RequestLogConfig, error: unknown): ConfigError {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const problem = `${UNWRITABLE[code] ?? 'cannot be opened'} (${code})`;
  return new ConfigError([{ source: setBy, key: 'log.requests', problem }]);
}

/**
 * The access log: one line for each finished request. Lines are batched and written asynchronously; if they cannot be written
 * they are dropped and counted.
 */
export class RequestLog implements FinishedRequests {
  readonly #options: RequestLogOptions;
  #config: RequestLogConfig | undefined;
  #file: LogFile | undefined;
  #output: LineOutput | undefined;
  #text = '';
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  #unreported = 0;
  #warnedAt = -WARN_INTERVAL_MS;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** The number of lines lost since the start; those of standard output are counted with the program's log. */
  get lost(): number {
    return this.#lost;
  }

  /** Adds the line of a finished request. */
  ended(request: LoggedRequest, end: RequestEnd): void {
    if (this.#config === undefined || this.#output === undefined) return;
    this.#text += requestLine(request, end, this.#config);
    this.#lines += 1;
    if (this.#text.length >= BATCH_CHARACTERS) this.#write();
    else this.#timer ??= setTimeout(this.#write, BATCH_MS).unref();
  }

  /**
   * Opens the output of a configuration; nothing is written there until {@link use} is called.
   *
   * @throws {@link ConfigError}
   */
  async prepare(config: RequestLogConfig | undefined): Promise<PreparedRequestLog> {
    if (config?.file === undefined) return { config, file: undefined };
    checkRequestLog(config);
    try {
      return { config, file: await LogFile.open(config.file, this.#lose) };
    } catch (error) {
      throw unwritable(config, error);
    }
  }

  /** Switches to a new output; the previous one is flushed and closed. */
  use({ config, file }: PreparedRequestLog): void {
    this.#write();
    const previous = this.#file;
    this.#config = config;
    this.#file = file;
    this.#output = config && (file ?? this.#options.stdout);
    void previous?.close();
  }

  /** Reopens the file, which may have been renamed by log rotation. */
  async reopen(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      this.use(await this.prepare(this.#config));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#options.logger.error({ fault: error.message }, 'the request log could not be reopened and is unchanged');
    }
  }

  /** Writes the batch synchronously, as far as possible, because the program is about to exit. */
  flushNow(): void {
    if (this.#text !== '') this.#output?.writeNow(this.#text);
    this.#reset();
  }

  /** Writes the batch, and closes the output. */
  async close(): Promise<void> {
    this.#write();
    this.#output = undefined;
    await this.#file?.close();
  }

  readonly #write = (): void => {
    if (this.#lines > 0) this.#output?.write(this.#text, this.#lines);
    this.#reset();
  };

  #reset(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text = '';
    this.#lines = 0;
  }

  readonly #lose = (lines: number): void => {
    this.#lost += lines;
    if (this.#unreported === 0) {
      const next = this.#warnedAt + WARN_INTERVAL_MS - performance.now();
      setTimeout(this.#warn, Math.max(WARN_DELAY_MS, next)).unref();
    }
    this.#unreported += lines;
  };

  readonly #warn = (): void => {
    this.#options.logger.warn(
      { lines: this.#unreported },
      'lines of the request log could not be written and are lost',
    );
    this.#unreported = 0;
    this.#warnedAt = performance.now();
  };
}
