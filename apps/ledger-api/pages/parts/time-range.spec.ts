import { describe, expect, it } from '@jest/globals';
import { daysOf, inputTime, limitsOf, namedRanges, parseInputTime, rangeOfDays } from './time-range.js';

describe('ranges of time', () => {
  it('begin with the first day and end with the last one', () => {
    expect(rangeOfDays('2026-02-27', '2026-02-28', 'utc')).toEqual({
      since: '2026-02-27T00:00:00.000Z',
      until: '2026-03-01T00:00:00.000Z',
    });
    expect(rangeOfDays('', '2026-12-31', 'utc')).toEqual({ until: '2027-01-01T00:00:00.000Z' });
    expect(rangeOfDays('', '', 'local')).toEqual({});
  });

  it.each(['local', 'utc'] as const)('have the days that they were made of, in %s time', (zone) => {
    const range = rangeOfDays('2026-03-28', '2026-03-29', zone);
    expect(daysOf(range, zone)).toEqual({ first: '2026-03-28', last: '2026-03-29' });
  });

  it('have no days if they begin or end within one', () => {
    const range = { since: '2026-03-28T12:00:00.000Z', until: 'nonsense' };
    expect(daysOf(range, 'utc')).toEqual({ first: '', last: '' });
  });

  it('are described limit by limit, each with the range without it', () => {
    const range = { since: '2026-03-28T12:00:00.000Z', until: 'nonsense' };
    expect(limitsOf(range, 'utc')).toEqual([
      { label: 'From', value: '2026-03-28 12:00:00.000 UTC', without: { since: '', until: 'nonsense' } },
      { label: 'Before', value: 'nonsense', without: { since: range.since, until: '' } },
    ]);
    expect(limitsOf({}, 'utc')).toEqual([]);
  });

  it.each(['local', 'utc'] as const)('can be entered as %s time', (zone) => {
    const time = Date.UTC(2026, 5, 30, 23, 59, 58);
    expect(parseInputTime(inputTime(time, zone), zone)).toBe(time);
    expect(inputTime(time, 'utc')).toBe('2026-06-30T23:59:58');
    expect(parseInputTime('2026-06-30T23:59', 'utc')).toBe(time - 58_000);
  });

  it('are offered by name', () => {
    const ranges = Object.fromEntries(namedRanges(Date.UTC(2026, 0, 1, 12, 30), 'utc'));
    expect(ranges).toEqual({
      'Last hour': { since: '2026-01-01T11:30:00.000Z' },
      Today: { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' },
      Yesterday: { since: '2025-12-31T00:00:00.000Z', until: '2026-01-01T00:00:00.000Z' },
      'Last 7 days': { since: '2025-12-26T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' },
    });
  });
});
