import { close, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Writes text to a file, pipe or terminal without blocking the event loop. */
export interface LogSink {
  /**
   * Writes lines. The caller waits for `done` before it writes again.
   *
   * @param done - is called asynchronously with the number of lines that could not be written
   */
  write(text: string, done: (lost: number) => void): void;
  /** Writes synchronously as much as the output accepts, for a program that is about to exit. Never throws. */
  writeNow(text: string): void;
}

const LINE_FEED = 0x0a;
/** The delay before a terminal that accepts nothing is tried again. */
const RETRY_MS = 50;

const ignore = (): void => undefined;

/** Creates the sink of standard output, whatever kind of file that is. */
export function standardOutput(): LogSink {
  const kind = fstatSync(1);
  // Node's stream is non-blocking for pipes and sockets, and blocking for files and terminals.
  return kind.isFIFO() || kind.isSocket() ? new StreamSink(process.stdout) : new FileSink(isatty(1) ? terminal() : 1);
}

/**
 * Opens the terminal again in non-blocking mode, so that a write fails while output is held (Ctrl-S, a hanging connection).
 * The mode of descriptor 1 itself is shared with other programs. Where the terminal cannot be opened, one of Node's threads
 * waits instead.
 */
function terminal(): number {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 1;
  }
}

/** A sink that writes to a non-blocking stream. */
export class StreamSink implements LogSink {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
    // Errors reach the callback of each write; without a listener they would also end the process.
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }

  write(text: string, done: (lost: number) => void): void {
    this.#stream.write(text, (error) => {
      done(error ? countLines(Buffer.from(text)) : 0);
    });
  }

  writeNow(text: string): void {
    this.#stream.write(text);
  }
}

/** A sink that writes to a file, device or terminal from Node's thread pool, so that a hanging disk blocks no one. */
export class FileSink implements LogSink {
  readonly #fd: number;
  /** The last write ended within a line, so the next one starts with a line feed. */
  #isLineTorn = false;
  #isWriting = false;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(text: string, done: (lost: number) => void): void {
    const bytes = Buffer.from(this.#isLineTorn ? `\n${text}` : text);
    if (this.#isClosed) {
      queueMicrotask(() => {
        done(countLines(bytes));
      });
      return;
    }
    this.#isWriting = true;
    this.#writeFrom(bytes, 0, (lost) => {
      this.#isWriting = false;
      if (this.#isClosed) close(this.#fd, ignore);
      done(lost);
    });
  }

  /** Closes the descriptor after the write in flight; what a reader does not accept by then is lost. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Closed earlier, the descriptor's number could be reused while a thread still writes to it.
    if (!this.#isWriting) close(this.#fd, ignore);
  }

  writeNow(text: string): void {
    if (this.#isClosed) return;
    try {
      writeSync(this.#fd, text);
    } catch {
      // The program exits, and there is no other place to report this.
    }
  }

  #writeFrom(bytes: Buffer, from: number, done: (lost: number) => void): void {
    write(this.#fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error?.code === 'EAGAIN' && !this.#isClosed) {
        setTimeout(() => {
          this.#writeFrom(bytes, from, done);
        }, RETRY_MS);
      } else if (error) {
        if (from > 0) this.#isLineTorn = bytes[from - 1] !== LINE_FEED;
        done(countLines(bytes.subarray(from)));
      } else if (from + written < bytes.length) this.#writeFrom(bytes, from + written, done);
      else {
        this.#isLineTorn = false;
        done(0);
      }
    });
  }
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines;
}
