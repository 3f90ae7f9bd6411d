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
  /** Is told of each loss at once: where the log itself has no place for such a line, in the place of {@link LogDestination.tellLosses}. */
  readonly onLoss?: (lines: number) => void;
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
  readonly #onLoss: LogDestinationOptions['onLoss'];
  #tell: ((lines: number) => void) | undefined;
  #waiting = '';
  #isWriting = false;
  #lost = 0;
  /** How many of the lost lines no line of the log tells of, and how many the one tells that is on its way. */
  #untold = 0;
  #beingTold = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #flushed: (() => void)[] = [];

  constructor(sink: LogSink, { limit = WAITING_LIMIT, retry = RETRY_MS, onLoss }: LogDestinationOptions = {}) {
    this.#sink = sink;
    this.#limit = limit;
    this.#retry = retry;
    this.#onLoss = onLoss;
  }

  /** Lines lost since the start. */
  get lost(): number {
    return this.#lost;
  }

  /** @param tell - logs one line, here, that says how many lines were lost */
  tellLosses(tell: (lines: number) => void): void {
    this.#tell = tell;
  }

  /**
   * @param text - one line, or several, each with the line feed that ends it
   * @param lines - how many
   */
  write(text: string, lines = 1): void {
    if (!this.#isWriting) this.#send(text);
    else if (this.#waiting.length + text.length <= this.#limit) this.#waiting += text;
    else this.#lose(lines);
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
    this.writeNow('');
  }

  /** Writes what waits, and some last lines, as far as it goes at once, for a program that is about to end. */
  writeNow(text: string): void {
    const all = this.#takeWaiting() + text;
    if (all !== '') this.#sink.writeNow(all);
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
    const line = this.#takeWaiting();
    // It was told somewhere else: nothing is being written.
    if (line === '') {
      this.#isWriting = false;
      this.#settle(0);
    }
    return line;
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
    this.#onLoss?.(lines);
  }

  #wakeFlushed(): void {
    for (const resolve of this.#flushed.splice(0)) resolve();
  }
}
