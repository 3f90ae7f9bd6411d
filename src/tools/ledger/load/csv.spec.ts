import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { detectDialect, parseCsv, type CsvDialect } from './csv.js';

const COMMA: CsvDialect = { delimiter: ',', firstLine: 1 };

/** Parses CSV that arrives in pieces of a size. */
async function parse(text: string, size = text.length): Promise<(readonly [number, ...string[]])[]> {
  const pieces = async function* (): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += Math.max(1, size)) yield await Promise.resolve(text.slice(at, at + size));
  };
  const rows: (readonly [number, ...string[]])[] = [];
  for await (const { line, cells } of parseCsv(pieces(), COMMA)) rows.push([line, ...cells]);
  return rows;
}

describe('parseCsv', () => {
  it('parses cells, quoted cells with commas, quotes and line breaks, and empty ones', async () => {
    expect(await parse('a,b\r\n"1,2","say ""hi""\nthere"\n,\n"",x')).toEqual([
      [1, 'a', 'b'],
      [2, '1,2', 'say "hi"\nthere'],
      [4, '', ''],
      [5, '', 'x'],
    ]);
  });

  it('accepts a line feed that arrives in another piece than its carriage return', async () => {
    expect(await parse('a,b\r\n"c",\r\n', 1)).toEqual([
      [1, 'a', 'b'],
      [2, 'c', ''],
    ]);
  });

  it('skips empty lines, but counts them', async () => {
    expect(await parse('a\n\n\r\nb\n')).toEqual([
      [1, 'a'],
      [4, 'b'],
    ]);
    expect(await parse('')).toEqual([]);
  });

  it('returns what was written, in whatever pieces it arrives', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'ä') });
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (written, size) => {
        const text = written.map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join()).join('\r\n');
        expect((await parse(text, size)).map(([, ...cells]) => cells)).toEqual(written);
      }),
    );
  });

  it.each([
    ['a\n"b', /^Line 2 is not valid CSV: a quoted cell of the row that begins there has no closing quote/],
    [`a,b\r\n"x\r\ny",b\r\n\r\nc,"d\r\n${'e,f\r\n'.repeat(300)}`, /^Line 5 .* no closing quote/],
    ['a\r\n"x\r\ny"\r\nb"c"', /^Line 4 .*does not begin with one/],
    [`a,b\nc,"d\n${'e,f\n'.repeat(500_000)}`, /^Line 2 .*too long/],
    ['a\nb"c"', /^Line 2 .*does not begin with one/],
    ['"a"b', /^Line 1 .*continues after its closing quote/],
    [`"${'x'.repeat(2_000_000)}`, /too long/],
    ['x'.repeat(2_000_000), /too long/],
  ])('refuses what is not CSV', async (text, message) => {
    await expect(parse(text)).rejects.toThrow(message);
    await expect(parse(text, 4096)).rejects.toThrow(message);
  });

  it('reports the error of the source', async () => {
    const broken = async function* (): AsyncGenerator<string> {
      yield await Promise.resolve('');
      throw new Error('not readable');
    };
    await expect(parseCsv(broken(), COMMA).next()).rejects.toThrow('not readable');
  });
});

describe('detectDialect', () => {
  const isColumn = (name: string): boolean => ['id', 'color'].includes(name);
  it.each([
    ['id,color\n', ',', 1],
    ['id;color;"a\nb,c,d"\n', ';', 1],
    ['id\t color\r\n', '\t', 1],
    ['id', ',', 1],
    ['other;names', ',', 1],
    ['"sep=;"\r\nid,color', ';', 2],
    ['sep=x', 'x', 2],
    ['', ',', 1],
  ])('reads the first row of %j', (head, delimiter, firstLine) => {
    expect(detectDialect(head, isColumn)).toEqual({ delimiter, firstLine });
  });
});
