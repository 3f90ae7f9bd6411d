import { nearest, type Place } from './config-faults.js';

/**
 * Turns a value of a configuration file into what the program uses. Complains to the place and gives undefined when the
 * value does not fit. Complaints never hold the value.
 */
export type ValueReader<T> = (value: unknown, place: Place) => T | undefined;

/** The readers of an object's keys. */
export type Shape = Readonly<Record<string, ValueReader<unknown>>>;

/** What {@link object} gives: a key that was absent or faulty is missing. */
export type Read<S extends Shape> = { readonly [K in keyof S]?: NonNullable<ReturnType<S[K]>> };

function expected<T>(what: string, read: (value: unknown) => T | undefined): ValueReader<T> {
  return (value, place) => {
    const given = withVariables(value, place);
    if (given === undefined) return undefined;
    const result = read(given);
    if (result === undefined) place.complain(`must be ${what}${butIs(given)}`);
    return result;
  };
}

/**
 * A scalar with the variables that it names.
 *
 * @returns undefined when that cannot be, which the place has been told
 */
function withVariables(value: unknown, place: Place): unknown {
  const { references } = place;
  if (typeof value !== 'string' || references === undefined || !value.includes('$')) return value;
  return references.expand(value, place);
}

/** Decimal digits as a number: what stands in a variable is always text. */
function asNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** For places whose values are always text: digits are read as the number that they are. */
export function digits<T>(reader: ValueReader<T>): ValueReader<T> {
  return (value, place) => reader(asNumber(value), place);
}

/** The same reader, but a value of variables only may be what stands in them. */
function numeric<T>(reader: ValueReader<T>): ValueReader<T> {
  return (value, place) => {
    if (typeof value !== 'string' || !value.includes('${')) return reader(value, place);
    const given = withVariables(value, place);
    return given === undefined ? undefined : reader(asNumber(given), place.verbatim());
  };
}

/** What it is instead, where that says more than the value itself, which is never shown. */
function butIs(value: unknown): string {
  if (value === null || value === '') return ', but is empty';
  if (Array.isArray(value)) return ', but is a list';
  if (value instanceof Map) return ', but is a group of keys';
  return typeof value === 'boolean' ? ', but is true or false' : '';
}

/** A text from 1 to `maxBytes` bytes of UTF-8. */
export function text(maxBytes: number): ValueReader<string> {
  return (value, place) => {
    const given = withVariables(value, place);
    if (given === undefined) return undefined;
    if (typeof given === 'string' && fits(given, maxBytes)) return given;
    place.complain(
      typeof given === 'number' || typeof given === 'boolean'
        ? 'must be text: put it in quotes'
        : `must be text of 1 to ${maxBytes} bytes`,
    );
    return undefined;
  };
}

function fits(value: string, maxBytes: number): boolean {
  return value !== '' && Buffer.byteLength(value) <= maxBytes && value.isWellFormed();
}

