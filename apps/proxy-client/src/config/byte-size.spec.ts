import { parseByteSize } from './byte-size.js';

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
