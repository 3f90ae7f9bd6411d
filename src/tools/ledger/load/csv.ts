import { pipeline, Readable } from 'node:stream';
import { parse, type CsvError, type Options } from 'csv-parse';
import { parse as parseSync } from 'csv-parse/sync';
import { ToolError } from '../../tool-error.js';

/** A row of CSV. */
export interface CsvRow {
  /** The number of its first line, from 1 on. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** How the cells of a file are separated. */
export interface CsvDialect {
  readonly delimiter: string;
  /** The first line with cells: the second one after a line such as `sep=;`. */
  readonly firstLine: 1 | 2;
}

/** Most characters of a row: a missing quote would make the rest of the file one cell. */
const MAX_ROW = 1024 * 1024;
/** What programs separate cells by, in the order of preference. */
const DELIMITERS = [',', ';', '\t', '|'] as const;
const LINE_BREAKS = ['\r\n', '\n', '\r'];
const LINE_BREAK = /\r\n|\n|\r/g;
/** The first line by which Excel is told the delimiter. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?:\r\n|\n|\r|$)/i;

const OPTIONS: Options = {
  record_delimiter: LINE_BREAKS,
  max_record_size: MAX_ROW,
  relax_column_count: true,
  skip_empty_lines: true,
};

/**
 * Returns how the cells of a file are separated: as its first line specifies, or by the delimiter with which the first row has the
 * most known columns.
 * @param head - the first characters of the file
 */
export function detectDialect(head: string, isColumn: (name: string) => boolean): CsvDialect {
  const [, specified] = SEPARATOR_LINE.exec(head) ?? [];
  if (specified !== undefined) return { delimiter: specified, firstLine: 2 };
  let best = { delimiter: ',', columns: 0 };
  for (const delimiter of DELIMITERS) {
    const columns = firstRow(head, { delimiter, firstLine: 1 }).filter((name) => isColumn(name.trim())).length;
    if (columns > best.columns) best = { delimiter, columns };
  }
  return { delimiter: best.delimiter, firstLine: 1 };
}

/** Returns the cells of the first row of a file; none if there is no row. */
export function firstRow(head: string, { delimiter, firstLine }: CsvDialect): readonly string[] {
  try {
    return parseSync(head, { ...OPTIONS, delimiter, from_line: firstLine, to: 1 })[0] ?? [];
  } catch {
    // Not CSV with this delimiter.
    return [];
  }
}

/**
 * Parses CSV: cells in double quotes may contain delimiters and line breaks, and empty lines are skipped.
 * @param text - pieces of the file
 * @throws {@link ToolError}, what the pieces throw
 */
export async function* parseCsv(
  text: AsyncIterable<string>,
  { delimiter, firstLine }: CsvDialect,
): AsyncGenerator<CsvRow, void, undefined> {
  const lines = new LineNumbers(firstLine - 1);
  const parser = parse({
    ...OPTIONS,
    delimiter,
    from_line: firstLine,
    // Called for each row before an error after it can end the stream.
    on_record: (record: string[], info) => {
      lines.add(record, info);
      return record;
    },
  });
  // The iteration reports the error of either stream.
  pipeline(Readable.from(text), parser, () => undefined);
  try {
    for await (const cells of parser as AsyncIterable<readonly string[]>) {
      yield { line: lines.next(), cells };
    }
  } catch (error) {
    throw errorOf(error as ParseError, lines);
  }
}

/** What the parser counts in the lines that it has read. */
type Counts = Readonly<Record<'lines' | 'empty_lines', number>>;

/** The numbers of the first lines of rows. */
class LineNumbers {
  readonly #starts: number[] = [];
  /** The parser counts a line break of two characters in a cell as two lines. */
  #excess = 0;
  #last: number;
  #empty = 0;

  /** @param before - the number of lines before the first row */
  constructor(before: number) {
    this.#last = before;
  }

  /** Adds a complete row. */
  add(record: readonly string[], { lines, empty_lines: empty }: Counts): void {
    const breaks = record.flatMap((cell) => cell.match(LINE_BREAK) ?? []);
    this.#excess += breaks.filter((each) => each.length > 1).length;
    this.#last = lines - this.#excess;
    this.#empty = empty;
    this.#starts.push(this.#last - breaks.length);
  }

  /** Returns the first line of the next row that is read. */
  next(): number {
    return this.#starts.shift() ?? 0;
  }

  /** Returns the first line of the row after the last complete one, in which an error was found. */
  unfinished({ empty_lines: empty }: Counts): number {
    return this.#last + 1 + empty - this.#empty;
  }

  /** Returns the number of a line that the parser has counted. */
  counted({ lines }: Counts): number {
    return lines - this.#excess;
  }
}

/** The errors that the parser reports at the end of a row or of the file, in which a quote was opened before. */
const UNCLOSED: ReadonlySet<string> = new Set(['CSV_QUOTE_NOT_CLOSED', 'CSV_MAX_RECORD_SIZE']);
const REASONS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'a quoted cell continues after its closing quote',
  CSV_MAX_RECORD_SIZE: 'the row that begins there is too long, as if a closing quote were missing',
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell of the row that begins there has no closing quote',
  INVALID_OPENING_QUOTE: 'a quote appears in a cell that does not begin with one',
};

type ParseError = Error & Partial<Pick<CsvError, 'code'>> & Counts;

function errorOf(error: ParseError, lines: LineNumbers): Error {
  const { code = '' } = error;
  const reason = REASONS[code];
  if (reason === undefined) return error;
  const line = UNCLOSED.has(code) ? lines.unfinished(error) : lines.counted(error);
  return new ToolError(`Line ${line} is not valid CSV: ${reason}.`, { cause: error });
}
