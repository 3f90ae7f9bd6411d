import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shownBytes, textParts } from './text.js';

describe('textParts', () => {
  it.each([
    ['car-7', [{ text: 'car-7' }]],
    ['', []],
    ['a b', [{ text: 'a b' }]],
    [' a', [{ text: ' ', code: 'U+0020' }, { text: 'a' }]],
    ['a\u202Eb', [{ text: 'a' }, { text: '\u202E', code: 'U+202E' }, { text: 'b' }]],
    ['a\n\u0000', [{ text: 'a' }, { text: '\n', code: 'U+000A' }, { text: '\u0000', code: 'U+0000' }]],
    ['👩‍💻 کتاب‌ها é', [{ text: '👩‍💻 کتاب‌ها é' }]],
  ])('splits %j', (text, parts) => {
    expect(textParts(text)).toEqual(parts);
  });

  it('names the first of very many invisible characters, and counts the rest', () => {
    const parts = textParts(`a${'\u200b'.repeat(39)}b${'\u202e\u200b'.repeat(1000)} c`);
    expect(parts).toHaveLength(43);
    expect(parts.slice(-3)).toEqual([
      { text: 'b' },
      { text: '\u202e', code: 'U+202E' },
      { text: `\u200b${'\u202e\u200b'.repeat(999)} c`, code: 'and 2,001 more characters' },
    ]);
    expect(textParts(`a${'\u202e\u200b'.repeat(600)}`, 4)).toHaveLength(6);
    expect(textParts(' '.repeat(4000))).toEqual([{ text: ' '.repeat(4000), code: 'and 4,000 more characters' }]);
  });

  it('loses no character, and leaves no control or direction character in visible text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = textParts(text);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        for (const part of parts) if (part.code === undefined) expect(part.text).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }),
    );
  });
});

describe('shownBytes', () => {
  it.each([
    ['car-7', 'utf8', '"car-7"'],
    ['G1szMW0=', 'base64', 'base64(G1szMW0=)'],
    ['G1szMW0=', 'utf8', '"G1szMW0="'],
    ['base64(G1szMW0=)', 'utf8', '"base64(G1szMW0=)"'],
    ['\u001b[31m', 'utf8', String.raw`"\u001b[31m"`],
    [String.raw`\u001b[31m`, 'utf8', String.raw`"\\u001b[31m"`],
    ['a"b\u202ec\u2028\u00a0\u034f\u{e0001} d', 'utf8', String.raw`"a\"b\u202ec\u2028\u00a0\u034f\udb40\udc01 d"`],
  ] as const)('shows %j, encoded as %s, as %s', (text, encoding, shown) => {
    expect(shownBytes(text, encoding)).toBe(shown);
  });

  it('shows different bytes as different texts', () => {
    const bytes = fc.tuple(fc.string({ unit: 'binary' }), fc.constantFrom('utf8' as const, 'base64' as const));
    fc.assert(
      fc.property(bytes, ([text, encoding]) => {
        const shown = shownBytes(text, encoding);
        expect(shown.startsWith('"')).toBe(encoding === 'utf8');
        // The escapes can be reversed, so that no two texts have the same ones.
        expect(encoding === 'utf8' ? JSON.parse(shown) : shown.slice('base64('.length, -1)).toBe(text);
      }),
    );
  });
});
