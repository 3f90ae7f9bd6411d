import { FieldLines } from './field-lines.js';
import { FormatError } from './format-error.js';
import { MORE, SectionScanner } from './scanner.js';

/** What an unfinished section holds at first, and what it may hold whatever the others do, in bytes. */
const FIRST_HOLD = 1024;
const ALWAYS_FREE = 16_384;
/** Bytes of a section for each one that counts: lines without a value have five for one, blanks do not count. */
const UNCOUNTED_FACTOR = 8;

/** A header or trailer section that is complete. */
export interface Section {
  /** The start line without its CRLF; empty for a trailer section. */
  readonly startLine: string;
  readonly lines: FieldLines;
  /** Bytes of all names and values, blanks behind the values included. */
  readonly fieldBytes: number;
}

/** Bytes that unfinished sections may hold together, those aside that each one may hold anyway. */
export class SectionMemory {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes so many; false if there are not so many left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Gives so many back. */
  give(bytes: number): void {
    this.#left += bytes;
  }
}

export interface SectionOptions {
  /** Bytes that the start line, the names and the values of a section may have together. */
  readonly limit: number;
  /** Shared by many readers; without it each is on its own. */
  readonly memory?: SectionMemory | undefined;
  /** Throws if a section cannot begin with those bytes: its sender may never end it. */
  readonly checkBeginning?: ((buffer: Buffer, start: number, end: number) => void) | undefined;
  /** Throws if a start line that has come as a whole is malformed: its sender may wait for us behind it. */
  readonly checkStartLine?: ((line: string) => void) | undefined;
}

/** Collects one section from chunks of any size; a section that lies whole in one chunk is never copied. */
export class SectionReader {
  readonly #options: SectionOptions;
  readonly #scanner = new SectionScanner();
  #held: Buffer | undefined;
  #heldLength = 0;
  /** Bytes of `#held` that were taken from the memory. */
  #taken = 0;
  #section: Section | undefined;
  #lineChecked = false;

  constructor(options: SectionOptions) {
    this.#options = options;
  }

  /** Begins a new section. */
  reset(withStartLine: boolean): void {
    this.#scanner.reset(withStartLine);
    this.#section = undefined;
    this.#lineChecked = !withStartLine;
    this.release();
  }

  /** Gives back what is held of an unfinished section. */
  release(): void {
    if (this.#taken > 0) this.#options.memory?.give(this.#taken);
    this.#taken = 0;
    this.#held = undefined;
    this.#heldLength = 0;
  }

  /** Whether nothing of the section has come. */
  get isEmpty(): boolean {
    return this.#heldLength === 0;
  }

  /** The section, once {@link push} has found its end. */
  get section(): Section {
    if (this.#section === undefined) throw new Error('The section is not complete.');
    return this.#section;
  }

  /**
   * Takes the bytes of `chunk` from `start` to `end`.
   *
   * @returns where in `chunk` the section has ended, or {@link MORE}
   * @throws {@link FormatError} for a malformed section and for one over the limit
   */
  push(chunk: Buffer, start: number, end: number): number {
    const before = this.#heldLength;
    if (before === 0) {
      const length = this.#scanner.scan(chunk, start, end);
      if (length !== MORE) return start + this.#complete(chunk, start, length);
      this.#checkUnfinished(chunk, start, end);
      this.#hold(chunk, start, end);
      return MORE;
    }
    const held = this.#hold(chunk, start, end);
    const length = this.#scanner.scan(held, 0, this.#heldLength);
    if (length !== MORE) return start + this.#complete(held, 0, length) - before;
    this.#checkUnfinished(held, 0, this.#heldLength);
    return MORE;
  }

  #checkUnfinished(buffer: Buffer, start: number, end: number): void {
    this.#options.checkBeginning?.(buffer, start, end);
    if (this.#scanner.inStartLine) this.#checkSize(end - start);
    else {
      this.#checkStartLine(buffer, start);
      this.#checkSize(this.#scanner.startLineEnd);
    }
    if (end - start > this.#options.limit * UNCOUNTED_FACTOR) throw tooLarge();
  }

  #checkStartLine(buffer: Buffer, start: number): void {
    if (this.#lineChecked) return;
    this.#lineChecked = true;
    this.#options.checkStartLine?.(buffer.toString('latin1', start, start + this.#scanner.startLineEnd));
  }

  #checkSize(startLine: number): void {
    if (startLine + this.#scanner.fieldBytes > this.#options.limit) throw tooLarge();
  }

  #complete(buffer: Buffer, base: number, length: number): number {
    const { marks, startLineEnd, fieldBytes } = this.#scanner;
    this.#checkSize(startLineEnd);
    const text = buffer.toString('latin1', base, base + length);
    this.#section = { startLine: text.slice(0, startLineEnd), lines: new FieldLines(text, marks), fieldBytes };
    this.release();
    return length;
  }

  #hold(chunk: Buffer, start: number, end: number): Buffer {
    const length = this.#heldLength + end - start;
    let held = this.#held;
    if (held === undefined || held.length < length) {
      const larger = this.#allocate(Math.max(FIRST_HOLD, 2 ** Math.ceil(Math.log2(length))));
      held?.copy(larger, 0, 0, this.#heldLength);
      held = larger;
    }
    chunk.copy(held, this.#heldLength, start, end);
    this.#held = held;
    this.#heldLength = length;
    return held;
  }

  #allocate(size: number): Buffer {
    const { memory } = this.#options;
    if (memory !== undefined && size > ALWAYS_FREE) {
      if (!memory.take(size - this.#taken))
        throw new FormatError('header_too_large', 'no room for a header of that size');
      this.#taken = size;
    }
    // Of its own: a slice of Node's pool would keep all of the pool's memory for as long as the client takes.
    return Buffer.allocUnsafeSlow(size);
  }
}

function tooLarge(): FormatError {
  return new FormatError('header_too_large', 'header section over the limit');
}
