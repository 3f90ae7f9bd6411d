import { parseTarget, type Target } from '../http/authority.js';
import { FormatError } from '../http/field-lines.js';
import type { ConfigLocation } from './config-faults.js';
import { type JsonSchema, key, kindOf, listOf, object, refine, setting, titled, type ValueReader } from './setting.js';

/** A text with a variable, which any value may be in a file. */
export const VARIABLE: JsonSchema = { type: 'string', pattern: '\\$\\{\\w+\\}' };

/** Returns the schema of values that a variable may replace. */
function orVariable(...values: readonly JsonSchema[]): JsonSchema {
  return { anyOf: [...values, VARIABLE] };
}

function expected<T>(what: string, json: JsonSchema, read: (value: unknown) => T | undefined): ValueReader<T> {
  return setting(json, (value, location) => {
    const given = withVariables(value, location);
    if (given === undefined) return undefined;
    const result = read(given);
    if (result === undefined) location.report(`must be ${what}${kindOf(given)}`);
    return result;
  });
}

/**
 * Expands the variables of a scalar.
 *
 * @returns undefined after a fault was reported
 */
function withVariables(value: unknown, location: ConfigLocation): unknown {
  const { references } = location;
  if (typeof value !== 'string' || references === undefined || !value.includes('$')) return value;
  return references.expand(value, location.report);
}

/** Converts decimal digits to a number: the value of a variable is always text. */
export function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** Returns a reader for sources whose values are always text: digits are converted to a number. */
export function digits<T>(reader: ValueReader<T>): ValueReader<T> {
  return setting(reader.json, (value, location) => reader(asNumber(value), location));
}

/** Returns a reader that also accepts variables with decimal digits. */
function numeric<T>(reader: ValueReader<T>): ValueReader<T> {
  return setting(orVariable(reader.json), (value, location) => {
    if (typeof value !== 'string' || !value.includes('${')) return reader(value, location);
    const given = withVariables(value, location);
    return given === undefined ? undefined : reader(asNumber(given), location.verbatim());
  });
}

/** Reads a text of 1 to `maxBytes` bytes of UTF-8. */
export function text(maxBytes: number): ValueReader<string> {
  return setting({ type: 'string', minLength: 1, maxLength: maxBytes }, (value, location) => {
    const given = withVariables(value, location);
    if (given === undefined || (typeof given === 'string' && fits(given, maxBytes))) return given;
    const isScalar = typeof given === 'number' || typeof given === 'boolean';
    location.report(isScalar ? 'must be text: put it in quotes' : `must be text of 1 to ${maxBytes} bytes`);
    return undefined;
  });
}

function fits(value: string, maxBytes: number): boolean {
  return value !== '' && Buffer.byteLength(value) <= maxBytes && value.isWellFormed();
}

/** Returns a reader with a further condition. */
export function valid(
  reader: ValueReader<string>,
  isValid: (text: string) => boolean,
  problem: string,
): ValueReader<string> {
  return refine(reader, (given, location) => {
    if (isValid(given)) return given;
    location.report(problem);
    return undefined;
  });
}

