import { parseIdempotencyKey, prefersAsync } from './writes.js';

describe('parseIdempotencyKey', () => {
  it.each([
    [undefined, undefined],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['a,b;c="d"', 'a,b;c="d"'],
    ['!', '!'],
    [String.raw`"a\"b\\c"`, String.raw`a"b\c`],
    ['~'.repeat(255), '~'.repeat(255)],
    [`"${'~'.repeat(255)}"`, '~'.repeat(255)],
  ])('reads %j', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each([
    ['nothing', ''],
    ['an empty string', '""'],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters in quotes', `"${'a'.repeat(256)}"`],
    ['a blank', 'a b'],
    ['a blank in quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['two of them, as Node joins the lines of a header', 'a, b'],
    ['two in quotes', '"a", "b"'],
    ['a quote without end', '"a'],
    ['a quote alone', '"'],
    ['an escaped last quote', String.raw`"a\"`],
    ['an escape that is none', String.raw`"a\b"`],
    ['parameters', '"a";b=1'],
    ['letters beyond ASCII', 'ä'],
    ['control characters', 'a\u0007'],
  ])('refuses %s', (_, header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(
      expect.objectContaining({ code: 'API.INVALID_REQUEST' }) as Error,
    );
  });
});

describe('prefersAsync', () => {
  it.each([
    'respond-async',
    'Respond-Async',
    'wait=10, respond-async',
    'respond-async; wait=10',
    'foo="a\\"b", respond-async',
  ])('finds %s', (header) => {
    expect(prefersAsync(header)).toBe(true);
  });

  it.each([
    '',
    'wait=10',
    'respond-async=yes',
    'xrespond-async',
    'return=minimal; foo="x, respond-async, y"',
    '"respond-async',
  ])('does not find it in %j', (header) => {
    expect(prefersAsync(header)).toBe(false);
  });
});
