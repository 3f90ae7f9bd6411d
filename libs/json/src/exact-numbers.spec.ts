import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isDeeper, isExactNumber, withExactNumbers } from './exact-numbers.js';

const exact = (text: string) => withExactNumbers(text, JSON.parse(text));

describe('withExactNumbers', () => {
  it.each(['9007199254740993', '1.10', '1e400', '-0', '1E2', '0.1e-3', '-0.0', '123456789012345678901234567890'])(
    'keeps the digits of %s',
    (text) => {
      expect(JSON.stringify(exact(text))).toBe(text);
      expect(JSON.stringify(exact(`{"a":[${text},{"b":${text}}]}`))).toBe(`{"a":[${text},{"b":${text}}]}`);
      expect(isExactNumber(exact(text))).toBe(true);
      for (const blank of [' ', '\n', '\t', '\r']) {
        expect(JSON.stringify(exact(`[1,${blank}${text}]`))).toBe(`[1,${text}]`);
        expect(JSON.stringify(exact(blank + text))).toBe(text);
      }
    },
  );

  it.each(['0', '-1', '1.5', '9007199254740991', '1e+21'])('leaves %s a number', (text) => {
    expect(exact(text)).toBe(Number(text));
  });

  it('changes no other value, and no digits in strings and names', () => {
    const text = '{"1.10":"1e400","__proto__":[null,true,"-0","9007199254740993"]}';
    expect(JSON.stringify(exact(text))).toBe(text);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(exact(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('isDeeper', () => {
  it('counts objects and arrays', () => {
    expect([0, 1, 2, 3].map((levels) => isDeeper({ a: [{}] }, levels))).toEqual([true, true, true, false]);
    expect(isDeeper('x', 0)).toBe(false);
    expect(isDeeper(exact('1.10'), 0)).toBe(false);
    expect(isDeeper([exact('1.10')], 1)).toBe(false);
  });

  it('accepts any depth', () => {
    const depth = 400_000;
    expect(isDeeper(JSON.parse('['.repeat(depth) + ']'.repeat(depth)), 64)).toBe(true);
  });
});
