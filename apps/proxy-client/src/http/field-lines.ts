import { SPACE } from './bytes.js';
import { namesNoField } from './field-values.js';
import { kindAt, type FieldKind } from './field-kind.js';

/** See {@link FieldLines.without}. */
export type Rewrite = (lines: FieldLines, line: number, kind: FieldKind | undefined) => string | undefined;

/** Writes each line as `name: value`. */
export function tidied(lines: FieldLines, line: number): string | undefined {
  return lines.isTidy(line) ? undefined : `${lines.name(line)}: ${lines.value(line)}\r\n`;
}

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

  get length(): number {
    return this.#marks.length >> 2;
  }

  /** What the field is to a proxy. */
  kind(line: number): FieldKind | undefined {
    return kindAt(this.text, this.#mark(line, 0), this.#mark(line, 1));
  }

  /** The name as it came. */
  name(line: number): string {
    return this.text.slice(this.#mark(line, 0), this.#mark(line, 1));
  }

  value(line: number): string {
    return this.text.slice(this.#mark(line, 2), this.#mark(line, 3));
  }

  /** The line as it came, with its CRLF. */
  line(line: number): string {
    return this.text.slice(this.#lineStart(line), this.#lineStart(line + 1));
  }

  /**
   * The lines but those of `dropped` kinds and those that Connection names; neighbours that stay are copied in one piece.
   *
   * @param named - options of Connection, in lower case
   * @param rewrite - gives a line that goes on as another one, or as none; undefined for one that goes on as it came
   */
  without(dropped: ReadonlySet<FieldKind>, named: ReadonlySet<string>, rewrite?: Rewrite): string {
    const unlessNamed = namesNoField(named) ? undefined : named;
    let kept = '';
    let start = this.#lineStart(0);
    for (let line = 0; line < this.length; line += 1) {
      const kind = this.kind(line);
      const text = this.#stays(line, kind, dropped, unlessNamed) ? rewrite?.(this, line, kind) : '';
      if (text === undefined) continue;
      kept += this.text.slice(start, this.#lineStart(line)) + text;
      start = this.#lineStart(line + 1);
    }
    return kept + this.text.slice(start, this.#lineStart(this.length));
  }

  /** Whether the line is `name: value` with no other blanks, as a sender should write it (RFC 9112, section 5.1). */
  isTidy(line: number): boolean {
    const value = this.#mark(line, 2);
    return (
      value === this.#mark(line, 1) + 2 &&
      this.text.charCodeAt(value - 1) === SPACE &&
      this.#mark(line, 3) === this.#lineStart(line + 1) - 2
    );
  }

  #stays(
    line: number,
    kind: FieldKind | undefined,
    dropped: ReadonlySet<FieldKind>,
    named: ReadonlySet<string> | undefined,
  ): boolean {
    if (kind !== undefined && dropped.has(kind)) return false;
    // Framing goes by what was read, never by what Connection names.
    return named === undefined || kind === 'content-length' || !named.has(this.name(line).toLowerCase());
  }

  /** Where the line begins in `text`; for the line behind the last one, where the empty line begins. */
  #lineStart(line: number): number {
    return line < this.length ? this.#mark(line, 0) : this.text.length - 2;
  }

  #mark(line: number, part: number): number {
    return this.#marks[line * 4 + part] ?? 0;
  }
}
