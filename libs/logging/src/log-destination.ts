import { close, constants, fstatSync, open, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';

/** Characters that are buffered while an output accepts nothing; lines beyond that are dropped. */
const BUFFER_LIMIT = 1_048_576;
/** The same for a log file, which may see many more lines a second. */
const FILE_BUFFER_LIMIT = 8 * 1_048_576;
/** The interval at which a dropped line is reported again while nothing else is logged. */
const REPORT_RETRY_MS = 1000;
/** The delay before an output that accepts nothing is tried again. */
const RETRY_MS = 50;

/** Fails for a pipe without a reader, and never blocks on one whose reader stops. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Logs are for the user who runs the program; an existing file keeps its mode. */
const OWNER_ONLY = 0o600;
const LINE_FEED = 0x0a;

const ignore = (): void => undefined;

/** An output that accepts bytes without blocking the event loop. */
export interface LogOutput {
  /** @param done - is called asynchronously with an error, or with the number of bytes written */
  write(bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null | undefined, written: number) => void): void;
  /** Writes synchronously as much as the output accepts, for a program that is about to exit. */
  writeNow(text: string): void;
}

/** Creates the output for a file, device or terminal. Node's thread pool writes, so that a hanging disk blocks no one. */
export function fileOutput(fd: number): LogOutput {
  return {
    write: (bytes, done) => {
      write(fd, bytes, done);
    },
    writeNow: (text) => {
      try {
        writeSync(fd, text);
      } catch {
        // The program exits, and there is no other place to report this.
      }
    },
  };
}

/** Creates the output for a non-blocking stream. */
export function streamOutput(stream: NodeJS.WritableStream): LogOutput {
  // Errors reach the callback of each write; without a listener they would also end the process.
  stream.on('error', ignore);
  return {
    write: (bytes, done) => {
      stream.write(bytes, (error) => {
        done(error, bytes.length);
      });
    },
    writeNow: (text) => {
      stream.write(text);
    },
  };
}

/** Creates the output for standard output, whatever kind of file that is. */
export function standardOutput(): LogOutput {
  const kind = fstatSync(1);
  // Node's stream is non-blocking for pipes and sockets, and blocking for files and terminals.
  return kind.isFIFO() || kind.isSocket() ? streamOutput(process.stdout) : fileOutput(isatty(1) ? openTerminal() : 1);
}

/**
 * Opens the terminal again in non-blocking mode, so that a write fails while output is held (Ctrl-S, a hanging connection).
 * The mode of descriptor 1 itself is shared with other programs. Where the terminal cannot be opened, one of Node's threads
 * waits instead.
 */
function openTerminal(): number {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 1;
  }
}

/** Options of a {@link LogDestination}. */
export interface LogDestinationOptions {
  /** Characters that may be buffered. */
  readonly limit?: number;
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
  readonly #output: LogOutput;
  readonly #limit: number;
  readonly #onLoss: LogDestinationOptions['onLoss'];
  #report: ((lines: number) => void) | undefined;
  #buffer = '';
  #isWriting = false;
  #isClosed = false;
  /** The last write ended within a line, so the next one starts with a line feed. */
  #isLineTorn = false;
  #lost = 0;
  /** Lost lines that no written line has reported yet, and those that the batch in flight reports. */
  #unreported = 0;
  #reporting = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed: (() => void)[] = [];

  constructor(output: LogOutput, { limit = BUFFER_LIMIT, onLoss }: LogDestinationOptions = {}) {
    this.#output = output;
    this.#limit = limit;
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
    if (this.#isClosed || (this.#isWriting && this.#buffer.length + text.length > this.#limit)) this.#lose(lines);
    else {
      this.#buffer += text;
      if (!this.#isWriting) this.#writeBatch();
    }
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

  /**
   * Accepts no more lines. What is in flight is tried once more, and then lost.
   *
   * @param done - is called when nothing is in flight
   */
  protected end(done: () => void): void {
    this.#isClosed = true;
    if (this.#isWriting) this.#flushed.push(done);
    else done();
  }

  /** Writes the buffer synchronously as far as the output accepts it; pino calls this after a fatal line. */
  flushSync(): void {
    this.writeNow('');
  }

  /** Writes the buffer and some last lines synchronously, for a program that is about to exit. */
  writeNow(text: string): void {
    const all = this.#takeBuffer() + text;
    if (all !== '' && !this.#isClosed) this.#output.writeNow(all);
  }

  #writeBatch(): void {
    this.#isWriting = true;
    const text = this.#takeBuffer();
    this.#writeRest(Buffer.from(this.#isLineTorn ? `\n${text}` : text));
  }

  #writeRest(bytes: Buffer): void {
    this.#output.write(bytes, (error, written) => {
      if (error?.code === 'EAGAIN' && !this.#isClosed) {
        setTimeout(() => {
          this.#writeRest(bytes);
        }, RETRY_MS);
      } else if (error) this.#onWritten(countLines(bytes));
      else {
        this.#isLineTorn = bytes[written - 1] !== LINE_FEED;
        if (written < bytes.length) this.#writeRest(bytes.subarray(written));
        else this.#onWritten(0);
      }
    });
  }

  #onWritten(lost: number): void {
    // A report that is lost itself is not counted: the next one contains the same lines.
    if (lost === 0) this.#unreported -= this.#reporting;
    else this.#lose(this.#reporting > 0 ? lost - 1 : lost);
    this.#reporting = 0;
    // A loss is reported after the buffered lines, and after a failure only once some time has passed.
    if (lost === 0) this.#bufferReport();
    else this.#reportLater();
    if (this.#buffer !== '') {
      this.#writeBatch();
      return;
    }
    this.#isWriting = false;
    for (const resolve of this.#flushed.splice(0)) resolve();
  }

  /** Logs the number of lost lines into the buffer, also if that is full. */
  #bufferReport(): void {
    if (this.#unreported === 0 || this.#report === undefined) return;
    const text = this.#takeBuffer();
    this.#reporting = this.#unreported;
    this.#report(this.#unreported);
    this.#buffer = text + this.#buffer;
  }

  #reportLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isWriting) this.#bufferReport();
    }, REPORT_RETRY_MS).unref();
  }

  #takeBuffer(): string {
    const text = this.#buffer;
    this.#buffer = '';
    return text;
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#unreported += lines;
    this.#onLoss?.(lines);
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines;
}

const openFile = promisify(open);

/** A log in a file: never blocks, never throws, and reports lost lines to its owner. */
export class LogFile extends LogDestination {
  readonly #fd: number;

  private constructor(fd: number, onLoss: (lines: number) => void) {
    super(fileOutput(fd), { limit: FILE_BUFFER_LIMIT, onLoss });
    this.#fd = fd;
  }

  /**
   * Opens a file for appending, and creates it if necessary.
   *
   * @param onLoss - is called with the number of lines that could not be written
   * @throws the errors of node:fs `open`
   */
  static async open(path: string, onLoss: (lines: number) => void): Promise<LogFile> {
    return new LogFile(await openFile(path, APPEND, OWNER_ONLY), onLoss);
  }

  /** Writes the buffer and closes the file; aborts after a second. */
  async close(): Promise<void> {
    await this.flush();
    // Closed earlier, the descriptor's number could be reused while a thread still writes to it.
    this.end(() => {
      close(this.#fd, ignore);
    });
  }
}
