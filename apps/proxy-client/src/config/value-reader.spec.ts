import { parseByteSize, parseDuration } from './value-reader.js';

describe('parseByteSize', () => {
  it.each([
    ['0', 0],
    ['65536', 65_536],
    ['12B', 12],
    ['64KiB', 65_536],
    ['1MiB', 1_048_576],
    ['1 MiB', 1_048_576],
    ['1MB', 1_000_000],
    ['2KB', 2000],
  ])('reads %s as %i', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each(['', '-1', '1.5MiB', '1M', '1mib', 'MiB', '1  MiB', '9999999999999'])('refuses %j', (text) => {
    expect(parseByteSize(text)).toBeUndefined();
  });
});

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['2h30m15s', 9_015_000],
    ['1.5s', 1500],
    ['250ms', 250],
    ['1m5ms', 60_005],
    ['596h', 2_145_600_000],
  ])('reads %s as %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '30', 's', '-1s', '1 s', '1s ', '1d', '1e3s', '.5s', '1.s', '597h', '1s2', 'soon', '９s'])(
    'refuses %j',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
