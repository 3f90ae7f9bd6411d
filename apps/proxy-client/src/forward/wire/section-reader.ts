import { FieldLines } from './field-lines.js';
import { ResponseFormatError, malformed } from './response-format-error.js';
import { MORE, SectionScanner } from './section-scanner.js';

const FIRST_HOLD = 4096;

/** How every status line begins (RFC 9112, section 4). */
const BEGINNING = Buffer.from('HTTP/');

/** A header or trailer section that is complete. */
export interface Section {
  /** The start line without its CRLF; empty for a trailer section. */
  readonly startLine: string;
  readonly lines: FieldLines;
}

/** Collects one section from chunks of any size; a section that lies whole in one chunk is never copied. */
export class SectionReader {
  readonly #limit: number;
  readonly #scanner = new SectionScanner();
  #held: Buffer | undefined;
  #heldLength = 0;
  #section: Section | undefined;
  #withStartLine = false;

  /** @param limit - bytes that a section may have */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Begins a new section. */
  reset(withStartLine: boolean): void {
    this.#scanner.reset(withStartLine);
    this.#withStartLine = withStartLine;
    this.#held = undefined;
    this.#heldLength = 0;
    this.#section = undefined;
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
   * @throws {@link ResponseFormatError} for a malformed section and for one over the limit
   */
  push(chunk: Buffer, start: number, end: number): number {
    const before = this.#heldLength;
    if (before === 0) {
      const length = this.#scanner.scan(chunk, start, end);
      if (length !== MORE) return start + this.#complete(chunk, start, length);
      this.#hold(chunk, start, end);
    } else {
      const held = this.#hold(chunk, start, end);
      const length = this.#scanner.scan(held, 0, this.#heldLength);
      if (length !== MORE) return start + this.#complete(held, 0, length) - before;
    }
    if (this.#heldLength > this.#limit) throw this.#tooLarge();
    this.#checkBeginning();
    return MORE;
  }

  /** A server of another protocol greets and then waits, like SSH: no line of it need ever end. */
  #checkBeginning(): void {
    if (!this.#withStartLine || this.#held === undefined) return;
    const length = Math.min(this.#heldLength, BEGINNING.length);
    if (this.#held.compare(BEGINNING, 0, length, 0, length) !== 0) throw malformed('no status line');
  }

  #complete(buffer: Buffer, base: number, length: number): number {
    if (length > this.#limit) throw this.#tooLarge();
    const text = buffer.toString('latin1', base, base + length);
    const { marks, startLineEnd } = this.#scanner;
    this.#section = { startLine: text.slice(0, startLineEnd), lines: new FieldLines(text, marks) };
    this.#held = undefined;
    this.#heldLength = 0;
    return length;
  }

  #hold(chunk: Buffer, start: number, end: number): Buffer {
    const length = this.#heldLength + end - start;
    let held = this.#held;
    if (held === undefined || held.length < length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_HOLD, 2 ** Math.ceil(Math.log2(length))));
      held?.copy(larger, 0, 0, this.#heldLength);
      held = larger;
    }
    chunk.copy(held, this.#heldLength, start, end);
    this.#held = held;
    this.#heldLength = length;
    return held;
  }

  #tooLarge(): ResponseFormatError {
    return new ResponseFormatError('response_header_too_large', 'header section over the limit');
  }
}
