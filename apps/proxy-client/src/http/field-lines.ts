/** The kinds of error in an HTTP message. */
export type FormatFault = 'malformed' | 'header_too_large' | 'incomplete';

/** Bytes that are not an HTTP/1.1 message. The text of the error is constant: it contains no byte of the message. */
export class FormatError extends Error {
  readonly fault: FormatFault;

  constructor(fault: FormatFault, message: string) {
    super(message);
    this.name = 'FormatError';
    this.fault = fault;
  }
}

/** Creates the error for a message that violates the grammar. */
export function malformed(message: string): FormatError {
  return new FormatError('malformed', message);
}

/** The number of lines that a section may have, and of options that Connection may have. */
export const MAX_FIELDS = 10_000;

const NAMED = [
  'authorization',
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'max-forwards',
  'proxy-authorization',
  'proxy-connection',
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

/** A field line as it was received, in latin1: one character per byte. */
export interface FieldLine {
  readonly kind: FieldKind | undefined;
  readonly name: string;
  /** Without surrounding blanks. */
  readonly value: string;
  /** The whole line with its CRLF. */
  readonly text: string;
}

/** The field lines of one header or trailer section, in their order. */
export type FieldLines = readonly FieldLine[];

/** Returns how a proxy handles the field of a name. */
export function kindOf(name: string): FieldKind | undefined {
  const lower = name.toLowerCase();
  return KINDS.get(lower) ?? (lower.startsWith('proxy-') ? 'proxy' : undefined);
}

/**
 * Returns the line of a field that may appear once.
 *
 * @throws {@link FormatError} if it is repeated
 */
export function singleLine(lines: FieldLines, kind: FieldKind): FieldLine | undefined {
  let found: FieldLine | undefined;
  for (const line of lines) {
    if (line.kind !== kind) continue;
    if (found !== undefined) throw malformed(`repeated ${kind}`);
    found = line;
  }
  return found;
}

/** Returns the values of a list field, joined by commas (RFC 9110, section 5.3); empty if there is none. */
export function joinedValues(lines: FieldLines, kind: FieldKind): string {
  let joined = '';
  for (const line of lines) if (line.kind === kind) joined += joined === '' ? line.value : `, ${line.value}`;
  return joined;
}

const NO_OPTIONS: ReadonlySet<string> = new Set();

/**
 * Returns the options of Connection or Proxy-Connection (RFC 9110, section 7.6.1) in lower case. Each may name a field.
 *
 * @throws {@link FormatError} for more than {@link MAX_FIELDS}, whose texts would take many times the memory of the field
 */
export function connectionOptions(
  lines: FieldLines,
  kind: 'connection' | 'proxy-connection' = 'connection',
): ReadonlySet<string> {
  const value = joinedValues(lines, kind);
  if (value === '') return NO_OPTIONS;
  const options = value.split(',', MAX_FIELDS + 1);
  if (options.length > MAX_FIELDS) throw new FormatError('header_too_large', `too many options in ${kind}`);
  return new Set(options.map((option) => option.trim().toLowerCase()).filter((option) => option !== ''));
}

/** Hop-by-hop fields (RFC 9110, section 7.6.1). */
export const HOP_BY_HOP: readonly FieldKind[] = [
  'connection',
  'keep-alive',
  'proxy',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
];

/** Returns the text to forward in place of a line, empty to drop it. */
export type Rewrite = (line: FieldLine) => string;

const asReceived: Rewrite = ({ text }) => text;

/** Rewrites each line as `name: value`. */
export function tidied({ name, value }: FieldLine): string {
  return `${name}: ${value}\r\n`;
}

/**
 * Returns the lines without those of `dropped` kinds and those named by Connection.
 *
 * @param named - the options of Connection, in lower case
 */
export function forwardedLines(
  lines: FieldLines,
  dropped: ReadonlySet<FieldKind | undefined>,
  named: ReadonlySet<string>,
  rewrite: Rewrite = asReceived,
): string {
  let kept = '';
  for (const line of lines) {
    // Framing follows what was read, never what Connection names.
    const isNamed = named.size > 0 && line.kind !== 'content-length' && named.has(line.name.toLowerCase());
    if (!isNamed && !dropped.has(line.kind)) kept += rewrite(line);
  }
  return kept;
}

/** Fields that have no meaning in a trailer, or would change how the body was read (RFC 9110, section 6.5.1). */
const NOT_IN_TRAILER: ReadonlySet<FieldKind | undefined> = new Set<FieldKind>([
  ...HOP_BY_HOP,
  'authorization',
  'content-length',
  'date',
  'expect',
  'host',
  'max-forwards',
  'www-authenticate',
]);

/**
 * Returns a trailer section as it is forwarded, including the empty line.
 *
 * @param named - the options of Connection in the head: the fields that they name are hop-by-hop here too (RFC 9110,
 *   section 7.6.1)
 */
export function trailerSection(lines: FieldLines, named: ReadonlySet<string>, rewrite?: Rewrite): string {
  return `${forwardedLines(lines, NOT_IN_TRAILER, named, rewrite)}\r\n`;
}
