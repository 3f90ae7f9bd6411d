import { LogFile } from '#logging';
import { ConfigError } from '../config/config-faults.js';
import type { RequestLogConfig } from '../config/proxy-client-config.js';
import type { ProxyLog } from '../failure/failure-reporter.js';
import { requestLine, type LoggedRequest, type RequestEnd } from './request-line.js';

/** What takes the lines. */
interface LineOutput {
  write(text: string, lines: number): void;
  writeNow(text: string): void;
}

/** An output that was opened, and what is to be written there. */
export interface PreparedRequestLog {
  readonly config: RequestLogConfig | undefined;
  readonly file: LogFile | undefined;
}

export interface RequestLogOptions {
  /** Where `stdout` leads: the log of the program goes there too. */
  readonly stdout: LineOutput | undefined;
  /** Is told of lines that are lost. */
  readonly logger: ProxyLog;
}

/** So long lines are gathered, and so many characters: a write for each request would cost more than the request. */
const GATHER_MS = 100;
const GATHER_CHARACTERS = 65_536;
/** While lines are lost, it is said so often. */
const SAY_EVERY_MS = 10_000;
/** The first that are lost are told together. */
const SAY_AFTER_MS = 1000;

const UNWRITABLE: Readonly<Record<string, string>> = {
  EACCES: 'may not be written by this user',
  EISDIR: 'is a directory',
  ENOENT: 'is in a directory that is not there',
  ENOTDIR: 'is in a directory that is not there',
  ENXIO: 'is a pipe that nobody reads',
  EROFS: 'is on a disk that cannot be written to',
};

/**
 * One line for each request that has ended. It costs a request a text in memory: lines are gathered and written beside it,
 * and are lost, and counted, where they cannot be.
 */
export class RequestLog {
  readonly #options: RequestLogOptions;
  #config: RequestLogConfig | undefined;
  #file: LogFile | undefined;
  #output: LineOutput | undefined;
  #text = '';
  #lines = 0;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  #untold = 0;
  #saidAt = -SAY_EVERY_MS;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** Whether anybody wants the lines. */
  get isOn(): boolean {
    return this.#output !== undefined;
  }

  /** Lines lost since the start; those of standard output are counted with the program's own. */
  get lost(): number {
    return this.#lost;
  }

  /** A request has ended. */
  ended(request: LoggedRequest, end: RequestEnd): void {
    if (this.#config === undefined || this.#output === undefined) return;
    this.#text += requestLine(request, end, this.#config);
    this.#lines += 1;
    if (this.#text.length >= GATHER_CHARACTERS) this.#write();
    else this.#timer ??= setTimeout(this.#write, GATHER_MS).unref();
  }

  /**
   * Opens what a configuration names; nothing is written there before it is used.
   *
   * @throws {@link ConfigError}
   */
  async prepare(config: RequestLogConfig | undefined): Promise<PreparedRequestLog> {
    if (config?.file === undefined) return { config, file: undefined };
    try {
      return { config, file: await LogFile.open(config.file, this.#lose) };
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      const problem = `${UNWRITABLE[code] ?? 'cannot be opened'} (${code})`;
      throw new ConfigError([{ source: config.setBy, key: 'log.requests', problem }]);
    }
  }

  /** From now on lines go there; what was before is written to its end, and closed. */
  use({ config, file }: PreparedRequestLog): void {
    this.#write();
    const previous = this.#file;
    this.#config = config;
    this.#file = file;
    this.#output = config && (file ?? this.#options.stdout);
    void previous?.close();
  }

  /** Opens the file anew, which may have been renamed: the next lines go to one of its name. */
  async reopen(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      this.use(await this.prepare(this.#config));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#options.logger.error(
        { fault: error.message },
        'the request log could not be opened anew: it goes on as it was',
      );
    }
  }

  /** Writes what was gathered at once, as far as that goes: the program is about to end. */
  flushNow(): void {
    if (this.#text !== '') this.#output?.writeNow(this.#text);
    this.#forget();
  }

  /** Writes what was gathered, and ends. */
  async close(): Promise<void> {
    this.#write();
    this.#output = undefined;
    await this.#file?.close();
  }

  readonly #write = (): void => {
    if (this.#lines > 0) this.#output?.write(this.#text, this.#lines);
    this.#forget();
  };

  #forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text = '';
    this.#lines = 0;
  }

  readonly #lose = (lines: number): void => {
    this.#lost += lines;
    if (this.#untold === 0) {
      const next = this.#saidAt + SAY_EVERY_MS - performance.now();
      setTimeout(this.#tell, Math.max(SAY_AFTER_MS, next)).unref();
    }
    this.#untold += lines;
  };

  readonly #tell = (): void => {
    this.#options.logger.warn({ lines: this.#untold }, 'lines of the request log could not be written and are lost');
    this.#untold = 0;
    this.#saidAt = performance.now();
  };
}
