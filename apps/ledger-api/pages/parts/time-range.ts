import { exactTime, type Zone } from '#pages-kit';
import type { Query } from '../routes/route.ts';

/** A range of time as in queries: `since` is inclusive, `until` exclusive. */
export type TimeRange = Pick<Query, 'since' | 'until'>;

const HOUR_MS = 3_600_000;
const MIDNIGHT = '00:00:00.000';

/** Returns the beginning of a day, or of the day some days later: `2026-01-31` → `2026-01-30T23:00:00.000Z`. */
function startOfDay(day: string, zone: Zone, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const parts = [year, month - 1, date + daysLater] as const;
  return new Date(zone === 'utc' ? Date.UTC(...parts) : new Date(...parts).getTime()).toISOString();
}

/** Returns the range from the beginning of the first day to the end of the last one; empty days are no limits. */
export function rangeOfDays(first: string, last: string, zone: Zone): TimeRange {
  return {
    ...(first !== '' && { since: startOfDay(first, zone) }),
    ...(last !== '' && { until: startOfDay(last, zone, 1) }),
  };
}

/** Returns the first and the last day of a range; empty where it has no limit, or one that is not midnight. */
export function daysOf({ since, until }: TimeRange, zone: Zone): { readonly first: string; readonly last: string } {
  return { first: dayAt(since, zone, 0), last: dayAt(until, zone, 1) };
}

function dayAt(time: string | undefined, zone: Zone, millisecondsBefore: number): string {
  const milliseconds = Date.parse(time ?? '');
  if (Number.isNaN(milliseconds) || exactTime(milliseconds, zone).slice(11, 23) !== MIDNIGHT) return '';
  return exactTime(milliseconds - millisecondsBefore, zone).slice(0, 10);
}

/** Returns the limits of a range in words, each with the range without it: `From` `2026-01-30 00:00:00.000 +01:00`. */
export function limitsOf(
  range: TimeRange,
  zone: Zone,
): readonly { label: string; value: string; without: TimeRange }[] {
  const { since, until } = range;
  const text = (time: string): string => (Number.isNaN(Date.parse(time)) ? time : exactTime(Date.parse(time), zone));
  return [
    ...(since === undefined ? [] : [{ label: 'From', value: text(since), without: { ...range, since: '' } }]),
    ...(until === undefined ? [] : [{ label: 'Before', value: text(until), without: { ...range, until: '' } }]),
  ];
}

/** Returns the ranges that are offered by name. */
export function namedRanges(now: number, zone: Zone): readonly (readonly [name: string, range: TimeRange])[] {
  const today = exactTime(now, zone).slice(0, 10);
  const day = (daysLater: number): string => startOfDay(today, zone, daysLater);
  return [
    ['Last hour', { since: new Date(now - HOUR_MS).toISOString() }],
    ['Today', { since: day(0), until: day(1) }],
    ['Yesterday', { since: day(-1), until: day(0) }],
    ['Last 7 days', { since: day(-6), until: day(1) }],
  ];
}

/** Returns a time as the value of an `<input type="datetime-local">`: `2026-01-31T09:30:00`. */
export function inputTime(time: number, zone: Zone): string {
  return exactTime(time, zone).slice(0, 19).replace(' ', 'T');
}

/** Parses the value of an `<input type="datetime-local">`. */
export function parseInputTime(text: string, zone: Zone): number {
  return Date.parse(zone === 'utc' ? `${text}Z` : text);
}
