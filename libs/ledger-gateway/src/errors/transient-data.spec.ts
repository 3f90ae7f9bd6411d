import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { LedgerError } from './ledger.errors.js';
import { TransientTexts, withoutTransient } from './transient-data.js';

const SECRETS = [
  'price 300 <EUR> & "Tomoko\'s" / 50%+1',
  'line 1\nline 2\ttab',
  'Zürich 🚀 \u2028',
  'a%41b+&amp;\\u0041',
  'token~A-_.!*()',
  '{"price":"300","owner":"Tomoko & Söhne"}',
];

const percentAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const units = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);
const escapeHtml = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (found) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[found]!,
  );

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in capitals': (text) => text.toUpperCase(),
  encodeURIComponent: (text) => encodeURIComponent(text),
  'encodeURIComponent in lower case': (text) => encodeURIComponent(text).toLowerCase(),
  encodeURI: (text) => encodeURI(text),
  'every byte in percent': (text) => percentAll(text),
  'a form': (text) => new URLSearchParams([['', text]]).toString(),
  'percent twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  JSON: (text) => JSON.stringify(text),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON in ASCII': (text) =>
    JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'every unit as \\u': (text) =>
    units(text)
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0').toUpperCase()}`)
      .join(''),
  'every character as \\u{}': (text) =>
    points(text)
      .map((point) => `\\u{${point.toString(16)}}`)
      .join(''),
  'every byte as \\x': (text) => percentAll(text).replaceAll('%', '\\x'),
  HTML: escapeHtml,
  'decimal HTML': (text) =>
    points(text)
      .map((point) => `&#${point};`)
      .join(''),
  'hexadecimal HTML': (text) =>
    points(text)
      .map((point) => `&#X${point.toString(16)};`)
      .join(''),
  'a URL in HTML': (text) => escapeHtml(`?a=b&c=${encodeURIComponent(text)}`),
  'JSON in a URL': (text) => encodeURIComponent(JSON.stringify({ text })),
  hex: (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'a Buffer that is printed': (text) => inspect(Buffer.from(text)),
  'a Buffer in JSON': (text) => JSON.stringify(Buffer.from(text)),
  'an array of bytes': (text) => inspect([...Buffer.from(text)], { maxArrayLength: null }),
  'hex with colons': (text) => percentAll(text).slice(1).replaceAll('%', ':'),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'latin1 of its bytes': (text) => Buffer.from(text).toString('latin1'),
  'UTF-16 of its bytes': (text) => Buffer.from(text).toString('utf16le'),
  'bytes of UTF-16': (text) => inspect(Buffer.from(text, 'utf16le')),
  'bytes in Go': (text) => `[${Buffer.from(text).join(' ')}]`,
  'bytes in Java': (text) => `[${new Int8Array(Buffer.from(text)).join(', ')}]`,
  'hex of latin1': (text) => Buffer.from(text, 'latin1').toString('hex'),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 in a URL': (text) => encodeURIComponent(Buffer.from(text).toString('base64')),
};

describe('withoutTransient', () => {
  it.each(Object.entries(ENCODINGS))('defect: hides a value that a message repeats, encoded: %s', (_name, encode) => {
    for (const secret of SECRETS) {
      const error = new LedgerError('LEDGER.REFUSED', `refused: ${encode(secret)} is too low`);
      const shown = withoutTransient(error, new Map([['a', Buffer.from(secret)]])) as Error;
      expect(shown).toMatchObject({
        code: 'LEDGER.REFUSED',
        message: expect.stringContaining('is not shown') as unknown,
      });
    }
  });

  it('defect: hides a value without the blanks at its ends, and each line of several', () => {
    const key = '-----BEGIN KEY-----\nMIIEabcdefghijk\n-----END KEY-----\n';
    for (const [secret, repeated] of [
      ['acct-12345\n', 'acct-12345'],
      [' 7 \r\n', 'no. 7'],
      [key, 'MIIEabcdefghijk'],
      [key, Buffer.from('MIIEabcdefghijk').toString('base64')],
      ['{\r\n  "price": "300",\r\n}', '"price": "300",'],
    ] as const) {
      const shown = withoutTransient(new Error(`refused: ${repeated}`), new Map([['a', Buffer.from(secret)]])) as Error;
      expect(shown.message).toContain('is not shown');
    }
    const object = new Map([['a', Buffer.from('{\n  "a": 1\n}\n')]]);
    expect(withoutTransient(new Error('} else {'), object)).toEqual(new Error('} else {'));
  });

  it('defect: hides each line in which a long value is printed as bytes', () => {
    const value = Buffer.from(
      JSON.stringify({ object_type: 'asset_properties', owner: 'Tomoko', price: '300'.repeat(40) }),
    );
    const calls = [new TransientTexts(new Map([['a', value]]))];
    expect(TransientTexts.areIn(inspect(value), calls)).toBe(true);
    // The last one has four bytes, which say nothing.
    const lines = inspect(new Uint8Array(value)).split('\n').slice(1, -3);
    expect(lines.length).toBeGreaterThan(5);
    expect(lines.filter((line) => !TransientTexts.areIn(line, calls))).toEqual([]);
    expect(TransientTexts.areIn(inspect(Buffer.alloc(60, 7)), calls)).toBe(false);
  });

  it('keeps a message that repeats no value, whatever escapes it has', () => {
    const message = 'Refused: 50% of &#99999999; %zz %C3 \\u{ffffff} \\ &unknown; \\u12';
    const transient = new Map([['a', Buffer.from(SECRETS[0]!)]]);
    expect(withoutTransient(new Error(message), transient)).toEqual(new Error(message));
    expect(withoutTransient(new Error(message), new Map([['a', new Uint8Array()]]))).toEqual(new Error(message));
  });

  it('finds bytes that are no text', () => {
    const value = Uint8Array.of(0xff, 0x00, 0xfe, 0x41);
    for (const text of ['%FF%00%feA', 'ff00fe41', '/wD+QQ', '_wD-QQ==']) {
      expect(TransientTexts.areIn(text, [new TransientTexts(new Map([['a', value]]))])).toBe(true);
    }
  });

  it('takes time in proportion to the text', () => {
    const calls = [new TransientTexts(new Map([['a', Buffer.from('secret')]]))];
    for (const piece of ['%', '%41', '\\', '\\u', '\\u{', '&#', '&amp;', '&', '\\x41', '+']) {
      expect(TransientTexts.areIn(piece.repeat(300_000), calls)).toBe(false);
    }
  });
});