/** Reads a host name or an address; brackets around an IPv6 address are removed. */
export const host: ValueReader<string> = expected(
  'a host name or an IP address',
  { type: 'string', minLength: 1, maxLength: 255 },
  (value) => {
    if (typeof value !== 'string') return undefined;
    const bare = /^\[[^[\]]*\]$/.test(value) ? value.slice(1, -1) : value;
    return /^[^\s/@?#[\]\\\p{Cc}]{1,253}$/u.test(bare) ? bare : undefined;
  },
);

/** Reads a whole number between two bounds, both included. */
export function wholeNumber(from: number, to: number): ValueReader<number> {
  return numeric(
    expected(`a whole number from ${from} to ${to}`, { type: 'integer', minimum: from, maximum: to }, (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to ? value : undefined,
    ),
  );
}

/** Reads a duration in Go's notation as milliseconds. */
export const duration: ValueReader<number> = titled(
  'Duration',
  'A duration such as `30s`, `1m30s` or `500ms`; 0 means no limit.',
  expected(
    `a duration such as 30s, 1m30s or 0s, up to 596h`,
    orVariable({ type: 'string', pattern: '^(0|(\\d+(\\.\\d+)?(ms|h|m|s))+)$' }, { enum: [0] }),
    (value) => (value === 0 ? 0 : typeof value === 'string' ? parseDuration(value) : undefined),
  ),
);

/** Reads a size, from a number or a text such as 1MiB, as bytes. */
export function byteSize(from: number, to: number): ValueReader<number> {
  return expected(
    `a size such as 65536, 64KiB or 1MiB, from ${from} to ${to} bytes`,
    orVariable(
      { type: 'integer', minimum: from, maximum: to },
      { type: 'string', pattern: '^\\d{1,12}\\s?(B|KiB|MiB|KB|MB)?$' },
    ),
    (value) => {
      const bytes = typeof value === 'string' ? parseByteSize(value) : value;
      return typeof bytes === 'number' && Number.isInteger(bytes) && bytes >= from && bytes <= to ? bytes : undefined;
    },
  );
}

/** Reads one of several words. */
export function oneOf<const T extends string>(...words: readonly T[]): ValueReader<T> {
  const what = words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
  return expected(what, orVariable({ enum: words }), (value) => words.find((word) => word === value));
}

/** Reads `on`, `off`, `true` or `false`. */
export const onOff: ValueReader<boolean> = expected(
  'on or off',
  orVariable({ enum: [true, false, 'on', 'off'] }),
  (value) => {
    if (value === 'on' || value === 'true' || value === true) return true;
    return value === 'off' || value === 'false' || value === false ? false : undefined;
  },
);

const fileGroup = titled(
  'FileReference',
  'A file that contains the value.',
  object({ file: key(text(4096), 'Its path, relative to the configuration file.') }, 'file'),
);

/** Reads a secret text, which may be in a separate file: `{ file: PATH }`. A final line break is removed. */
export function secret(maxBytes: number): ValueReader<string> {
  const direct = text(maxBytes);
  return setting({ anyOf: [direct.json, fileGroup.json] }, (value, location) => {
    if (!(value instanceof Map)) return direct(value, location);
    const content = fileOf(value, location);
    return content === undefined ? undefined : direct(content.replace(/\r?\n$/, ''), location.child('file').verbatim());
  });
}

/** The maximum number of faults that are reported for one file. */
const MANY_FAULTS = 5;

/**
 * Reads a list, or `{ file: PATH }` of a file with one item per line and comments after #. The lines are read lazily, once:
 * undefined for a line without an item, or with an invalid one.
 */
export function listOrFile(item: ValueReader<string>, whenEmpty: string): ValueReader<Iterable<string | undefined>> {
  const direct = listOf(item, whenEmpty);
  return setting<Iterable<string | undefined>>({ anyOf: [direct.json, fileGroup.json] }, (value, location) => {
    if (!(value instanceof Map)) return direct(value, location);
    const read = fileGroup(value, location);
    const file = location.child('file');
    const pieces = read && location.references?.readPieces(read.file, file);
    return pieces && readLines(pieces, item, file);
  });
}

function* readLines(
  pieces: Iterable<string>,
  item: ValueReader<string>,
  location: ConfigLocation,
): Generator<string | undefined> {
  let faults = 0;
  let number = 0;
  const report = (problem: string): void => {
    location.report(`line ${number} ${problem}`);
  };
  const ofLine = { ...location, references: undefined, report };
  for (const line of linesOf(pieces)) {
    number += 1;
    if (line.length > MAX_LINE) {
      report(`is longer than ${MAX_LINE} characters`);
      return;
    }
    const comment = line.indexOf('#');
    const entry = (comment === -1 ? line : line.slice(0, comment)).trim();
    const read = entry === '' ? undefined : item(entry, ofLine);
    if (entry !== '' && read === undefined) faults += 1;
    if (faults === MANY_FAULTS) return;
    yield read;
  }
}

/** A longer line ends the list: a file of zeros has no other. */
const MAX_LINE = 65_536;

function* linesOf(pieces: Iterable<string>): Generator<string> {
  let rest = '';
  for (const piece of pieces) {
    const text = rest + piece;
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      yield text.slice(from, end);
      from = end + 1;
    }
    rest = text.slice(from);
    if (rest.length > MAX_LINE) break;
  }
  if (rest !== '') yield rest;
}

/** Returns the text of the file of `{ file: PATH }`. */
function fileOf(value: unknown, location: ConfigLocation): string | undefined {
  const read = fileGroup(value, location);
  return read && location.references?.read(read.file, location.child('file'));
}

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, KB: 1000, MB: 1_000_000 };

/**
 * Parses a number of bytes: `65536`, `64KiB`, `1MiB`, `1MB` (1,000,000).
 *
 * @returns bytes, or undefined if it is malformed
 */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = 'B'] = /^(\d{1,12})\s?(B|KiB|MiB|KB|MB)?$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (BYTES[unit] ?? 1);
}

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest delay of a Node timer (2^31 - 1 ms, 24.8 days). */
const LONGEST_DURATION = 2_147_483_647;

/**
 * Parses a duration in Go's notation: one or more numbers, each with its unit (`h`, `m`, `s`, `ms`), such as `30s`, `1m30s`,
 * `1.5s`, `0s`; a bare `0` is accepted too.
 *
 * @returns milliseconds, or undefined if it is malformed or longer than {@link LONGEST_DURATION}
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|h|m|s))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, count, unit = ''] of text.matchAll(/([\d.]+)(ms|h|m|s)/gy)) {
    total += Number(count) * (MILLISECONDS[unit] ?? 0);
  }
  const rounded = Math.round(total);
  return rounded <= LONGEST_DURATION ? rounded : undefined;
}

/** Parses `HOST:PORT` or `[::1]:443`; returns undefined if it is malformed. */
export function parseTargetOrUndefined(given: string): Target | undefined {
  try {
    return parseTarget(given);
  } catch (error) {
    if (error instanceof FormatError) return undefined;
    throw error;
  }
}

/** Reads `host:port`; the port is required. */
export const target: ValueReader<Target> = refine(text(300), (given, location) => {
  const read = parseTargetOrUndefined(given);
  if (read === undefined) location.report('must be host:port, such as db.example:5432');
  return read;
});
