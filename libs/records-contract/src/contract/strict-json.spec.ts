import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ContractError } from '#contract-kit';
import { canonicalJson, isExact, parseStrictly, type Json } from './strict-json.js';

const LIMITS = { code: 'RECORD_INVALID', name: 'the document', maxBytes: 65_536 };

function refusal(text: string): string {
  try {
    parseStrictly(text, LIMITS);
  } catch (error) {
    if (error instanceof ContractError) return error.message;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('parseStrictly', () => {
  it('returns what JSON.parse returns for any JSON without inexact numbers', () => {
    const json = fc.jsonValue().filter((value) => canonical(value).isWellFormed());
    fc.assert(
      fc.property(json, fc.constantFrom(0, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(parseStrictly(text, LIMITS)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['', 'it must be JSON'],
    ['{"a":1,}', 'it must be JSON'],
    ['NaN', 'it must be JSON'],
    ['{"a":1,"a":2}', 'it has "a" twice'],
    ['{"o":{"a":1,"b":{},"\\u0061":2}}', '/o has "a" twice'],
    ['[{"x/y~z":[1,{"b":1,"b":1}]}]', '/0/x~1y~0z/1 has "b" twice'],
    ['{"n":1e400}', '/n has a number that a double cannot represent; send it as a string'],
    ['{"n":[0,9007199254740993]}', '/n/1 has a number that a double cannot represent; send it as a string'],
    ['-1e-400', 'it has a number that a double cannot represent; send it as a string'],
    ['0.1000000000000000055511151231257827', 'it has a number that a double cannot represent; send it as a string'],
    ['{"s":"\\ud800"}', '/s must not contain a lone surrogate'],
    ['{"\\udc00":1}', '/\udc00 must not contain a lone surrogate'],
    ['"\ud800"', 'it must not contain a lone surrogate'],
    ['['.repeat(65) + ']'.repeat(65), `${'/0'.repeat(64)} is nested deeper than 64 levels`],
    [`"${'a'.repeat(65_535)}"`, 'it must not exceed 65536 bytes'],
    [`"${'é'.repeat(32_768)}"`, 'it must not exceed 65536 bytes'],
  ])('refuses %j', (text, rule) => {
    expect(refusal(text)).toBe(`RECORD_INVALID: the document is refused: ${rule}`);
  });

  it('accepts 64 levels, names that differ, and names of the prototype', () => {
    expect(() => parseStrictly('['.repeat(64) + ']'.repeat(64), LIMITS)).not.toThrow();
    expect(parseStrictly('{"a":{"a":[{"a":1}]},"b":{"a":2}}', LIMITS)).toEqual({ a: { a: [{ a: 1 }] }, b: { a: 2 } });
    expect(Object.keys(parseStrictly('{"__proto__":1,"constructor":2}', LIMITS) as object)).toEqual([
      '__proto__',
      'constructor',
    ]);
  });

  it('names a member of at most 64 characters', () => {
    const name = 'x'.repeat(100);
    expect(refusal(`{"${name}":1,"${name}":2}`)).toContain(`has "${'x'.repeat(63)}…" twice`);
  });

  it('ends for texts that are long and broken', () => {
    for (const text of [
      '"'.repeat(65_000),
      '\\'.repeat(65_000),
      '['.repeat(65_000),
      `"${'\\"'.repeat(30_000)}"`,
      '-'.repeat(65_000),
    ]) {
      try {
        parseStrictly(text, LIMITS);
      } catch (error) {
        expect(error).toBeInstanceOf(ContractError);
      }
    }
  });
});

describe('isExact', () => {
  it('accepts every number that ECMAScript writes', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(isExact(String(value))).toBe(true);
      }),
    );
  });

  it.each([
    '0',
    '-0',
    '0.0',
    '1.0',
    '1.50',
    '1e2',
    '1E+2',
    '100000000000000000000',
    '123456789012345',
    '5e-324',
    '0e999999999999',
  ])('accepts %s', (token) => {
    expect(isExact(token)).toBe(true);
  });

  it.each([
    '1e400',
    '1e-400',
    '9007199254740993',
    '0.12345678901234567890',
    '123456789012345678',
    '1e99999999999999999999',
  ])('refuses %s', (token) => {
    expect(isExact(token)).toBe(false);
  });
});

describe('canonicalJson', () => {
  // RFC 8785, section 3.2.3 and appendix B.
  it('sorts names by UTF-16 code units', () => {
    const value = JSON.parse(
      '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    ) as Json;
    expect(
      Object.values(
        JSON.parse(
          `[${canonicalJson(value)
            .replace(/"[^"]*":/g, '')
            .slice(1, -1)}]`,
        ) as string[],
      ),
    ).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it.each([
    ['333333333.33333329', '333333333.3333333'],
    ['1E30', '1e+30'],
    ['4.50', '4.5'],
    ['2e-3', '0.002'],
    ['0.000000000000000000000000001', '1e-27'],
    ['-0', '0'],
    ['"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    ['{"10":1,"9":{"b":null,"a":[true,false]}}', '{"10":1,"9":{"a":[true,false],"b":null}}'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonicalJson(JSON.parse(text) as Json)).toBe(expected);
  });

  it('does not change its own result', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonical(value);
        expect(canonicalJson(JSON.parse(text) as Json)).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

function canonical(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}
