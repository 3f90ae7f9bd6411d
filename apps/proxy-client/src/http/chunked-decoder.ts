import type { FieldLines } from './field-lines.js';
import { malformed } from './format-error.js';
import { CR, isHexDigit, LF, MORE, skipFieldText } from './scanner.js';
import { SectionReader } from './section.js';

/** Hexadecimal digits of a chunk size: 2^53 needs fourteen. */
const MAX_SIZE_DIGITS = 16;
/** Bytes of the extensions of one chunk: the limit of Node's own parser. */
const MAX_EXTENSION_BYTES = 16_384;

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
/** chunk-ext of RFC 9112, section 7.1.1 in latin1, without the blanks that only its BWS would allow. */
const EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)+$`);

type Phase = 'size' | 'extension' | 'size line feed' | 'data' | 'data CR' | 'data line feed' | 'trailer';

/** A consumer of the bytes of a body. */
export interface BodySink {
  /** Consumes the bytes of `chunk` from `start` to `end`, which are valid during the call only. */
  body(chunk: Buffer, start: number, end: number): void;
}

/** An incremental, strict decoder of the chunked transfer coding (RFC 9112, section 7.1). */
export class ChunkedDecoder {
  readonly #trailer: SectionReader;
  readonly #maxChunk: number;
  #phase: Phase = 'size';
  #digits = 0;
  #left = 0;
  #extension = '';
  #extensionBytes = 0;

  /**
   * @param trailerLimit - the limit of the trailer section in bytes
   * @param maxChunk - the limit of one chunk in bytes
   */
  constructor(trailerLimit: number, maxChunk: number = Number.MAX_SAFE_INTEGER) {
    this.#trailer = new SectionReader({ limit: trailerLimit });
    this.#maxChunk = maxChunk;
  }

  /** Begins a new body. */
  reset(): void {
    this.#phase = 'size';
    this.#digits = 0;
    this.#left = 0;
    this.#extension = '';
    this.#extensionBytes = 0;
    this.#trailer.reset(false);
  }

  /** The trailer fields, once {@link push} has found the body's end. */
  get trailers(): FieldLines {
    return this.#trailer.section.lines;
  }

  /**
   * Decodes the bytes of `chunk` from `start` to `end` and passes the data to `sink`.
   *
   * @returns the position in `chunk` behind the body and its trailer section, or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number, sink: BodySink): number {
    let position = start;
    while (position < end) {
      if (this.#phase === 'trailer') return this.#trailers(chunk, position, end);
      position = this.#phase === 'data' ? this.#data(chunk, position, end, sink) : this.#step(chunk, position, end);
    }
    return MORE;
  }

  #trailers(chunk: Buffer, position: number, end: number): number {
    const stop = this.#trailer.push(chunk, position, end);
    if (stop !== MORE) checkTrailers(this.trailers);
    return stop;
  }

  #data(chunk: Buffer, position: number, end: number, sink: BodySink): number {
    const stop = Math.min(end, position + this.#left);
    this.#left -= stop - position;
    if (this.#left === 0) this.#phase = 'data CR';
    sink.body(chunk, position, stop);
    return stop;
  }

  #step(chunk: Buffer, position: number, end: number): number {
    const byte = chunk[position] ?? 0;
    switch (this.#phase) {
      case 'size':
        return this.#size(byte, position);
      case 'extension':
        return this.#extensions(chunk, position, end);
      case 'size line feed':
        expectByte(byte, LF);
        this.#beginData();
        return position + 1;
      case 'data CR':
        expectByte(byte, CR);
        this.#phase = 'data line feed';
        return position + 1;
      default:
        expectByte(byte, LF);
        this.#phase = 'size';
        return position + 1;
    }
  }

  #size(byte: number, position: number): number {
    if (isHexDigit(byte)) {
      this.#digits += 1;
      this.#left = this.#left * 16 + hexValue(byte);
      if (this.#digits > MAX_SIZE_DIGITS || this.#left > this.#maxChunk) throw malformed('chunk size too large');
      return position + 1;
    }
    if (this.#digits === 0) throw malformed('chunk without a size');
    this.#phase = 'extension';
    return position;
  }

  #extensions(chunk: Buffer, position: number, end: number): number {
    const stop = skipFieldText(chunk, position, end);
    this.#extensionBytes += stop - position;
    if (this.#extensionBytes > MAX_EXTENSION_BYTES) throw malformed('chunk extensions too long');
    if (stop > position) this.#extension += chunk.toString('latin1', position, stop);
    if (stop === end) return end;
    expectByte(chunk[stop] ?? 0, CR);
    if (this.#extension !== '' && !EXTENSIONS.test(this.#extension)) throw malformed('malformed chunk extension');
    this.#extension = '';
    this.#phase = 'size line feed';
    return stop + 1;
  }

  #beginData(): void {
    this.#phase = this.#left === 0 ? 'trailer' : 'data';
    this.#digits = 0;
    this.#extensionBytes = 0;
  }
}

function expectByte(byte: number, wanted: number): void {
  if (byte !== wanted) throw malformed('chunk that does not end in CRLF');
}

/** Checks that no trailer changes the framing of the body (RFC 9110, section 6.5.1). */
function checkTrailers(trailers: FieldLines): void {
  for (let line = 0; line < trailers.length; line += 1) {
    const kind = trailers.kind(line);
    if (kind === 'content-length' || kind === 'transfer-encoding') throw malformed('framing field in the trailer');
  }
}

/** Returns the value of a hexadecimal digit. The low four bits of a letter are its value minus nine. */
function hexValue(byte: number): number {
  return (byte & 0x0f) + (byte > 0x39 ? 9 : 0);
}
