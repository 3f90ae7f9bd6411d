import { constants, open } from 'node:fs';
import { promisify } from 'node:util';
import { FileSink, type LogSink } from './log-sink.js';

/** Characters that are buffered while an output accepts nothing; lines beyond that are dropped. */
const BUFFER_LIMIT = 1_048_576;
/** The same for a log file, which may see many more lines a second. */
const FILE_BUFFER_LIMIT = 8 * 1_048_576;
/** The interval at which a dropped line is reported again while nothing else is logged. */
const REPORT_RETRY_MS = 1000;

/** Fails for a pipe without a reader, and never blocks on one whose reader stops. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Logs are for the user who runs the program; an existing file keeps its mode. */
const OWNER_ONLY = 0o600;

/** Options of a {@link LogDestination}. */
export interface LogDestinationOptions {
  /** Characters that may be buffered. */
  readonly limit?: number;
  /** Milliseconds between attempts to report a loss. */
  readonly retry?: number;
  /** Is called with each loss, for outputs that cannot report it themselves (see {@link LogDestination.reportLosses}). */
  readonly onLoss?: (lines: number) => void;
}

/**
 * The output of a program's log: never blocks, never throws, and buffers a bounded number of characters. Lines that cannot
 * be written, because the disk is full or a reader is too slow, are dropped and counted, and the log reports their number
 * as soon as it accepts lines again.
 *
 * pino's own destinations (SonicBoom, `fs.Utf8Stream`) do not return from `flushSync` on a full disk, so a fatal line or an
 * exit would hang (docs/adr/0083).
 */
export class LogDestination {
  readonly #sink: LogSink;
  readonly #limit: number;
  readonly #retry: number;
  readonly #onLoss: LogDestinationOptions['onLoss'];
  #report: ((lines: number) => void) | undefined;
  #buffer = '';
  #isWriting = false;
  #lost = 0;
  /** Lost lines that no written line has reported yet, and those that the line in flight reports. */
  #unreported = 0;
  #reporting = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed: (() => void)[] = [];

  constructor(sink: LogSink, { limit = BUFFER_LIMIT, retry = REPORT_RETRY_MS, onLoss }: LogDestinationOptions = {}) {
    this.#sink = sink;
    this.#limit = limit;
    this.#retry = retry;
    this.#onLoss = onLoss;
  }

  /** Lines lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** @param report - logs one line to this destination with the number of lost lines */
  reportLosses(report: (lines: number) => void): void {
    this.#report = report;
  }

  /**
   * Writes or buffers lines.
   *
   * @param text - lines, each with its line feed
   * @param lines - their number
   */
  write(text: string, lines = 1): void {
    if (!this.#isWriting) this.#send(text);
    else if (this.#buffer.length + text.length <= this.#limit) this.#buffer += text;
    else this.#lose(lines);
  }

  /** Resolves when everything is written, or after the timeout in milliseconds, so that no reader delays an exit. */
  async flush(timeout = 1000): Promise<void> {
    if (!this.#isWriting) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const finish = (): void => {
      resolve(undefined);
    };
    this.#flushed.push(finish);
    const timer = setTimeout(finish, timeout);
    await promise;
    clearTimeout(timer);
  }

  /** Writes the buffer synchronously as far as the output accepts it; pino calls this after a fatal line. */
  flushSync(): void {
    this.writeNow('');
  }

  /** Writes the buffer and some last lines synchronously, for a program that is about to exit. */
  writeNow(text: string): void {
    const all = this.#takeBuffer() + text;
    if (all !== '') this.#sink.writeNow(all);
  }

  #send(text: string): void {
    this.#isWriting = true;
    this.#sink.write(text, this.#onWritten);
  }

  readonly #onWritten = (lost: number): void => {
    this.#countResult(lost);
    // A loss is reported after the buffered lines, and after a failure only once some time has passed.
    const text = this.#takeBuffer() + (lost === 0 ? this.#reportLine() : '');
    this.#isWriting = false;
    if (text !== '') this.#send(text);
    else for (const resolve of this.#flushed.splice(0)) resolve();
    if (lost > 0) this.#reportLater();
  };

  /** A report that is lost itself is not counted: the next one contains the same lines. */
  #countResult(lost: number): void {
    if (lost === 0) this.#unreported -= this.#reporting;
    else this.#lose(this.#reporting > 0 ? lost - 1 : lost);
    this.#reporting = 0;
  }

  #takeBuffer(): string {
    const text = this.#buffer;
    this.#buffer = '';
    return text;
  }

  /** Returns the line that reports losses, or an empty text if there are none. */
  #reportLine(): string {
    if (this.#unreported === 0 || this.#report === undefined) return '';
    this.#reporting = this.#unreported;
    this.#isWriting = true;
    this.#report(this.#unreported);
    const line = this.#takeBuffer();
    // It was reported elsewhere, so nothing is being written here.
    if (line === '') {
      this.#isWriting = false;
      this.#countResult(0);
    }
    return line;
  }

  #reportLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const line = this.#isWriting ? '' : this.#reportLine();
      if (line !== '') this.#send(line);
    }, this.#retry).unref();
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#unreported += lines;
    this.#onLoss?.(lines);
  }
}

const openFile = promisify(open);

/** A log in a file: never blocks, never throws, and reports lost lines to its owner. */
export class LogFile extends LogDestination {
  readonly #file: FileSink;

  private constructor(file: FileSink, onLoss: (lines: number) => void) {
    super(file, { limit: FILE_BUFFER_LIMIT, onLoss });
    this.#file = file;
  }

  /**
   * Opens a file for appending, and creates it if necessary.
   *
   * @param onLoss - is called with the number of lines that could not be written
   * @throws the errors of node:fs `open`
   */
  static async open(path: string, onLoss: (lines: number) => void): Promise<LogFile> {
    return new LogFile(new FileSink(await openFile(path, APPEND, OWNER_ONLY)), onLoss);
  }

  /** Writes the buffer and closes the file; gives up after a second. */
  async close(): Promise<void> {
    await this.flush();
    this.#file.close();
  }
}
