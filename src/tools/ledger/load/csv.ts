/** A row of CSV. */
export interface CsvRow {
  /** The number of its first line, from 1 on. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A file that cannot be loaded; the message is one line for the user. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
  /** Errors with such a code are one line for the user. */
  readonly code = 'LEDGER_TOOL.LOAD';
}

/** Most characters of a cell: a missing quote would make the rest of the file one cell. */
const MAX_CELL = 1024 * 1024;

const LONE_RETURN = 'a carriage return outside quotes is not followed by a line feed';

const PLAIN = /[^",\r\n]*/y;
const QUOTED = /[^"]*/y;

/**
 * Parses CSV (RFC 4180) incrementally: commas, cells in double quotes that may contain line breaks, CRLF or LF. Empty lines are
 * skipped.
 */
export class CsvParser {
  #cells: string[] = [];
  #cell = '';
  /** Whether the present cell is in quotes: not, inside them, or after a quote that may end it or escape another one. */
  #quotes: 'none' | 'inside' | 'after' = 'none';
  /** Whether the last character was a carriage return, which may be the last one of a piece. */
  #isAfterReturn = false;
  #line = 1;
  #firstLine = 1;

  /** Yields the rows that end in a text. @throws {@link LoadError} */
  *push(text: string): Generator<CsvRow, void, undefined> {
    for (let at = 0; at < text.length;) {
      if (this.#isAfterReturn && text.charAt(at) !== '\n') throw this.#error(LONE_RETURN);
      if (this.#quotes === 'inside') at = this.#quoted(text, at);
      else if (this.#quotes === 'none') at = this.#plain(text, at);
      if (at === text.length) return;
      const character = text.charAt(at);
      at += 1;
      if (character === '\n') yield* this.#endRow();
      else this.#accept(character);
    }
  }

  /** Yields the last row, which may lack a line break. @throws {@link LoadError} */
  *end(): Generator<CsvRow, void, undefined> {
    if (this.#quotes === 'inside') throw this.#error('a quoted cell has no closing quote');
    if (this.#isAfterReturn) throw this.#error(LONE_RETURN);
    yield* this.#endRow();
  }

  #plain(text: string, at: number): number {
    PLAIN.lastIndex = at;
    const [part = ''] = PLAIN.exec(text) ?? [];
    this.#cell += part;
    if (this.#cell.length > MAX_CELL) throw this.#error('a cell is too long');
    return at + part.length;
  }

  #quoted(text: string, at: number): number {
    QUOTED.lastIndex = at;
    const [part = ''] = QUOTED.exec(text) ?? [];
    for (let found = part.indexOf('\n'); found >= 0; found = part.indexOf('\n', found + 1)) this.#line += 1;
    this.#cell += part;
    if (this.#cell.length > MAX_CELL) throw this.#error('a cell is too long, as if a closing quote were missing');
    return at + part.length;
  }

  /** Accepts a character that ends the plain or quoted part of a cell, apart from a line feed. */
  #accept(character: string): void {
    if (character === '"') this.#quote();
    else if (character === ',') this.#endCell();
    else if (character === '\r') this.#isAfterReturn = true;
    else throw this.#error('a quoted cell continues after its closing quote');
  }

  #quote(): void {
    if (this.#quotes === 'inside') {
      this.#quotes = 'after';
    } else if (this.#quotes === 'after') {
      this.#cell += '"';
      this.#quotes = 'inside';
    } else if (this.#cell === '') {
      this.#quotes = 'inside';
    } else {
      throw this.#error('a quote appears in a cell that does not begin with one');
    }
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = '';
    this.#quotes = 'none';
  }

  *#endRow(): Generator<CsvRow, void, undefined> {
    const isEmpty = this.#cells.length === 0 && this.#cell === '' && this.#quotes === 'none';
    this.#endCell();
    const row = { line: this.#firstLine, cells: this.#cells };
    this.#cells = [];
    this.#isAfterReturn = false;
    this.#line += 1;
    this.#firstLine = this.#line;
    if (!isEmpty) yield row;
  }

  #error(what: string): LoadError {
    return new LoadError(`Line ${this.#line} is not valid CSV: ${what}.`);
  }
}
