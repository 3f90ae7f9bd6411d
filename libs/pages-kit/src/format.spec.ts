import {
  age,
  ago,
  bytes,
  clockTime,
  count,
  plural,
  duration,
  exactTime,
  listTime,
  percent,
  rate,
  shorten,
} from './format.js';

describe('formatting', () => {
  it('formats sizes with three digits', () => {
    expect([0, 999, 1000, 1024, 1_269_000, 104_857_600, 1_047_527_424, 2 ** 50, 2 ** 62].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '0.98 KiB',
      '1.00 KiB',
      '1.21 MiB',
      '100 MiB',
      '999 MiB',
      '1.00 PiB',
      '4096 PiB',
    ]);
  });

  it('groups digits of counts and rounds rates', () => {
    expect([count(0), count(12_345.6), rate(0), rate(0.6), rate(1.42), rate(9.96), rate(12.4)]).toEqual([
      ...['0', '12,346', '0/s', '36/min', '1.4/s', '10/s', '12/s'],
    ]);
    expect([rate(0.001), rate(1 / 60), rate(0.99), rate(0.999)]).toEqual(['< 1/min', '1/min', '59/min', '1/s']);
    expect([plural(1, 'asset'), plural(2, 'asset'), plural(0, 'entry', 'entries')]).toEqual([
      '1 asset',
      '2 assets',
      '0 entries',
    ]);
  });

  it('reaches 100 percent only when nothing is missing', () => {
    expect([0, 0.5, 0.9951, 0.99999, 1].map(percent)).toEqual(['0 %', '50 %', '99.5 %', '99.9 %', '100 %']);
  });

  it('formats durations in their two largest units', () => {
    const seconds = [-1, 0.25, 9.5, 9.96, 59.4, 60, 125, 3600, 3605, 15_150, 86_400, 90_000, 259_205];
    expect(seconds.map((each) => duration(each * 1000))).toEqual([
      '0 ms',
      '250 ms',
      '9.5 s',
      '10 s',
      '59 s',
      '1 min',
      '2 min 5 s',
      '1 h',
      '1 h',
      '4 h 12 min',
      '1 d',
      '1 d 1 h',
      '3 d',
    ]);
  });

  it('formats ages', () => {
    expect([-5, 0, 4, 5, 60, 7199, 172_800].map((seconds) => ago(-seconds * 1000, 0))).toEqual([
      'just now',
      'just now',
      'just now',
      '5 s ago',
      '1 min ago',
      '1 h ago',
      '2 d ago',
    ]);
    expect([-1, 0.9, 59.9, 60, 3599, 90_000].map((seconds) => age(seconds * 1000))).toEqual([
      ...['0 s', '0 s', '59 s', '1 min', '59 min', '1 d'],
    ]);
  });

  it('formats times exactly, with the zone', () => {
    const time = Date.UTC(2026, 0, 31, 8, 30, 0, 7);
    expect(exactTime(time)).toMatch(/^2026-01-3[01] \d\d:[03]0:00\.007 (?:UTC|[+-]\d\d:\d\d)$/);
    // The text parses to the same time in every zone.
    expect(Date.parse(exactTime(time).replace(' ', 'T').replace(' UTC', 'Z').replace(' ', ''))).toBe(time);
    expect(clockTime(time)).toBe(exactTime(time).slice(11, 19));
    expect(exactTime(time, 'utc')).toBe('2026-01-31 08:30:00.007 UTC');
    expect(listTime(time, 'utc')).toBe('2026-01-31 08:30:00 UTC');
  });

  it('shortens long names to their ends', () => {
    expect([shorten('a'.repeat(17)), shorten(`12345678${'0'.repeat(50)}abcdef`)]).toEqual([
      'a'.repeat(17),
      '12345678…abcdef',
    ]);
  });
});
