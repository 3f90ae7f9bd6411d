import type { LogSink } from './log-sink.js';

/** So many characters wait for a reader that stands still; what comes on top of them is lost. */
const WAITING_LIMIT = 1_048_576;
/** After a line was lost and nothing is logged, so often it is tried whether the loss can be told. */
const RETRY_MS = 1000;

/** What can be set, for tests. */
export interface LogDestinationOptions {
  /** Characters that may wait. */
  readonly limit?: number;
  /** Milliseconds between attempts to tell a loss. */
  readonly retry?: number;
}

/**
 * Where a program's log goes: never waits, never throws, holds a bounded number of lines. What cannot be written, because
 * the disk is full or nobody reads, is lost; how much that was is counted, and told in the log itself as soon as it takes
 * lines again. To be given to pino, which by itself writes synchronously and tries again for as long as that fails.
 */
export class LogDestination {
  readonly #sink: LogSink;
  readonly #limit: number;
  readonly #retry: number;
  #tell: ((lines: number) => void) | undefined;
  #waiting = '';
  #isWriting = false;
  #lost = 0;
  /** How many of the lost lines no line of the log tells of, and how many the one tells that is on its way. */
  #untold = 0;
  #beingTold = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed: (() => void)[] = [];

  constructor(sink: LogSink, { limit = WAITING_LIMIT, retry = RETRY_MS }: LogDestinationOptions = {}) {
    this.#sink = sink;
    this.#limit = limit;
    this.#retry = retry;
  }

  /** Lines lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** @param tell - logs one line, here, that says how many lines were lost */
  tellLosses(tell: (lines: number) => void): void {
    this.#tell = tell;
  }

  /** @param line - one line, with the line feed that ends it */
  write(line: string): void {
    if (!this.#isWriting) this.#send(line);
    else if (this.#waiting.length + line.length <= this.#limit) this.#waiting += line;
    else this.#lose(1);
  }

  /** Resolves when all that was written has gone, or after `milliseconds`: a reader that stands still holds up no end. */
  async flush(milliseconds = 1000): Promise<void> {
    if (!this.#isWriting) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const give = (): void => {
      resolve(undefined);
    };
    this.#flushed.push(give);
    const timer = setTimeout(give, milliseconds);
    await promise;
    clearTimeout(timer);
  }

  /** Writes what waits as far as it goes at once; pino calls it behind a fatal line. */
  flushSync(): void {
    const text = this.#takeWaiting();
    if (text !== '') this.#sink.writeNow(text);
  }

  #send(text: string): void {
    this.#isWriting = true;
    this.#sink.write(text, this.#onWritten);
  }

  readonly #onWritten = (lost: number): void => {
    this.#settle(lost);
    // A loss is told behind what waits, and after a failure not before some time has passed.
    const text = this.#takeWaiting() + (lost === 0 ? this.#lossLine() : '');
    this.#isWriting = false;
    if (text !== '') this.#send(text);
    else this.#wakeFlushed();
    if (lost > 0) this.#tellLater();
  };

  /** The line that tells of a loss is not counted when it is lost itself: the next one tells the same. */
  #settle(lost: number): void {
    if (lost === 0) this.#untold -= this.#beingTold;
    else this.#lose(this.#beingTold > 0 ? lost - 1 : lost);
    this.#beingTold = 0;
  }

  #takeWaiting(): string {
    const text = this.#waiting;
    this.#waiting = '';
    return text;
  }

  /** The line that tells of losses, if there are any; to be written next. */
  #lossLine(): string {
    if (this.#untold === 0 || this.#tell === undefined) return '';
    this.#beingTold = this.#untold;
    this.#isWriting = true;
    this.#tell(this.#untold);
    return this.#takeWaiting();
  }

  #tellLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const line = this.#isWriting ? '' : this.#lossLine();
      if (line !== '') this.#send(line);
    }, this.#retry).unref();
  }

  #lose(lines: number): void {
    this.#lost += lines;
    this.#untold += lines;
  }

  #wakeFlushed(): void {
    for (const resolve of this.#flushed.splice(0)) resolve();
  }
}
