/** Formats numbers, times and long names. The pages are in English, so no text depends on the browser's language. */

const LOCALE = 'en';
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const grouped = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });

/** Formats a count: `12,345`. */
export function count(value: number): string {
  return grouped.format(value);
}

/** Formats a rate, given per second: `52/s`, `1.4/s`; below one per second per minute: `36/min`. */
export function rate(value: number): string {
  if (value > 0 && value < 0.995) return value < 1 / 60 ? '< 1/min' : `${count(value * 60)}/min`;
  const tenths = Math.round(value * 10);
  return `${tenths < 100 && tenths % 10 !== 0 ? (tenths / 10).toFixed(1) : count(value)}/s`;
}

/** Formats a size with three digits: `980 B`, `1.21 MiB`. */
export function bytes(value: number): string {
  let unit = 0;
  let size = value;
  while (size >= 999.5 && unit < BYTE_UNITS.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${size.toFixed(digits)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Formats a share in percent: `99.5 %`; never rounds up to 100. */
export function percent(part: number): string {
  const tenths = part === 1 ? 1000 : Math.min(999, Math.round(part * 1000));
  return `${tenths % 10 === 0 ? tenths / 10 : (tenths / 10).toFixed(1)} %`;
}

const SPANS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const;

/** Formats milliseconds in their two largest units: `4 h 12 min`, `35 s`; below ten seconds with one decimal. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  let rest = Math.round(seconds);
  const parts: string[] = [];
  for (const [unit, size] of SPANS) {
    const many = Math.floor(rest / size);
    if (many > 0) parts.push(`${many} ${unit}`);
    // Only adjacent units: `3 d`, not `3 d 5 s`.
    else if (parts.length > 0) break;
    rest %= size;
  }
  return parts.slice(0, 2).join(' ');
}

/** Formats an age in its largest unit: `35 s`, `14 min`, `3 d`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [unit, size] = SPANS.find(([, each]) => seconds >= each) ?? SPANS[3];
  return `${Math.floor(seconds / size)} ${unit}`;
}

/** Formats the age of a time: `just now`, `35 s ago`, `2 h ago`. */
export function ago(then: number, now: number): string {
  return now - then < 5000 ? 'just now' : `${age(now - then)} ago`;
}

/** The zone of a displayed time: that of the browser, or UTC. */
export type Zone = 'local' | 'utc';

/** Formats a time: `2026-01-31 09:30:00.000 +01:00`. */
export function exactTime(time: number, zone: Zone = 'local'): string {
  const offset = zone === 'utc' ? 0 : -new Date(time).getTimezoneOffset();
  const text = new Date(time + offset * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const name = offset === 0 ? 'UTC' : `${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
  return `${text.slice(0, 10)} ${text.slice(11, 23)} ${name}`;
}

/** Formats a time without its milliseconds, for lists: `2026-01-31 09:30:00 +01:00`. */
export function listTime(time: number, zone: Zone = 'local'): string {
  return exactTime(time, zone).replace(/\.\d{3}/, '');
}

/** Formats the time of day: `09:30:00`. */
export function clockTime(time: number): string {
  return exactTime(time).slice(11, 19);
}

/** Shortens a hash or id to its ends: `3f9a1c02…77be2d`; returns texts that are hardly longer unchanged. */
export function shorten(text: string, head = 8, tail = 6): string {
  return text.length <= head + tail + 3 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`;
}

/** Formats a count with its noun: `1 connection`, `2 connections`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
