import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CsvParser } from './csv.js';

/** Parses CSV that arrives in pieces of a size. */
function parse(text: string, size = text.length): (readonly [number, ...string[]])[] {
  const parser = new CsvParser();
  const rows = [];
  for (let at = 0; at < text.length; at += Math.max(1, size)) rows.push(...parser.push(text.slice(at, at + size)));
  return [...rows, ...parser.end()].map(({ line, cells }) => [line, ...cells]);
}

describe('CsvParser', () => {
  it('parses cells, quoted cells with commas, quotes and line breaks, and empty ones', () => {
    expect(parse('a,b\r\n"1,2","say ""hi""\nthere"\n,\n"",x')).toEqual([
      [1, 'a', 'b'],
      [2, '1,2', 'say "hi"\nthere'],
      [4, '', ''],
      [5, '', 'x'],
    ]);
  });

  it('accepts a line feed that arrives in another piece than its carriage return', () => {
    expect(parse('a,b\r\n"c",\r\n', 1)).toEqual([
      [1, 'a', 'b'],
      [2, 'c', ''],
    ]);
  });

  it('skips empty lines, but counts them', () => {
    expect(parse('a\n\n\r\nb\n')).toEqual([
      [1, 'a'],
      [4, 'b'],
    ]);
    expect(parse('')).toEqual([]);
  });

  it('returns what was written, in whatever pieces it arrives', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ä') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 9 }), (written, size) => {
        const text = written.map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join()).join('\r\n');
        expect(parse(text, size).map(([, ...cells]) => cells)).toEqual(written);
      }),
    );
  });

  it.each([
    ['a\n"b', /^Line 2 is not valid CSV: a quoted cell has no closing quote/],
    ['a\nb"c"', /^Line 2 .*does not begin with one/],
    ['"a"b', /^Line 1 .*continues after its closing quote/],
    ['a\nb\rc', /^Line 2 .*a carriage return outside quotes is not followed by a line feed/],
    ['a\n"b"\r"c"', /^Line 2 .*a carriage return/],
    ['a\r\r\nb', /^Line 1 .*a carriage return/],
    ['a\nb\r', /^Line 2 .*a carriage return/],
    [`"${'x'.repeat(2_000_000)}`, /too long/],
    ['x'.repeat(2_000_000), /too long/],
  ])('refuses what is not CSV', (text, message) => {
    expect(() => parse(text)).toThrow(message);
    expect(() => parse(text, 1)).toThrow(message);
  });
});
