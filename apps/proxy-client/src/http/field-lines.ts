const NAMED = [
  'authorization',
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'proxy-status',
  'te',
  'transfer-encoding',
  'upgrade',
  'via',
  'www-authenticate',
] as const;

/** The fields that a proxy handles itself, `proxy` for every other `Proxy-*`. All other fields are forwarded unchanged. */
export type FieldKind = (typeof NAMED)[number] | 'proxy';

const KINDS = new Map<string, FieldKind>(NAMED.map((name) => [name, name]));
const SPACE = 0x20;

function kindOf(name: string): FieldKind | undefined {
  const lower = name.toLowerCase();
  return KINDS.get(lower) ?? (lower.startsWith('proxy-') ? 'proxy' : undefined);
}

/** Returns the text to forward in place of a line, empty to drop it, undefined to forward it unchanged. */
export type Rewrite = (lines: FieldLines, line: number, kind: FieldKind | undefined) => string | undefined;

/** Rewrites each line as `name: value`. */
export function tidied(lines: FieldLines, line: number): string | undefined {
  return lines.isTidy(line) ? undefined : `${lines.name(line)}: ${lines.value(line)}\r\n`;
}

/**
 * The field lines of one header or trailer section as they were received: text in latin1 (one character per byte), and the
 * position of each line's parts in it. Whole lines can be forwarded without being split and joined again.
 */
export class FieldLines {
  /** The whole section: start line if there is one, field lines, empty line. */
  readonly text: string;
  /** Four offsets into `text` per line: name, end of name, value, end of value (without surrounding blanks). */
  readonly #marks: readonly number[];
  /** The kind of each line. */
  readonly #kinds: (FieldKind | undefined)[] = [];

  constructor(text: string, marks: readonly number[]) {
    this.text = text;
    this.#marks = marks;
    for (let line = 0; line < this.length; line += 1) this.#kinds.push(kindOf(this.name(line)));
  }

  get length(): number {
    return this.#marks.length >> 2;
  }

  kind(line: number): FieldKind | undefined {
    return this.#kinds[line];
  }

  /** The name as it was received. */
  name(line: number): string {
    return this.text.slice(this.#mark(line, 0), this.#mark(line, 1));
  }

  value(line: number): string {
    return this.text.slice(this.#mark(line, 2), this.#mark(line, 3));
  }

  /** The line as it was received, with its CRLF. */
  line(line: number): string {
    return this.text.slice(this.#lineStart(line), this.#lineStart(line + 1));
  }

  /**
   * Returns the lines without those of `dropped` kinds and those named by Connection.
   *
   * @param named - the options of Connection, in lower case
   * @param rewrite - replaces a line that is forwarded
   */
  without(dropped: ReadonlySet<FieldKind>, named: ReadonlySet<string>, rewrite?: Rewrite): string {
    const unlessNamed = namesNoField(named) ? undefined : named;
    let kept = '';
    let start = this.#lineStart(0);
    for (let line = 0; line < this.length; line += 1) {
      const kind = this.kind(line);
      const text = this.#isKept(line, kind, dropped, unlessNamed) ? rewrite?.(this, line, kind) : '';
      // Neighbouring lines that are forwarded unchanged are copied in one piece.
      if (text === undefined) continue;
      kept += this.text.slice(start, this.#lineStart(line)) + text;
      start = this.#lineStart(line + 1);
    }
    return kept + this.text.slice(start, this.#lineStart(this.length));
  }

  /** Whether the line is `name: value` without other blanks, as a sender should write it (RFC 9112, section 5.1). */
  isTidy(line: number): boolean {
    const value = this.#mark(line, 2);
    return (
      value === this.#mark(line, 1) + 2 &&
      this.text.charCodeAt(value - 1) === SPACE &&
      this.#mark(line, 3) === this.#lineStart(line + 1) - 2
    );
  }

  #isKept(
    line: number,
    kind: FieldKind | undefined,
    dropped: ReadonlySet<FieldKind>,
    named: ReadonlySet<string> | undefined,
  ): boolean {
    if (kind !== undefined && dropped.has(kind)) return false;
    // Framing follows what was read, never what Connection names.
    return named === undefined || kind === 'content-length' || !named.has(this.name(line).toLowerCase());
  }

  /** The start of a line in `text`; for the index behind the last line, the start of the empty line. */
  #lineStart(line: number): number {
    return line < this.length ? this.#mark(line, 0) : this.text.length - 2;
  }

  #mark(line: number, part: number): number {
    return this.#marks[line * 4 + part] ?? 0;
  }
}

/** Whether the options of Connection name no field, only how long the connection lives. */
function namesNoField(options: ReadonlySet<string>): boolean {
  return options.size === 0 || (options.size === 1 && (options.has('keep-alive') || options.has('close')));
}

/** Fields that have no meaning in a trailer, or would change how the body was read (RFC 9110, section 6.5.1). */
const NOT_IN_TRAILER: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'authorization',
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'proxy',
  'te',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]);

/**
 * Returns a trailer section as it is forwarded, including the empty line.
 *
 * @param named - the options of Connection in the head: the fields that they name are hop-by-hop here too (RFC 9110,
 *   section 7.6.1)
 */
export function trailerSection(lines: FieldLines, named: ReadonlySet<string>, rewrite: Rewrite): string {
  return `${lines.without(NOT_IN_TRAILER, named, rewrite)}\r\n`;
}
