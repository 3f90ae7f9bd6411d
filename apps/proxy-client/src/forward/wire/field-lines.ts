import { kindAt, type FieldKind } from './field-kind.js';

/**
 * The field lines of one header or trailer section, as they came: text in latin1 (each byte one character), and where in
 * it each line's parts lie. Whole lines can so be passed on without being taken apart and put together again.
 */
export class FieldLines {
  /** The whole section: start line if there is one, field lines, the empty line. */
  readonly text: string;
  /** Four offsets into `text` a line: name, end of name, value, end of value (without the blanks around it). */
  readonly #marks: readonly number[];

  constructor(text: string, marks: readonly number[]) {
    this.text = text;
    this.#marks = marks;
  }

  static readonly NONE = new FieldLines('\r\n', []);

  get length(): number {
    return this.#marks.length >> 2;
  }

  /** What the field is to a proxy. */
  kind(line: number): FieldKind | undefined {
    return kindAt(this.text, this.#mark(line, 0), this.#mark(line, 1));
  }

  /** The name in lower case. */
  name(line: number): string {
    return this.text.slice(this.#mark(line, 0), this.#mark(line, 1)).toLowerCase();
  }

  value(line: number): string {
    return this.text.slice(this.#mark(line, 2), this.#mark(line, 3));
  }

  /** The line as it came, with its CRLF. */
  line(line: number): string {
    return this.text.slice(this.lineStart(line), this.lineStart(line + 1));
  }

  /** Where the line begins in `text`; for the line behind the last one, where the empty line begins. */
  lineStart(line: number): number {
    return line < this.length ? this.#mark(line, 0) : this.text.length - 2;
  }

  #mark(line: number, part: number): number {
    return this.#marks[line * 4 + part] ?? 0;
  }
}
