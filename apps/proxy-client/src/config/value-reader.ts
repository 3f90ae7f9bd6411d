import { advice, type Place } from './config-faults.js';

/**
 * Validates a value of a configuration file and converts it. Reports a fault to the place and returns undefined if the value
 * is invalid. Faults never contain the value.
 */
export type ValueReader<T> = (value: unknown, place: Place) => T | undefined;

/** The readers of an object's keys. */
export type Shape = Readonly<Record<string, ValueReader<unknown>>>;

/** The result of {@link object}: absent and invalid keys are missing. */
export type Read<S extends Shape> = { readonly [K in keyof S]?: NonNullable<ReturnType<S[K]>> };

function expected<T>(what: string, read: (value: unknown) => T | undefined): ValueReader<T> {
  return (value, place) => {
    const given = withVariables(value, place);
    if (given === undefined) return undefined;
    const result = read(given);
    if (result === undefined) place.report(`must be ${what}${kindOf(given)}`);
    return result;
  };
}

/**
 * Expands the variables of a scalar.
 *
 * @returns undefined after a fault was reported
 */
function withVariables(value: unknown, place: Place): unknown {
  const { references } = place;
  if (typeof value !== 'string' || references === undefined || !value.includes('$')) return value;
  return references.expand(value, place.report);
}

/** Converts decimal digits to a number: the value of a variable is always text. */
export function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** Returns a reader for sources whose values are always text: digits are converted to a number. */
export function digits<T>(reader: ValueReader<T>): ValueReader<T> {
  return (value, place) => reader(asNumber(value), place);
}

/** Returns a reader that also accepts variables with decimal digits. */
function numeric<T>(reader: ValueReader<T>): ValueReader<T> {
  return (value, place) => {
    if (typeof value !== 'string' || !value.includes('${')) return reader(value, place);
    const given = withVariables(value, place);
    return given === undefined ? undefined : reader(asNumber(given), place.verbatim());
  };
}

/** Describes the kind of an invalid value, without the value itself. */
function kindOf(value: unknown): string {
  if (value === null || value === '') return ', but is empty';
  if (Array.isArray(value)) return ', but is a list';
  if (value instanceof Map) return ', but is a group of keys';
  return typeof value === 'boolean' ? ', but is true or false' : '';
}

/** Reads a text of 1 to `maxBytes` bytes of UTF-8. */
export function text(maxBytes: number): ValueReader<string> {
  return (value, place) => {
    const given = withVariables(value, place);
    if (given === undefined || (typeof given === 'string' && fits(given, maxBytes))) return given;
    const isScalar = typeof given === 'number' || typeof given === 'boolean';
    place.report(isScalar ? 'must be text: put it in quotes' : `must be text of 1 to ${maxBytes} bytes`);
    return undefined;
  };
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
  return (value, place) => {
    const given = reader(value, place);
    if (given === undefined || isValid(given)) return given;
    place.report(problem);
    return undefined;
  };
}

