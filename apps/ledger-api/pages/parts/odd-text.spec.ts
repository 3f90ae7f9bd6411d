import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textParts } from './odd-text.js';

describe('textParts', () => {
  it.each([
    ['car-7', [{ text: 'car-7' }]],
    ['', []],
    ['a b', [{ text: 'a b' }]],
    [' a', [{ text: ' ', code: 'U+0020' }, { text: 'a' }]],
    ['a\u202Eb', [{ text: 'a' }, { text: '\u202E', code: 'U+202E' }, { text: 'b' }]],
    ['a\n\u0000', [{ text: 'a' }, { text: '\n', code: 'U+000A' }, { text: '\u0000', code: 'U+0000' }]],
    ['👩‍💻 کتاب‌ها é', [{ text: '👩‍💻 کتاب‌ها é' }]],
  ])('takes %j apart', (text, parts) => {
    expect(textParts(text)).toEqual(parts);
  });

  it('tells the first of very many, and how many more there are', () => {
    const parts = textParts(`a${'\u200b'.repeat(39)}b${'\u202e\u200b'.repeat(1000)} c`);
    expect(parts).toHaveLength(43);
    expect(parts.slice(-3)).toEqual([
      { text: 'b' },
      { text: '\u202e', code: 'U+202E' },
      { text: `\u200b${'\u202e\u200b'.repeat(999)} c`, code: 'and 2,001 more, seen and unseen' },
    ]);
    expect(textParts(' '.repeat(4000))).toEqual([{ text: ' '.repeat(4000), code: 'and 4,000 more, seen and unseen' }]);
  });

  it('loses nothing, and gives nobody two texts that look the same for what is unseen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parts = textParts(text);
        expect(parts.map((part) => part.text).join('')).toBe(text);
        for (const part of parts) if (part.code === undefined) expect(part.text).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      }),
    );
  });
});
