import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { encodedText, escapeInvisible, headerTypeName, pemCertificatesIn, quotedShort, shownText } from './text.js';

describe('shownText', () => {
  it('never shows two different byte strings alike', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc
        .string({ unit: fc.constantFrom('"', '\\', '\u001b', '\u202e', 'u', '0', '2', 'e', '/w==', 'base64(') })
        .map((it) => Buffer.from(it)),
    );
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const isSame = Buffer.compare(one, other) === 0;
        expect(shownText(encodedText(one)) === shownText(encodedText(other))).toBe(isSame);
      }),
    );
  });

  it.each([
    ['G1szMW0=', '"G1szMW0="'],
    ['\u001b[31m', String.raw`"\u001b[31m"`],
    ['a"b\\c\n', String.raw`"a\"b\\c\n"`],
    ['\u202eabc\u200b\u0085\u2028\ufeff', String.raw`"\u202eabc\u200b\u0085\u2028\ufeff"`],
    ['\u{e0041}', String.raw`"\udb40\udc41"`],
  ])('quotes %j', (text, shown) => {
    expect(shownText(encodedText(Buffer.from(text)))).toBe(shown);
  });

  it('shows other bytes as base64 without quotes', () => {
    expect(shownText(encodedText(Buffer.from([0xff])))).toBe('base64(/w==)');
  });
});

it('escapes invisible characters in JSON so that it means the same', () => {
  const value = { 'a\u202e': 'b\u200b\u{e0041}' };
  const json = escapeInvisible(JSON.stringify(value));
  expect(json).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(json)).toEqual(value);
});

it('names the types of transactions', () => {
  expect([headerTypeName(1), headerTypeName(99)]).toEqual(['CONFIG', 'UNKNOWN_99']);
});

it('shortens text of unknown origin', () => {
  expect(quotedShort('x'.repeat(64))).toHaveLength(66);
  expect(quotedShort('x'.repeat(100_000))).toHaveLength(67);
});

it('finds the certificates of a PEM text, with the line above each, and skips what is cut short', () => {
  const pem = (base64: string, end = '-----END CERTIFICATE-----') => `-----BEGIN CERTIFICATE-----${base64}${end}`;
  const text = `${pem('\nAA==\n')}\nEnded: today\n${pem('BB==')}\n${pem('CC==', '-----END KEY-----')}${pem('')}${pem('DD==', '')}`;
  expect(pemCertificatesIn(text)).toEqual([
    { pem: pem('\nAA==\n'), base64: '\nAA==\n', lineAbove: undefined },
    { pem: pem('BB=='), base64: 'BB==', lineAbove: 'Ended: today' },
  ]);
  expect(pemCertificatesIn('text')).toEqual([]);
});