/** Reads a host name or an address; brackets around an IPv6 address are removed. */
export const host: ValueReader<string> = expected('a host name or an IP address', (value) => {
  if (typeof value !== 'string') return undefined;
  const bare = /^\[[^[\]]*\]$/.test(value) ? value.slice(1, -1) : value;
  return /^[^\s/@?#[\]\\\p{Cc}]{1,253}$/u.test(bare) ? bare : undefined;
});

/** Reads a whole number between two bounds, both included. */
export function wholeNumber(from: number, to: number): ValueReader<number> {
  return numeric(
    expected(`a whole number from ${from} to ${to}`, (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to ? value : undefined,
    ),
  );
}

/** Reads a duration in Go's notation as milliseconds. */
export const duration: ValueReader<number> = expected(`a duration such as 30s, 1m30s or 0s, up to 596h`, (value) =>
  value === 0 ? 0 : typeof value === 'string' ? parseDuration(value) : undefined,
);

/** Reads a size, from a number or a text such as 1MiB, as bytes. */
export function byteSize(from: number, to: number): ValueReader<number> {
  return expected(`a size such as 65536, 64KiB or 1MiB, from ${from} to ${to} bytes`, (value) => {
    const bytes = typeof value === 'string' ? parseByteSize(value) : value;
    return typeof bytes === 'number' && Number.isInteger(bytes) && bytes >= from && bytes <= to ? bytes : undefined;
  });
}

/** Reads one of several words. */
export function oneOf<const T extends string>(...words: readonly T[]): ValueReader<T> {
  return expected(words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`, (value) =>
    words.find((word) => word === value),
  );
}

/** Reads `on`, `off`, `true` or `false`. */
export const onOff: ValueReader<boolean> = expected('on or off', (value) => {
  if (value === 'on' || value === 'true' || value === true) return true;
  return value === 'off' || value === 'false' || value === false ? false : undefined;
});

/**
 * Reads a list with one reader for its items; invalid items are reported individually.
 *
 * @param whenEmpty - why an empty list is a fault; absent: it is none
 */
export function listOf<T>(item: ValueReader<T>, whenEmpty?: string): ValueReader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) {
      place.report(`must be a list${kindOf(value)}`);
      return undefined;
    }
    if (value.length === 0 && whenEmpty !== undefined) place.report(`is an empty list: ${whenEmpty}`);
    return value.flatMap((entry: unknown, index) => item(entry, place.child(`[${index}]`)) ?? []);
  };
}

/** Reads a secret text, which may be in a separate file: `{ file: PATH }`. A final line break is removed. */
export function secret(maxBytes: number): ValueReader<string> {
  const direct = text(maxBytes);
  return (value, place) => {
    if (!(value instanceof Map)) return direct(value, place);
    const content = fileOf(value, place);
    return content === undefined ? undefined : direct(content.replace(/\r?\n$/, ''), place.child('file').verbatim());
  };
}

/** The maximum number of faults that are reported for one file. */
const MANY_FAULTS = 5;

/**
 * Reads a list, or `{ file: PATH }` of a file with one item per line and comments after #. The lines are read lazily, once:
 * undefined for a line without an item, or with an invalid one.
 */
export function listOrFile(item: ValueReader<string>, whenEmpty: string): ValueReader<Iterable<string | undefined>> {
  const direct = listOf(item, whenEmpty);
  return (value, place) => {
    if (!(value instanceof Map)) return direct(value, place);
    const content = fileOf(value, place);
    return content === undefined ? undefined : readLines(content, item, place.child('file'));
  };
}

function* readLines(content: string, item: ValueReader<string>, place: Place): Generator<string | undefined> {
  let faults = 0;
  let number = 0;
  const report = (problem: string): void => {
    place.report(`line ${number} ${problem}`);
  };
  const ofLine = { ...place, references: undefined, report };
  // String.split would block the event loop for a large file.
  for (let next = 0; next < content.length && faults < MANY_FAULTS;) {
    const end = content.indexOf('\n', next);
    const line = content.slice(next, end === -1 ? undefined : end);
    next += line.length + 1;
    number += 1;
    const comment = line.indexOf('#');
    const entry = (comment === -1 ? line : line.slice(0, comment)).trim();
    const read = entry === '' ? undefined : item(entry, ofLine);
    if (entry !== '' && read === undefined) faults += 1;
    yield read;
  }
}

const fileGroup = object({ file: text(4096) }, 'file');

/** Returns the text of the file of `{ file: PATH }`. */
function fileOf(value: unknown, place: Place): string | undefined {
  const read = fileGroup(value, place);
  return read && place.references?.read(read.file, place.child('file').report);
}

/** Reads a group of keys, some of which are required. Unknown keys are faults. */
export function object<S extends Shape, R extends keyof S & string = never>(
  shape: S,
  ...required: readonly R[]
): ValueReader<Read<S> & Required<Pick<Read<S>, R>>> {
  return (value, place) => {
    if (!(value instanceof Map)) {
      place.report(`must be a group of keys (${Object.keys(shape).join(', ')})${kindOf(value)}`);
      return undefined;
    }
    const read: Record<string, unknown> = {};
    for (const [key, entry] of value as Map<string, unknown>) {
      const reader = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (reader === undefined) place.report(unknownKey(key, Object.keys(shape)));
      const field = reader?.(entry, place.child(key));
      if (field !== undefined) read[key] = field;
    }
    for (const key of required) if (!value.has(key)) place.child(key).report('is missing');
    return required.some((key) => read[key] === undefined) ? undefined : (read as Read<S> & Required<Pick<Read<S>, R>>);
  };
}

/** Quotes the key only if it looks like one: it may be a misplaced value. */
export function unknownKey(key: unknown, known: readonly string[]): string {
  const isKey = typeof key === 'string' && /^[A-Za-z][\w-]{0,30}$/.test(key);
  return isKey ? `unknown key "${key}"; ${advice(key, known)}` : `unknown key; known are ${known.join(', ')}`;
}

/** Returns whether a value is a group with this key, whatever its value. */
export function hasKey(value: unknown, key: string): value is ReadonlyMap<unknown, unknown> {
  return value instanceof Map && value.has(key);
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
