import { FormatError, joinedValues, type FieldLines } from '../field-lines.js';
import { ResponseReader, type AnsweredRequest, type ResponseHead } from '../response-reader.js';
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

function collect({ heads, body }: ResponseReader, bytes: Buffer, answer: ReadAnswer): void {
  for (const head of heads) {
    const isFinal = head.status >= 200;
    const kind = isFinal ? 'head' : 'informational';
    const switched = head.status === 101 ? `switched ${joinedValues(head.lines, 'upgrade')}` : undefined;
    answer.events.push(switched ?? `${kind} ${head.status}`);
    if (isFinal || switched !== undefined) answer.head = head;
    answer.complete ||= switched !== undefined;
  }
  for (let index = 0; index < body.pieces.length; index += 2) {
    answer.body += bytes.toString('latin1', body.pieces[index], body.pieces[index + 1]);
  }
  if (!body.isComplete) return;
  answer.events.push('complete');
  answer.complete = true;
  if (body.trailers !== undefined) answer.trailers = flat(body.trailers);
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads one answer that arrives in these chunks, followed by the end of the connection. The memory of each piece is overwritten
 * after it, as that of a read buffer is.
 */
export function readAnswer(
  pieces: readonly (string | Buffer)[],
  options: AnsweredRequest & { readonly headerBytes?: number; readonly ends?: boolean } = { method: 'GET' },
): ReadAnswer {
  const answer: ReadAnswer = { events: [], body: '', complete: false, consumed: 0 };
  const reader = new ResponseReader(options.headerBytes ?? 65_536);
  reader.begin(options);
  let position = 0;
  try {
    for (const piece of pieces) {
      const bytes = typeof piece === 'string' ? Buffer.from(piece, 'latin1') : Buffer.from(piece);
      let stop = MORE;
      try {
        stop = reader.push(bytes, 0, bytes.length);
      } finally {
        collect(reader, bytes, answer);
      }
      bytes.fill('X');
      if (stop !== MORE) {
        answer.consumed = position + stop;
        return answer;
      }
      position += bytes.length;
    }
    answer.consumed = position;
    if (options.ends === false) return answer;
    reader.finish();
    collect(reader, NOTHING, answer);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    answer.refused = error.fault;
  }
  return answer;
}
