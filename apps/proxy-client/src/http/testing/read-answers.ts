import { joinedValues, type FieldLines } from '../field-lines.js';
import { FormatError } from '../format-error.js';
import type { ResponseHead } from '../response-head.js';
import { ResponseReader, type AnsweredRequest, type ResponseHandler } from '../response-reader.js';
import { MORE } from '../section.js';

/** What came out of the reader for one answer. */
export interface ReadAnswer {
  readonly events: string[];
  head?: ResponseHead;
  body: string;
  trailers?: string[];
  complete: boolean;
  /** Bytes of the input that belong to the answer. */
  consumed: number;
  /** The code of the error, if it was refused. */
  refused?: string;
}

/** Names and values, one after the other, as they came. */
export function flat(lines: FieldLines): string[] {
  return lines.flatMap(({ name, value }) => [name, value]);
}

class Recorder implements ResponseHandler {
  readonly answer: ReadAnswer = { events: [], body: '', complete: false, consumed: 0 };

  informational(head: ResponseHead): void {
    this.answer.events.push(`informational ${head.status}`);
  }

  switched(head: ResponseHead): void {
    this.answer.events.push(`switched ${joinedValues(head.lines, 'upgrade')}`);
    this.answer.head = head;
    this.answer.complete = true;
  }

  head(head: ResponseHead): void {
    this.answer.events.push(`head ${head.status}`);
    this.answer.head = head;
  }

  body(chunk: Buffer, start: number, end: number): void {
    this.answer.body += chunk.toString('latin1', start, end);
  }

  complete(trailers: FieldLines | undefined): void {
    this.answer.events.push('complete');
    this.answer.complete = true;
    if (trailers !== undefined) this.answer.trailers = flat(trailers);
  }
}

/**
 * Reads one answer that comes in the given pieces, the connection's end behind them. The memory of each piece is overwritten
 * behind it, as that of a read buffer is.
 */
export function readAnswer(
  pieces: readonly (string | Buffer)[],
  options: AnsweredRequest & { readonly headerBytes?: number; readonly ends?: boolean } = { method: 'GET' },
): ReadAnswer {
  const recorder = new Recorder();
  const { answer } = recorder;
  const reader = new ResponseReader(options.headerBytes ?? 65_536);
  reader.begin(options);
  let position = 0;
  try {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece);
      const stop = reader.push(bytes, 0, bytes.length, recorder);
      bytes.fill('X');
      if (stop !== MORE) {
        answer.consumed = position + stop;
        return answer;
      }
      position += bytes.length;
    }
    answer.consumed = position;
    if (options.ends !== false) reader.finish(recorder);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    answer.refused = error.fault;
  }
  return answer;
}
