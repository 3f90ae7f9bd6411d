import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseLossless } from './lossless-json.js';

describe('parseLossless', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['[18446744073709551615,7]', ['18446744073709551615', 7]],
    ['{"Size":0.1000000000000000055}', { Size: '0.1000000000000000055' }],
    ['1e400', '1e400'],
    [
      '{"a":12345678901234567890,"a b":{"9007199254740993":[true,null]}}',
      { a: '12345678901234567890', 'a b': { '9007199254740993': [true, null] } },
    ],
  ])('keeps every digit of %s', (text, value) => {
    expect(parseLossless(text)).toEqual(value);
  });

  it.each(['"9007199254740993"', String.raw`"\"9007199254740993\\"`, '{"1e400":"a1e400\\u0022,12345678901234567"}'])(
    'leaves the digits inside the strings of %s alone',
    (text) => {
      expect(parseLossless(text)).toEqual(JSON.parse(text));
    },
  );

  it('is JSON.parse for what a double represents', () => {
    const json = fc.json().filter((text) => !/\d[\d.eE+-]{14}|e\+?\d{3}/.test(text));
    fc.assert(
      fc.property(json, (text) => {
        expect(parseLossless(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '12345678901234567890 1', '[9007199254740993', 'NaN'])('refuses %j', (text) => {
    expect(() => parseLossless(text)).toThrow(SyntaxError);
  });
});