/** A host name or an address; brackets around an IPv6 address are taken off. */
export const host: ValueReader<string> = expected('a host name or an IP address', (value) => {
  if (typeof value !== 'string') return undefined;
  const bare = /^\[[^[\]]*\]$/.test(value) ? value.slice(1, -1) : value;
  return /^[^\s/@?#[\]\\\p{Cc}]{1,253}$/u.test(bare) ? bare : undefined;
});

/** A whole number between two bounds, both included. */
export function wholeNumber(from: number, to: number): ValueReader<number> {
  return numeric(
    expected(`a whole number from ${from} to ${to}`, (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to ? value : undefined,
    ),
  );
}

/** Milliseconds, from Go's notation. */
export const duration: ValueReader<number> = expected(`a duration such as 30s, 1m30s or 0s, up to 596h`, (value) =>
  value === 0 ? 0 : typeof value === 'string' ? parseDuration(value) : undefined,
);

/** Bytes, from a number or a text such as 1MiB. */
export function byteSize(from: number, to: number): ValueReader<number> {
  return expected(`a size such as 65536, 64KiB or 1MiB, from ${from} to ${to} bytes`, (value) => {
    const bytes = typeof value === 'string' ? parseByteSize(value) : value;
    return typeof bytes === 'number' && Number.isInteger(bytes) && bytes >= from && bytes <= to ? bytes : undefined;
  });
}

/** One of some words. */
export function oneOf<const T extends string>(...words: readonly T[]): ValueReader<T> {
  return expected(words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`, (value) =>
    words.find((word) => word === value),
  );
}

/** `on`, `off`, `true` or `false`. */
export const onOff: ValueReader<boolean> = expected('on or off', (value) => {
  if (value === 'on' || value === 'true' || value === true) return true;
  return value === 'off' || value === 'false' || value === false ? false : undefined;
});

/** A list whose items are all read by one reader; items that do not fit are complained about one by one. */
export function listOf<T>(item: ValueReader<T>): ValueReader<readonly T[]> {
  return (value, place) => {
    if (!Array.isArray(value)) {
      place.complain(`must be a list${butIs(value)}`);
      return undefined;
    }
    return value.flatMap((entry: unknown, index) => item(entry, place.child(`[${index}]`)) ?? []);
  };
}

/** A text that is secret, which may stand in a file of its own, without the line's end: `{ file: PATH }`. */
export function secret(maxBytes: number): ValueReader<string> {
  const direct = text(maxBytes);
  return (value, place) => {
    if (!(value instanceof Map)) return direct(value, place);
    const content = fileOf(value, place);
    return content === undefined ? undefined : direct(content.replace(/\r?\n$/, ''), place.child('file').verbatim());
  };
}

/** So many faults of one file are shown. */
const MANY_FAULTS = 5;

/**
 * A list, or `{ file: PATH }` of a file with one item on each line; what stands behind a # is not read. The lines are read
 * while they are taken, once: undefined for one that has no item, or a faulty one.
 */
export function listOrFile(item: ValueReader<string>): ValueReader<Iterable<string | undefined>> {
  const direct = listOf(item);
  return (value, place) => {
    if (!(value instanceof Map)) return direct(value, place);
    const content = fileOf(value, place);
    return content === undefined ? undefined : readLines(content, item, place.child('file'));
  };
}

function* readLines(content: string, item: ValueReader<string>, place: Place): Generator<string | undefined> {
  let faults = 0;
  let number = 0;
  const complain = (problem: string): void => {
    place.complain(`line ${number} ${problem}`);
  };
  const ofLine = { ...place, references: undefined, complain };
  // Not split: that would be one long step.
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

const fileGroup = object({ file: text(4096) });

/** The text of the file that `{ file: PATH }` names. */
function fileOf(value: unknown, place: Place): string | undefined {
  const { file } = fileGroup(value, place) ?? {};
  if (file !== undefined) return place.references?.read(file, place.child('file'));
  if (!(value as ReadonlyMap<unknown, unknown>).has('file')) place.child('file').complain('is missing');
  return undefined;
}

/** A group of keys. A key that the shape does not have is a fault. */
export function object<S extends Shape>(shape: S): ValueReader<Read<S>> {
  return (value, place) => {
    if (!(value instanceof Map)) {
      place.complain(`must be a group of keys (${Object.keys(shape).join(', ')})${butIs(value)}`);
      return undefined;
    }
    const read: Record<string, unknown> = {};
    for (const [key, entry] of value as Map<unknown, unknown>) {
      const reader = typeof key === 'string' && Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (reader === undefined) place.complain(unknownKey(key, Object.keys(shape)));
      else read[key as string] = reader(entry, place.child(key as string));
    }
    return read as Read<S>;
  };
}

/** Names the key only if it looks like one: what stands there may be a misplaced value. */
function unknownKey(key: unknown, known: readonly string[]): string {
  if (typeof key !== 'string' || !/^[A-Za-z][\w-]{0,30}$/.test(key))
    return `unknown key; known are ${known.join(', ')}`;
  const meant = nearest(key, known);
  return `unknown key "${key}"; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`}`;
}

const BYTES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, KB: 1000, MB: 1_000_000 };

/**
 * Reads a number of bytes: `65536`, `64KiB`, `1MiB`, `1MB` (1,000,000).
 *
 * @returns bytes, or undefined when it is no size
 */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = 'B'] = /^(\d{1,12})\s?(B|KiB|MiB|KB|MB)?$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * (BYTES[unit] ?? 1);
}

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The longest time a Node timer can wait (2^31 - 1 ms, 24.8 days). */
const LONGEST_DURATION = 2_147_483_647;

/**
 * Reads a duration in Go's notation: one or more numbers, each with its unit (`h`, `m`, `s`, `ms`), such as `30s`,
 * `1m30s`, `1.5s`, `0s`; a bare `0` is taken too.
 *
 * @returns milliseconds, or undefined when it is none or longer than {@link LONGEST_DURATION}
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
