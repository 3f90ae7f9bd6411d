import { ChunkedDecoder, type BodySink } from './chunked-decoder.js';
import type { FieldLines } from './field-lines.js';
import { MORE } from './scanner.js';

/** How the end of a body is found (RFC 9112, section 6.3); only a response's body may end with its connection. */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'close';

/** The framing of a message, from its head. */
interface Framed {
  readonly framing: BodyFraming;
  /** Bytes of the body if framing is `length`. */
  readonly length: number;
}

/** Reads the bodies of the messages of one direction of a connection, one after the other. */
export class BodyReader {
  readonly #trailerBytes: number;
  readonly #maxChunk: number | undefined;
  /** Created for the first chunked body: many connections never have one. */
  #chunks: ChunkedDecoder | undefined;
  #framing: BodyFraming = 'none';
  #left = 0;

  /**
   * @param trailerBytes - the limit of a trailer section
   * @param maxChunk - the limit of one chunk
   */
  constructor(trailerBytes: number, maxChunk?: number) {
    this.#trailerBytes = trailerBytes;
    this.#maxChunk = maxChunk;
  }

  /** Begins the body of the next message. */
  begin({ framing, length }: Framed): void {
    this.#framing = framing;
    this.#left = length;
    if (framing === 'chunked') {
      this.#chunks ??= new ChunkedDecoder(this.#trailerBytes, this.#maxChunk);
      this.#chunks.reset();
    }
  }

  /** Whether the body ends with its connection. */
  get endsWithConnection(): boolean {
    return this.#framing === 'close';
  }

  /** The trailer fields of a chunked body, once {@link push} has found its end. */
  get trailers(): FieldLines | undefined {
    return this.#framing === 'chunked' ? this.#chunks?.trailers : undefined;
  }

  /**
   * Reads the bytes of `chunk` from `start` to `end` and passes those of the body to `sink`.
   *
   * @returns the position in `chunk` behind the body and its trailer section, or {@link MORE}
   * @throws {@link FormatError}
   */
  push(chunk: Buffer, start: number, end: number, sink: BodySink): number {
    switch (this.#framing) {
      case 'none':
        return start;
      case 'length':
        return this.#pushCounted(chunk, start, end, sink);
      case 'chunked':
        return this.#chunks?.push(chunk, start, end, sink) ?? MORE;
      case 'close':
        if (start < end) sink.body(chunk, start, end);
        return MORE;
    }
  }

  #pushCounted(chunk: Buffer, start: number, end: number, sink: BodySink): number {
    const stop = Math.min(end, start + this.#left);
    this.#left -= stop - start;
    if (stop > start) sink.body(chunk, start, stop);
    return this.#left > 0 ? MORE : stop;
  }
}
