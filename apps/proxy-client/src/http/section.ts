import { freeBuffer } from './free-buffer.js';
import type { SectionAccount } from './section-memory.js';
import { FormatError, kindOf, malformed, MAX_FIELDS, type FieldLine, type FieldLines } from './field-lines.js';

/** Returned when a section or body continues beyond the bytes that were passed in. */
export const MORE = -1;

export const CR = 0x0d;
export const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const COLON = 0x3a;

/** Bytes that RFC 9110, section 5.6.2 allows in a token. */
const TOKEN = classOf(/[0-9A-Za-z!#$%&'*+\-.^_`|~]/);
/** Bytes that RFC 9110, section 5.5 allows in a field value, and RFC 9112, section 4 in a reason phrase. */
const FIELD = classOf(/[\t\x20-\x7e\x80-\xff]/);

/** The first buffer of an incomplete section, in bytes. */
const FIRST_BUFFER = 1024;
/** What V8 needs for a line in addition to its text, in bytes: an object, the headers of its strings and of those of the forwarded text. */
const LINE_OVERHEAD = 320;
/** Node writes a text of more bytes from a copy, which exists until the peer has accepted all of it. */
const LARGE = 16_384;
/** The text of a large section, the text that is forwarded, and Node's copy. */
const COPIES_OF_LARGE = 3;
/** Bytes of an incomplete start line that are checked. */
const BEGINNING = 16;

/** A complete header or trailer section. */
export interface Section {
  /** The start line without its CRLF; empty for a trailer section. */
  readonly startLine: string;
  readonly lines: FieldLines;
  /** Bytes of all names and values, and of the blanks around the values. */
  readonly fieldBytes: number;
  /** About the bytes of memory for it and for the text that is forwarded. */
  readonly memory: number;
}

export interface SectionOptions {
  /** Bytes that the start line, the names and the values of a section may have together. */
  readonly limit: number;
  /** Is charged for the memory of an incomplete section. */
  readonly memory?: SectionAccount | undefined;
  /**
   * Checks the start line of a section that is not complete: its sender may use another protocol, or wait for a response.
   *
   * @param line - the line or, if it is not complete, its first characters
   * @throws {@link FormatError} if no section begins like that
   */
  readonly checkStart?: (line: string, isComplete: boolean) => void;
}

type Phase = 'start line' | 'line feed' | 'line' | 'name' | 'blanks' | 'value' | 'done';

/**
 * An incremental parser of one start line and its field lines up to the empty line. It is strict: lines end in CRLF, names are
 * tokens followed directly by a colon, lines are not folded, and no control character but the tab is allowed (RFC 9112,
 * sections 2.2, 3, 4, 5, 5.1 and 5.2). A section that is complete in one chunk is never copied.
 */
export class SectionReader {
  readonly #options: SectionOptions;
  #phase: Phase;
  /** The number of bytes that were parsed. */
  #position = 0;
  #isLastLine = false;
  #startLineEnd = 0;
  /** Where the field lines begin. */
  #linesStart = 0;
  /** The number of field lines that have begun. */
  #lines = 0;
  /** The positions of the current line and of its colon. */
  #lineStart = 0;
  #colon = 0;
  #fieldBytes = 0;
  #isStartChecked: boolean;
  /** The bytes of an incomplete section, and how many there are. */
  #buffer: Buffer | undefined;
  #length = 0;
  /** Bytes that are charged to the account. */
  #charged = 0;
  #section: Section | undefined;

  /** @param withStartLine - whether the section begins with a start line, as a head does and a trailer does not */
  constructor(options: SectionOptions, withStartLine: boolean) {
    this.#options = options;
    this.#phase = withStartLine ? 'start line' : 'line';
    this.#isStartChecked = !withStartLine;
  }

  /** Frees the buffer of an incomplete section. */
  release(): void {
    this.#options.memory?.release(this.#charged);
    this.#charged = 0;
    if (this.#buffer !== undefined) freeBuffer(this.#buffer);
    this.#buffer = undefined;
    this.#length = 0;
  }

  /** Returns the section, once {@link push} has found its end, and forgets it. */
  take(): Section {
    const section = this.#section;
    if (section === undefined) throw new Error('The section is not complete.');
    this.#section = undefined;
    return section;
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end`.
   *
   * @returns the position in `chunk` after the section, or {@link MORE}
   * @throws {@link FormatError} at the first byte that is not allowed, and for a section over the limit
   */
  push(chunk: Buffer, start: number, end: number): number {
    const before = this.#length;
    // A view is not created for a whole chunk, the usual case: that takes a sixth of the time of reading a short head.
    const added = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    const bytes = before === 0 ? added : this.#append(added);
    while (this.#position < bytes.length && this.#phase !== 'done') this.#step(bytes);
    if (this.#phase === 'done') {
      this.#complete(bytes);
      return start + this.#position - before;
    }
    this.#checkIncomplete(bytes);
    if (before === 0) this.#append(added);
    this.#charge(this.#memoryOfIncomplete(this.#buffer?.length ?? 0));
    return MORE;
  }

  #step(bytes: Buffer): void {
    switch (this.#phase) {
      case 'line feed':
        if (bytes[this.#position] !== LF) throw malformed('CR without LF');
        this.#advance(1, this.#isLastLine ? 'done' : 'line');
        break;
      case 'line':
        this.#isLastLine = bytes[this.#position] === CR;
        if (this.#isLastLine) this.#advance(1, 'line feed');
        else {
          this.#lines += 1;
          if (this.#lines > MAX_FIELDS) throw new FormatError('header_too_large', 'too many field lines');
          this.#lineStart = this.#position;
          this.#phase = 'name';
        }
        break;
      case 'name':
        this.#name(bytes);
        break;
      case 'blanks':
        this.#blanks(bytes);
        break;
      default:
        this.#text(bytes);
    }
  }

  #advance(count: number, next: Phase): void {
    this.#position += count;
    this.#phase = next;
  }

  #name(bytes: Buffer): void {
    const stop = skip(bytes, this.#position, TOKEN);
    this.#fieldBytes += stop - this.#position;
    this.#position = stop;
    if (stop === bytes.length) return;
    if (bytes[stop] !== COLON || stop === this.#lineStart) throw malformed('field name that is not a token');
    this.#colon = stop;
    this.#advance(1, 'blanks');
  }

  #blanks(bytes: Buffer): void {
    // The usual blank after the colon is a separator. All further ones count.
    const counted = Math.max(this.#position, this.#colon + 2);
    while (isBlank(bytes[this.#position])) this.#position += 1;
    this.#fieldBytes += Math.max(0, this.#position - counted);
    if (this.#position === bytes.length) return;
    this.#phase = 'value';
  }

  /** Reads the start line or a value, up to its CR. */
  #text(bytes: Buffer): void {
    const stop = skip(bytes, this.#position, FIELD);
    const isValue = this.#phase === 'value';
    if (isValue) this.#fieldBytes += stop - this.#position;
    this.#position = stop;
    if (stop === bytes.length) return;
    if (bytes[stop] !== CR) throw malformed(`control character in ${isValue ? 'a field value' : 'the start line'}`);
    if (!isValue) {
      this.#startLineEnd = stop;
      this.#linesStart = stop + 2;
    }
    this.#advance(1, 'line feed');
  }

  #checkIncomplete(bytes: Buffer): void {
    const isComplete = this.#phase !== 'start line';
    const startBytes = isComplete ? this.#startLineEnd : bytes.length;
    if (!this.#isStartChecked) {
      const shown = isComplete ? startBytes : Math.min(startBytes, BEGINNING);
      this.#options.checkStart?.(bytes.toString('latin1', 0, shown), isComplete);
      this.#isStartChecked = isComplete;
    }
    this.#checkSize(startBytes);
  }

  #checkSize(startLine: number): void {
    if (startLine + this.#fieldBytes > this.#options.limit) throw tooLarge();
  }

  #complete(bytes: Buffer): void {
    this.#checkSize(this.#startLineEnd);
    const copies = this.#position > LARGE ? COPIES_OF_LARGE : 2;
    const memory = copies * this.#position + LINE_OVERHEAD * this.#lines;
    // Before the text is created, because a section for which there is no memory must not cost any.
    if (memory > LARGE) this.#charge(memory);
    this.#section = {
      // Not a slice of the text of the lines: a tunnel retains its target, and V8 would retain the whole text with it.
      startLine: bytes.toString('latin1', 0, this.#startLineEnd),
      lines: linesOf(bytes.toString('latin1', this.#linesStart, this.#position - 2)),
      fieldBytes: this.#fieldBytes,
      memory,
    };
    this.release();
  }

  /** Copies bytes after those of the incomplete section, and returns all of them. */
  #append(bytes: Buffer): Buffer {
    const length = this.#length + bytes.length;
    let buffer = this.#buffer;
    if (buffer === undefined || buffer.length < length) {
      // Not a slice of Node's pool, which would keep the whole pool alive for as long as the client needs.
      const larger = Buffer.allocUnsafeSlow(Math.max(FIRST_BUFFER, 2 ** Math.ceil(Math.log2(length))));
      if (buffer !== undefined) {
        buffer.copy(larger, 0, 0, this.#length);
        freeBuffer(buffer);
      }
      buffer = larger;
    }
    bytes.copy(buffer, this.#length);
    this.#buffer = buffer;
    this.#length = length;
    return buffer.subarray(0, length);
  }

  /**
   * Returns what is charged for an incomplete section. A large one, and each line, is charged with what it will need when it is
   * complete: otherwise each new one would replace a complete one, and leave the texts of that as garbage.
   */
  #memoryOfIncomplete(bufferBytes: number): number {
    const copies = bufferBytes > LARGE ? COPIES_OF_LARGE : 1;
    return copies * bufferBytes + LINE_OVERHEAD * this.#lines;
  }

  /** Charges the account with a number of bytes in all. */
  #charge(size: number): void {
    const { memory } = this.#options;
    const added = size - this.#charged;
    if (memory === undefined || added === 0) return;
    this.#charged = size;
    memory.reserve(added);
  }
}

/** Splits valid field lines, each of which ends in CRLF. */
function linesOf(text: string): FieldLine[] {
  const lines: FieldLine[] = [];
  for (let start = 0; start < text.length;) {
    const colon = text.indexOf(':', start);
    const stop = text.indexOf('\r', colon);
    let [from, to] = [colon + 1, stop];
    while (isBlank(text.charCodeAt(from))) from += 1;
    while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1;
    const name = text.slice(start, colon);
    lines.push({ kind: kindOf(name), name, value: text.slice(from, to), text: text.slice(start, stop + 2) });
    start = stop + 2;
  }
  return lines;
}

/** Returns a table with 1 for each byte that matches. */
function classOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, code) => Number(pattern.test(String.fromCharCode(code))));
}

/** Returns the position of the first byte outside a class, or the end. */
function skip(bytes: Buffer, from: number, allowed: Uint8Array): number {
  let position = from;
  while (position < bytes.length && allowed[bytes[position] ?? 0] === 1) position += 1;
  return position;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function tooLarge(): FormatError {
  return new FormatError('header_too_large', 'header section over the limit');
}
