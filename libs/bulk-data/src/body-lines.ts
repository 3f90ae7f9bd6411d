import type { Readable } from 'node:stream';
import { GrowingBuffer } from './growing-buffer.js';

/** Limits of a body that is read line by line. Its length is not limited. */
export interface LineLimits {
  /** Longest line in bytes, without its line feed. */
  readonly line: number;
  /** Most lines of a batch. */
  readonly batchLines: number;
  /** Most bytes of the lines of a batch. */
  readonly batchBytes: number;
  /** Milliseconds within which bytes must arrive when no batch is being processed. */
  readonly idle: number;
  /** Milliseconds from the first byte of a line to its end. */
  readonly lineTime: number;
  /** Milliseconds in which at least {@link rateBytes} must arrive. */
  readonly rateTime: number;
  readonly rateBytes: number;
}

export const LINE_LIMITS: LineLimits = {
  // The longest fields, each character as an escape of six bytes, have about 100,000 bytes.
  line: 128 * 1024,
  batchLines: 500,
  // A transaction contains its assets twice and must fit into a gRPC message of 4 MB, the default limit of clients.
  batchBytes: 1024 * 1024,
  idle: 30_000,
  lineTime: 30_000,
  // 64 bytes a second: otherwise a client could use a connection and its memory for days.
  rateTime: 60_000,
  rateBytes: 3840,
};

/** How a body is read that is read line by line. */
interface LineReader {
  /** When the body must have arrived, by performance.now(). */
  readonly deadline: number;
  /** Undefined when no more lines are read. */
  readonly fail?: (error: Error) => void;
}

const readers = new WeakMap<Readable, LineReader>();

/**
 * Ends the reading of a body because the rest of it is malformed: the lines before are answered, then the error.
 * @returns whether the body is read line by line
 */
export function failLines(body: Readable, error: Error): boolean {
  const fail = readers.get(body)?.fail;
  fail?.(error);
  return fail !== undefined;
}

/** Returns when a body must have arrived, by performance.now(); undefined for the usual time. */
export function deadlineOf(body: Readable): number | undefined {
  return readers.get(body)?.deadline;
}

/** A line of a body. */
export interface BodyLine {
  /** From 1 on. */
  readonly number: number;
  /** Without the line feed; undefined if the line is too long. */
  readonly bytes: Buffer | undefined;
}

const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/**
 * Reads a body line by line, in batches and with backpressure. The last line needs no line feed. The same body always has
 * the same complete batches: `batchLines` lines, or fewer if the next line would exceed `batchBytes`.
 */
export class BodyLines {
  readonly #body: Readable;
  readonly #limits: LineLimits;
  readonly #lateError: () => Error;
  /** Queued lines, and their bytes. */
  #lines: BodyLine[] = [];
  #bytes = 0;
  /** The beginning of the next line, and its length, also of a line that is too long and not stored. */
  readonly #rest = new GrowingBuffer();
  #restBytes = 0;
  #count = 0;
  #hasEnded = false;
  /** When bytes arrived last, by performance.now(). */
  #arrivedAt = performance.now();
  /** When the first byte of the next line arrived. */
  #lineBeganAt = 0;
  /** How much longer the present period of the rate lasts, not counting the processing of batches, and its bytes. */
  #rateTime: number;
  #rateBytes = 0;
  #failure: Error | undefined;
  #changed = Promise.withResolvers<undefined>();

