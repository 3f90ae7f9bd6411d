import { malformed, singleLine, type FieldLines } from './field-lines.js';
import type { SectionAccount } from './section-memory.js';
import { CR, LF, MORE, SectionReader } from './section.js';

/** How the end of a body is found (RFC 9112, section 6.3); only a response's body may end with its connection. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'close';

const CHUNKED = /^chunked$/i;
/** Lengths that can be counted: 2^53 has 16 digits. */
const LENGTH = /^[0-9]{1,16}$/;

/** The fields of a message that determine where its body ends. */
export interface FramingFields {
  /** `close` if there is neither of the two. */
  readonly framing: 'chunked' | 'length' | 'close';
  /** Content-Length as it was sent. */
  readonly contentLength: string | undefined;
  /** Content-Length as a number; 0 if there is none. */
  readonly length: number;
}

/**
 * Parses Transfer-Encoding and Content-Length (RFC 9112, sections 6.1 to 6.3).
 *
 * @param minor - the minor version of HTTP/1.x
 * @throws {@link FormatError} if they are invalid or ambiguous
 */
export function readFraming(lines: FieldLines, minor: number): FramingFields {
  const isChunked = readCoding(lines, minor);
  const contentLength = singleLine(lines, 'content-length')?.value;
  if (contentLength === undefined) return { framing: isChunked ? 'chunked' : 'close', contentLength, length: 0 };
  const length = Number(contentLength);
  if (isChunked) throw malformed('Content-Length with Transfer-Encoding');
  if (!LENGTH.test(contentLength) || !Number.isSafeInteger(length))
    throw malformed('Content-Length that is not a length');
  return { framing: 'length', contentLength, length };
}

function readCoding(lines: FieldLines, minor: number): boolean {
  const coding = singleLine(lines, 'transfer-encoding');
  if (coding === undefined) return false;
  if (!CHUNKED.test(coding.value)) throw malformed('Transfer-Encoding other than chunked');
  // Some parsers read it as a part of the coding.
  if (coding.text.endsWith('\t\r\n')) throw malformed('tab after Transfer-Encoding');
  if (minor === 0) throw malformed('Transfer-Encoding in HTTP/1.0');
  return true;
}

/** The part of a body that one read produced. */
export interface BodyPart {
  /** The start and end of each piece in the bytes that were read, one after the other. */
  readonly pieces: readonly number[];
  /** Whether the body ends with them. */
  readonly isComplete: boolean;
  /** The trailer fields of a chunked body that is complete. */
  readonly trailers: FieldLines | undefined;
}

/** Reads the bodies of the messages of one direction of a connection, one after the other. */
export class BodyReader implements BodyPart {
  pieces: number[] = [];
  isComplete = false;
  readonly #trailerBytes: number;
  readonly #maxChunk: number;
  #chunks: ChunkedDecoder | undefined;
  #framing: BodyFraming = 'none';
  #left = 0;

  /**
   * @param trailerBytes - the limit of a trailer section
   * @param maxChunk - the limit of one chunk
   */
  constructor(trailerBytes: number, maxChunk: number = Number.MAX_SAFE_INTEGER) {
    this.#trailerBytes = trailerBytes;
    this.#maxChunk = maxChunk;
  }

  /**
   * Begins the body of the next message.
   *
   * @param length - its number of bytes if its framing is `length`
   * @param memory - is charged for the trailer section; the caller releases a complete one after the message
   */
  begin(
    { framing, length }: { readonly framing: BodyFraming; readonly length: number },
    memory?: SectionAccount,
  ): void {
    this.#framing = framing;
    this.#left = length;
    this.#chunks = framing === 'chunked' ? new ChunkedDecoder(this.#trailerBytes, this.#maxChunk, memory) : undefined;
  }

  /** Frees the buffer of an incomplete trailer section, and forgets a complete one. */
  release(): void {
    this.#chunks?.release();
    this.#chunks = undefined;
    this.clear();
  }

  /** Whether the next bytes belong to the trailer section. */
  get isInTrailer(): boolean {
    return this.#chunks?.isInTrailer === true;
  }

  /** Whether the body ends with its connection. */
  get endsWithConnection(): boolean {
    return this.#framing === 'close';
  }

