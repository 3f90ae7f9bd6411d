import { COLON, CR, LF, SPACE, TAB, skipFieldText, skipToken } from './bytes.js';
import { malformed } from './format-error.js';

/** What {@link SectionScanner.scan} answers when the section goes on behind the bytes it was given. */
export const MORE = -1;

type Phase = 'start line' | 'line feed' | 'line' | 'name' | 'blanks' | 'value' | 'last line feed' | 'done';

/**
 * Finds the parts of a start line and field lines up to the empty line, byte by byte and strictly: lines end in CRLF, names
 * are tokens with the colon right behind them, no line is folded, no control character but the tab stands anywhere
 * (RFC 9112, sections 2.2, 3, 4, 5, 5.1 and 5.2). It can stop at any byte and goes on when more have come.
 */
export class SectionScanner {
  /** Four offsets a field line (see `FieldLines`), counted from the section's first byte. */
  marks: number[] = [];
  /** Where the start line ends, counted from the section's first byte. */
  startLineEnd = 0;
  /** Bytes of names and values so far, blanks behind the values included. */
  fieldBytes = 0;
  #phase: Phase = 'start line';
  #scanned = 0;
  #base = 0;

  /** Begins a new section. */
  reset(withStartLine: boolean): void {
    this.marks = [];
    this.startLineEnd = 0;
    this.fieldBytes = 0;
    this.#phase = withStartLine ? 'start line' : 'line';
    this.#scanned = 0;
  }

  /** Whether the start line has not ended. */
  get inStartLine(): boolean {
    return this.#phase === 'start line';
  }

  /**
   * Goes on where the last call stopped.
   *
   * @param base - where the section's first byte lies in `buffer`
   * @param end - where the bytes that have come end in `buffer`
   * @returns the section's length, the empty line included, or {@link MORE}
   * @throws {@link FormatError} at the first byte that cannot stand where it stands
   */
  scan(buffer: Buffer, base: number, end: number): number {
    this.#base = base;
    let position = base + this.#scanned;
    while (position < end) {
      if (this.#phase === 'line') position = this.#wholeLines(buffer, position, end);
      if (position < end) position = this.#step(buffer, position, end);
      if (this.#phase === 'done') return position - base;
    }
    this.#scanned = end - base;
    return MORE;
  }

  /** Goes over the lines that are there as a whole and in order; the steps see to the one where it stops. */
  #wholeLines(buffer: Buffer, from: number, end: number): number {
    const base = this.#base;
    let position = from;
    for (;;) {
      const nameEnd = skipToken(buffer, position, end);
      if (nameEnd === position || nameEnd >= end || buffer[nameEnd] !== COLON) return position;
      const value = skipBlanks(buffer, nameEnd + 1, end);
      const lineEnd = skipFieldText(buffer, value, end);
      if (lineEnd + 1 >= end || buffer[lineEnd] !== CR || buffer[lineEnd + 1] !== LF) return position;
      this.marks.push(position - base, nameEnd - base, value - base, trimmedEnd(buffer, value, lineEnd) - base);
      this.fieldBytes += nameEnd - position + lineEnd - value;
      position = lineEnd + 2;
    }
  }

  #step(buffer: Buffer, position: number, end: number): number {
    switch (this.#phase) {
      case 'start line':
        return this.#startLine(buffer, position, end);
      case 'line feed':
        return this.#lineFeed(buffer, position, 'line');
      case 'line':
        return this.#line(buffer, position);
      case 'name':
        return this.#name(buffer, position, end);
      case 'blanks':
        return this.#blanks(buffer, position, end);
      case 'value':
        return this.#value(buffer, position, end);
      case 'last line feed':
        return this.#lineFeed(buffer, position, 'done');
      case 'done':
        return end;
    }
  }

  #startLine(buffer: Buffer, position: number, end: number): number {
    const stop = skipFieldText(buffer, position, end);
    if (stop === end) return end;
    if (buffer[stop] !== CR) throw malformed('control character in the start line');
    this.startLineEnd = stop - this.#base;
    this.#phase = 'line feed';
    return stop + 1;
  }

  #lineFeed(buffer: Buffer, position: number, next: Phase): number {
    if (buffer[position] !== LF) throw malformed('CR without LF');
    this.#phase = next;
    return position + 1;
  }

  #line(buffer: Buffer, position: number): number {
    if (buffer[position] === CR) {
      this.#phase = 'last line feed';
      return position + 1;
    }
    this.marks.push(position - this.#base);
    this.#phase = 'name';
    return position;
  }

  #name(buffer: Buffer, position: number, end: number): number {
    const stop = skipToken(buffer, position, end);
    this.fieldBytes += stop - position;
    if (stop === end) return end;
    const length = stop - this.#base - (this.marks.at(-1) ?? 0);
    if (buffer[stop] !== COLON || length === 0) throw malformed('field name that is no token');
    this.marks.push(stop - this.#base);
    this.#phase = 'blanks';
    return stop + 1;
  }

  #blanks(buffer: Buffer, position: number, end: number): number {
    const stop = skipBlanks(buffer, position, end);
    if (stop < end) {
      this.marks.push(stop - this.#base);
      this.#phase = 'value';
    }
    return stop;
  }

  #value(buffer: Buffer, position: number, end: number): number {
    const stop = skipFieldText(buffer, position, end);
    this.fieldBytes += stop - position;
    if (stop === end) return end;
    if (buffer[stop] !== CR) throw malformed('control character in a field value');
    const start = this.#base + (this.marks.at(-1) ?? 0);
    this.marks.push(trimmedEnd(buffer, start, stop) - this.#base);
    this.#phase = 'line feed';
    return stop + 1;
  }
}

function skipBlanks(buffer: Buffer, from: number, end: number): number {
  let position = from;
  while (position < end && isBlank(buffer[position])) position += 1;
  return position;
}

function trimmedEnd(buffer: Buffer, start: number, end: number): number {
  let position = end;
  while (position > start && isBlank(buffer[position - 1])) position -= 1;
  return position;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}
