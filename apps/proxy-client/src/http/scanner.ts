import { malformed } from './format-error.js';

/** Returned when a section or body continues beyond the bytes that were passed in. */
export const MORE = -1;

export const CR = 0x0d;
export const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** Bytes that RFC 9110, section 5.6.2 allows in a token. */
const TOKEN = 1;
/** Bytes that RFC 9110, section 5.5 allows in a field value, and RFC 9112, section 4 in a reason phrase. */
const FIELD = 2;
/** Hexadecimal digits (RFC 5234, appendix B.1). */
const HEX = 4;

const CLASSES = Uint8Array.from({ length: 256 }, (_, code) => {
  const char = String.fromCharCode(code);
  const isField = code === TAB || (code >= SPACE && code !== 0x7f);
  return (
    (/[0-9A-Za-z!#$%&'*+\-.^_`|~]/.test(char) ? TOKEN : 0) |
    (isField ? FIELD : 0) |
    (/[0-9A-Fa-f]/.test(char) ? HEX : 0)
  );
});

function skip(buffer: Buffer, from: number, end: number, wanted: number): number {
  let position = from;
  while (position < end && ((CLASSES[buffer[position] ?? 0] ?? 0) & wanted) !== 0) position += 1;
  return position;
}

/** Returns the position of the first byte that is not allowed in a field value, or `end`. */
export function skipFieldText(buffer: Buffer, from: number, end: number): number {
  return skip(buffer, from, end, FIELD);
}

/** Whether a byte is a hexadecimal digit. */
export function isHexDigit(byte: number): boolean {
  return ((CLASSES[byte] ?? 0) & HEX) !== 0;
}

type Phase = 'start line' | 'line feed' | 'line' | 'name' | 'blanks' | 'value' | 'last line feed' | 'done';

/**
 * An incremental scanner for a start line and field lines up to the empty line. It is strict: lines end in CRLF, names are
 * tokens followed directly by a colon, lines are not folded, and no control character but the tab is allowed (RFC 9112,
 * sections 2.2, 3, 4, 5, 5.1 and 5.2). It can stop at any byte and continue when more have arrived.
 */
export class SectionScanner {
  /** Four offsets per field line (see `FieldLines`), counted from the section's first byte. */
  marks: number[] = [];
  /** The end of the start line, counted from the section's first byte. */
  startLineEnd = 0;
  /** Bytes of names and values so far, including blanks after the values. */
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

  /** Whether the start line is not complete. */
  get inStartLine(): boolean {
    return this.#phase === 'start line';
  }

  /**
   * Continues where the last call stopped.
   *
   * @param base - the position of the section's first byte in `buffer`
   * @param end - the end of the received bytes in `buffer`
   * @returns the section's length including the empty line, or {@link MORE}
   * @throws {@link FormatError} at the first byte that is not allowed
   */
  scan(buffer: Buffer, base: number, end: number): number {
    this.#base = base;
    let position = base + this.#scanned;
    while (position < end) {
      position = this.#step(buffer, position, end);
      if (this.#phase === 'done') return position - base;
    }
    this.#scanned = end - base;
    return MORE;
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
    const stop = skip(buffer, position, end, TOKEN);
    this.fieldBytes += stop - position;
    if (stop === end) return end;
    const length = stop - this.#base - (this.marks.at(-1) ?? 0);
    if (buffer[stop] !== COLON || length === 0) throw malformed('field name that is not a token');
    this.marks.push(stop - this.#base);
    this.#phase = 'blanks';
    return stop + 1;
  }

  #blanks(buffer: Buffer, position: number, end: number): number {
    let stop = position;
    while (stop < end && isBlank(buffer[stop])) stop += 1;
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
    let valueEnd = stop;
    while (valueEnd > start && isBlank(buffer[valueEnd - 1])) valueEnd -= 1;
    this.marks.push(valueEnd - this.#base);
    this.#phase = 'line feed';
    return stop + 1;
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}
