import { close, constants, fstatSync, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** Takes text to a file, a pipe or a terminal without ever making the program wait. */
export interface LogSink {
  /**
   * Writes lines; the next ones come when these are done.
   *
   * @param done - is told, not before this returns, how many of the lines could not be written
   */
  write(text: string, done: (lost: number) => void): void;
  /** Writes as much as is taken at once, for a program that is about to end. */
  writeNow(text: string): void;
}

const LINE_FEED = 0x0a;
/** When a terminal that takes nothing is tried again. */
const AGAIN_MS = 50;

/** The sink of standard output, whatever that is. */
export function standardOutput(): LogSink {
  const kind = fstatSync(1);
  // Of pipes and sockets Node's own stream waits by itself; of files and terminals it makes the program wait.
  return kind.isFIFO() || kind.isSocket() ? new StreamSink(process.stdout) : new FileSink(isatty(1) ? terminal() : 1);
}

/**
 * The terminal, opened anew so that a write fails instead of waiting while its output is held (Ctrl-S, a connection that
 * hangs): the mode of descriptor 1 itself belongs to all programs that share it. Where that cannot be, a thread of Node's
 * waits.
 */
function terminal(): number {
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return 1;
  }
}

/** Text to a stream that does not block. */
export class StreamSink implements LogSink {
  readonly #stream: NodeJS.WritableStream;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
    // Each write is told its own error.
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  }

  write(text: string, done: (lost: number) => void): void {
    this.#stream.write(text, (error) => {
      done(error ? linesIn(Buffer.from(text)) : 0);
    });
  }

  writeNow(text: string): void {
    this.#stream.write(text);
  }
}

function ignore(): void {
  // Nothing is to be done.
}

/** Text to a file, a device or a terminal, by Node's threads: a disk that hangs makes nobody wait. */
export class FileSink implements LogSink {
  readonly #fd: number;
  /** The last write broke off within a line: the next one begins on a new line. */
  #isTorn = false;
  #isWriting = false;
  #isClosed = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(text: string, done: (lost: number) => void): void {
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    if (this.#isClosed) {
      queueMicrotask(() => {
        done(linesIn(bytes));
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

  /** Closes the descriptor, behind the write that is under way; what a reader does not take then is lost. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The number would be somebody else's while a thread still writes there.
    if (!this.#isWriting) close(this.#fd, ignore);
  }

  writeNow(text: string): void {
    if (this.#isClosed) return;
    try {
      writeSync(this.#fd, text);
    } catch {
      // The program ends; there is nowhere else to say it.
    }
  }

  #writeFrom(bytes: Buffer, from: number, done: (lost: number) => void): void {
    write(this.#fd, bytes, from, bytes.length - from, null, (error, written) => {
      if (error?.code === 'EAGAIN' && !this.#isClosed) {
        setTimeout(() => {
          this.#writeFrom(bytes, from, done);
        }, AGAIN_MS);
      } else if (error) {
        if (from > 0) this.#isTorn = bytes[from - 1] !== LINE_FEED;
        done(linesIn(bytes.subarray(from)));
      } else if (from + written < bytes.length) this.#writeFrom(bytes, from + written, done);
      else {
        this.#isTorn = false;
        done(0);
      }
    });
  }
}

/** How many lines end in the bytes. */
function linesIn(bytes: Uint8Array): number {
  let lines = 0;
  for (const byte of bytes) if (byte === LINE_FEED) lines += 1;
  return lines;
}