  /** @param lateError - creates the failure of {@link changedInTime} */
  constructor(body: Readable, limits: LineLimits = LINE_LIMITS, lateError = (): Error => new Error('Lines are late.')) {
    this.#body = body;
    this.#limits = limits;
    this.#lateError = lateError;
    this.#rateTime = limits.rateTime;
    readers.set(body, { deadline: Infinity, fail: this.#fail.bind(this) });
    body.on('data', (chunk: Buffer) => {
      this.#add(chunk);
    });
    body.once('end', () => {
      if (this.#restBytes > 0) this.#endLine(NOTHING);
      this.#hasEnded = true;
      this.#notify();
    });
    body.once('error', (error: Error) => {
      this.#fail(error);
    });
  }

  /** Whether all lines have been returned by {@link take}. */
  get isFinished(): boolean {
    return this.#hasEnded && this.#lines.length === 0;
  }

  /** Why no more lines can be read. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Removes and returns a complete batch, or, if allowed, all queued lines; undefined if there are none. */
  take(isPartialAllowed: boolean): BodyLine[] | undefined {
    if (this.#failure !== undefined || this.#lines.length === 0) return undefined;
    const length = this.#batchLength();
    const isComplete = length < this.#lines.length || length === this.#limits.batchLines || this.#hasEnded;
    if (!isComplete && !isPartialAllowed) return undefined;
    const batch = this.#lines.splice(0, length);
    this.#bytes -= sizeOf(batch);
    this.#flow();
    return batch;
  }

  /** Resolves at the next line, the end, or a failure. */
  async changed(): Promise<void> {
    await this.#changed.promise;
  }

  /** Resolves like {@link changed}. The body fails with the late error if bytes arrive more slowly than the limits. */
  async changedInTime(): Promise<void> {
    const { idle, lineTime, rateTime, rateBytes } = this.#limits;
    const began = performance.now();
    this.#arrivedAt = began;
    let rateEnd = began + this.#rateTime;
    const check = (): void => {
      const now = performance.now();
      if (now >= rateEnd && this.#rateBytes >= rateBytes) {
        rateEnd = now + rateTime;
        this.#rateBytes = 0;
      }
      const lineEnd = this.#restBytes > 0 ? Math.max(began, this.#lineBeganAt) + lineTime : Infinity;
      const left = Math.min(this.#arrivedAt + idle, lineEnd, rateEnd) - now;
      // A line may begin in the meantime.
      if (left > 0) timer = setTimeout(check, Math.min(left, lineTime));
      else this.#fail(this.#lateError());
    };
    let timer: NodeJS.Timeout | undefined;
    // Waits before it checks: a failure of the first check is a change too.
    const changed = this.changed();
    check();
    await changed;
    clearTimeout(timer);
    this.#rateTime = Math.max(0, rateEnd - performance.now());
  }

  /** Stops reading. The rest of the body is dropped for a while, so that the client reads the answer. */
  close(): void {
    readers.set(this.#body, { deadline: performance.now() + this.#limits.idle });
    this.#body.removeAllListeners('data');
    this.#body.resume();
  }

  #add(chunk: Buffer): void {
    this.#arrivedAt = performance.now();
    this.#rateBytes += chunk.length;
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#endLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (this.#restBytes === 0) this.#lineBeganAt = this.#arrivedAt;
    this.#addPart(chunk.subarray(start));
    if (start === 0) return;
    this.#flow();
    this.#notify();
  }

  #addPart(part: Buffer): void {
    this.#restBytes += part.length;
    // The bytes of a line that is too long are only counted.
    if (this.#restBytes > this.#limits.line) this.#rest.take();
    else if (part.length > 0) this.#rest.add(part);
  }

  /** @param part - the last part of a line; most lines have no other, which is not copied */
  #endLine(part: Buffer): void {
    let bytes: Buffer | undefined = part;
    if (this.#restBytes > 0 || part.length > this.#limits.line) {
      this.#addPart(part);
      bytes = this.#restBytes > this.#limits.line ? undefined : this.#rest.take();
    }
    this.#count += 1;
    this.#lines.push({ number: this.#count, bytes });
    this.#bytes += bytes?.length ?? 0;
    this.#restBytes = 0;
  }

  /** Reads on only while the next batch may be incomplete. */
  #flow(): void {
    const isFull = this.#lines.length >= this.#limits.batchLines || this.#bytes > this.#limits.batchBytes;
    if (isFull) this.#body.pause();
    else this.#body.resume();
  }

  /** Returns the number of lines in the next batch. */
  #batchLength(): number {
    let bytes = 0;
    const limit = this.#lines.slice(0, this.#limits.batchLines).findIndex((line) => {
      bytes += line.bytes?.length ?? 0;
      return bytes > this.#limits.batchBytes;
    });
    return limit < 0 ? Math.min(this.#lines.length, this.#limits.batchLines) : Math.max(1, limit);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve(undefined);
    this.#changed = Promise.withResolvers();
  }
}

function sizeOf(lines: readonly BodyLine[]): number {
  return lines.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
}
