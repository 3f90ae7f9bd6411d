import { FieldLines } from './field-lines.js';
import { FormatError } from './format-error.js';
import { MORE, SectionScanner } from './scanner.js';

/** The first buffer of an incomplete section, and the size up to which a buffer is not charged to the shared memory, in bytes. */
const FIRST_BUFFER = 1024;
const UNCHARGED = 16_384;
/**
 * The limit counts names and values only. A section may have up to this many bytes for each counted one: lines without a
 * value have five for one, and blanks are not counted at all.
 */
const UNCOUNTED_FACTOR = 8;

/** A complete header or trailer section. */
export interface Section {
  /** The start line without its CRLF; empty for a trailer section. */
  readonly startLine: string;
  readonly lines: FieldLines;
  /** Bytes of all names and values, including blanks after the values. */
  readonly fieldBytes: number;
}

/** A budget of bytes that incomplete sections of many connections share. */
export class SectionMemory {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Reserves bytes; returns false if not enough are left. */
  reserve(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Returns reserved bytes. */
  release(bytes: number): void {
    this.#left += bytes;
  }
}

export interface SectionOptions {
  /** Bytes that the start line, the names and the values of a section may have together. */
  readonly limit: number;
  /** Shared by many readers. */
  readonly memory?: SectionMemory | undefined;
  /** Throws if a section cannot begin with these bytes: the sender of another protocol may never end it. */
  readonly checkBeginning?: ((buffer: Buffer, start: number, end: number) => void) | undefined;
  /** Throws if a complete start line is malformed: the sender may wait for a response before it sends more. */
  readonly checkStartLine?: ((line: string) => void) | undefined;
}

/** Collects one section from chunks of any size. A section that is complete in one chunk is never copied. */
export class SectionReader {
  readonly #options: SectionOptions;
  readonly #scanner = new SectionScanner();
  /** The bytes of an incomplete section, and how many there are. */
  #buffer: Buffer | undefined;
  #length = 0;
  /** Bytes of `#buffer` that are charged to the shared memory. */
  #charged = 0;
  #section: Section | undefined;
  #isLineChecked = false;

  constructor(options: SectionOptions) {
    this.#options = options;
  }

  /** Begins a new section. */
  reset(withStartLine: boolean): void {
    this.#scanner.reset(withStartLine);
    this.#section = undefined;
    this.#isLineChecked = !withStartLine;
    this.release();
  }

  /** Frees the buffer of an incomplete section. */
  release(): void {
    if (this.#charged > 0) this.#options.memory?.release(this.#charged);
    this.#charged = 0;
    this.#buffer = undefined;
    this.#length = 0;
  }

  /** The section, once {@link push} has found its end. */
  get section(): Section {
    if (this.#section === undefined) throw new Error('The section is not complete.');
    return this.#section;
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end`.
   *
   * @returns the position in `chunk` behind the section, or {@link MORE}
   * @throws {@link FormatError} for a malformed section and for one over the limit
   */
  push(chunk: Buffer, start: number, end: number): number {
    const before = this.#length;
    if (before === 0) {
      const length = this.#scanner.scan(chunk, start, end);
      if (length !== MORE) return start + this.#complete(chunk, start, length);
      this.#checkIncomplete(chunk, start, end);
      this.#append(chunk, start, end);
      return MORE;
    }
    const buffer = this.#append(chunk, start, end);
    const length = this.#scanner.scan(buffer, 0, this.#length);
    if (length !== MORE) return start + this.#complete(buffer, 0, length) - before;
    this.#checkIncomplete(buffer, 0, this.#length);
    return MORE;
  }

  #checkIncomplete(buffer: Buffer, start: number, end: number): void {
    this.#options.checkBeginning?.(buffer, start, end);
    if (this.#scanner.inStartLine) this.#checkSize(end - start);
    else {
      this.#checkStartLine(buffer, start);
      this.#checkSize(this.#scanner.startLineEnd);
    }
    if (end - start > this.#options.limit * UNCOUNTED_FACTOR) throw tooLarge();
  }

  #checkStartLine(buffer: Buffer, start: number): void {
    if (this.#isLineChecked) return;
    this.#isLineChecked = true;
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

  #append(chunk: Buffer, start: number, end: number): Buffer {
    const length = this.#length + end - start;
    let buffer = this.#buffer;
    if (buffer === undefined || buffer.length < length) {
      const larger = this.#allocate(Math.max(FIRST_BUFFER, 2 ** Math.ceil(Math.log2(length))));
      buffer?.copy(larger, 0, 0, this.#length);
      buffer = larger;
    }
    chunk.copy(buffer, this.#length, start, end);
    this.#buffer = buffer;
    this.#length = length;
    return buffer;
  }

  #allocate(size: number): Buffer {
    const { memory } = this.#options;
    if (memory !== undefined && size > UNCHARGED) {
      if (!memory.reserve(size - this.#charged)) {
        throw new FormatError('header_too_large', 'no memory left for a header of that size');
      }
      this.#charged = size;
    }
    // Not a slice of Node's pool, which would keep the whole pool alive for as long as the client needs.
    return Buffer.allocUnsafeSlow(size);
  }
}

function tooLarge(): FormatError {
  return new FormatError('header_too_large', 'header section over the limit');
}