  get trailers(): FieldLines | undefined {
    return this.isComplete ? this.#chunks?.trailers : undefined;
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end`, and adds those of the body to `pieces`. The caller clears them before.
   *
   * @returns the position in `chunk` after the body and its trailer section, or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number): number {
    const stop = this.#read(chunk, start, end);
    this.isComplete = stop !== MORE;
    return stop;
  }

  /** Forgets the part that the last read produced. */
  clear(): void {
    this.pieces = [];
    this.isComplete = false;
  }

  #read(chunk: Buffer, start: number, end: number): number {
    if (this.#framing === 'none') return start;
    if (this.#chunks !== undefined) return this.#chunks.push(chunk, start, end, this.pieces);
    const stop = this.#framing === 'close' ? end : Math.min(end, start + this.#left);
    this.#left -= stop - start;
    if (stop > start) this.pieces.push(start, stop);
    return this.#framing === 'close' || this.#left > 0 ? MORE : stop;
  }
}

/** Hexadecimal digits of a chunk size: 2^53 needs fourteen. */
const MAX_SIZE_DIGITS = 16;
/** Bytes of the extensions of one chunk: the limit of Node's own parser. */
const MAX_EXTENSION_BYTES = 16_384;
/** Characters that are added one by one are joined after so many: until then V8 needs 32 bytes for each. */
const JOINED = 64;

const HEX_DIGIT = /[0-9A-Fa-f]/;
const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
/** chunk-ext of RFC 9112, section 7.1.1 in latin1, without the blanks that only its BWS would allow. */
const EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);

type Phase = 'size' | 'extension' | 'size line feed' | 'data' | 'data CR' | 'data line feed' | 'trailer';

/** An incremental, strict decoder of one body in the chunked transfer coding (RFC 9112, section 7.1). */
class ChunkedDecoder {
  readonly #trailer: SectionReader;
  readonly #maxChunk: number;
  readonly #memory: SectionAccount | undefined;
  /** The trailer fields, once the body is complete. */
  trailers: FieldLines = [];
  #phase: Phase = 'size';
  #size = '';
  #extension = '';
  /** Bytes of the current chunk that were not received. */
  #left = 0;

  constructor(trailerBytes: number, maxChunk: number, memory: SectionAccount | undefined) {
    this.#trailer = new SectionReader({ limit: trailerBytes, memory }, false);
    this.#maxChunk = maxChunk;
    this.#memory = memory;
  }

  get isInTrailer(): boolean {
    return this.#phase === 'trailer';
  }

  release(): void {
    this.#trailer.release();
  }

  push(chunk: Buffer, start: number, end: number, pieces: number[]): number {
    let position = start;
    while (position < end) {
      if (this.#phase === 'trailer') return this.#trailers(chunk, position, end);
      if (this.#phase === 'data') position = this.#data(position, end, pieces);
      else {
        this.#step(chunk[position] ?? 0);
        position += 1;
      }
    }
    return MORE;
  }

  /** Checks that no trailer changes the framing of the body (RFC 9110, section 6.5.1). */
  #trailers(chunk: Buffer, position: number, end: number): number {
    const stop = this.#trailer.push(chunk, position, end);
    const isFraming = ({ kind }: FieldLines[number]): boolean =>
      kind === 'content-length' || kind === 'transfer-encoding';
    if (stop === MORE) return stop;
    const { lines, memory } = this.#trailer.take();
    this.#memory?.retain(memory);
    this.trailers = lines;
    if (lines.some(isFraming)) throw malformed('framing field in the trailer');
    return stop;
  }

  #data(position: number, end: number, pieces: number[]): number {
    const stop = Math.min(end, position + this.#left);
    this.#left -= stop - position;
    if (this.#left === 0) this.#phase = 'data CR';
    pieces.push(position, stop);
    return stop;
  }

  #step(byte: number): void {
    switch (this.#phase) {
      case 'size':
      case 'extension':
        this.#sizeLine(byte);
        break;
      case 'size line feed':
        expectByte(byte, LF);
        this.#phase = this.#left === 0 ? 'trailer' : 'data';
        this.#size = '';
        this.#extension = '';
        break;
      case 'data CR':
        expectByte(byte, CR);
        this.#phase = 'data line feed';
        break;
      default:
        expectByte(byte, LF);
        this.#phase = 'size';
    }
  }

  #sizeLine(byte: number): void {
    const character = String.fromCharCode(byte);
    if (this.#phase === 'size' && HEX_DIGIT.test(character)) {
      this.#size += character;
      this.#left = Number.parseInt(this.#size, 16);
      const isTooLarge = this.#size.length > MAX_SIZE_DIGITS || this.#left > this.#maxChunk;
      if (isTooLarge) throw malformed('chunk size too large');
      return;
    }
    if (this.#size === '') throw malformed('chunk without a size');
    if (byte === CR) {
      if (!EXTENSIONS.test(this.#extension)) throw malformed('malformed chunk extension');
      this.#phase = 'size line feed';
      return;
    }
    if (byte === LF) throw malformed('chunk that does not end in CRLF');
    this.#phase = 'extension';
    this.#extend(character);
  }

  #extend(character: string): void {
    this.#extension += character;
    const { length } = this.#extension;
    if (length > MAX_EXTENSION_BYTES) throw malformed('chunk extensions too long');
    if (length % JOINED === 0) this.#extension = Buffer.from(this.#extension, 'latin1').toString('latin1');
  }
}

function expectByte(byte: number, wanted: number): void {
  if (byte !== wanted) throw malformed('chunk that does not end in CRLF');
}
