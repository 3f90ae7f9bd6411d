import { describe, expect, it } from '@jest/globals';
import { withExactNumbers } from '#json';
import { argumentFault, callArgument, MAX_ARGUMENT_DEPTH } from './call-arguments.js';

const read = (text: string): unknown => withExactNumbers(text, JSON.parse(text));
const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

describe('the argument of a call', () => {
  it.each([
    ['"text"', 'text'],
    ['""', ''],
    ['"{\\"base64\\":\\"YQ==\\"}"', '{"base64":"YQ=="}'],
    ['9007199254740993', '9007199254740993'],
    ['1.10', '1.10'],
    ['-0', '-0'],
    ['1e-400', '1e-400'],
    ['true', 'true'],
    ['false', 'false'],
    ['null', 'null'],
    ['{ "price": 1.10, "tags": [ 1, "a" ], "none": null }', '{"price":1.10,"tags":[1,"a"],"none":null}'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
    ['{"base64":"YQ==","more":1}', '{"base64":"YQ==","more":1}'],
    ['["base64","YQ=="]', '["base64","YQ=="]'],
    ['{"base64":"YWJj"}', 'abc'],
    ['{"base64":""}', ''],
  ])('%s is sent as %j', (text, sent) => {
    const value = read(text);
    expect(argumentFault(value)).toBeUndefined();
    expect(callArgument(value)).toBe(sent);
  });

  it('of base64 is sent as its bytes', () => {
    expect(callArgument({ base64: '/wCA' })).toEqual(Buffer.from([0xff, 0, 0x80]));
  });

  it.each([
    ['"\\ud800"', '', 'must not contain a lone surrogate'],
    ['{"base64":"YQ"}', '/base64', 'must be base64 (RFC 4648, with padding)'],
    ['{"base64":"Y Q=="}', '/base64', 'must be base64 (RFC 4648, with padding)'],
    ['{"base64":7}', '/base64', 'must be base64 (RFC 4648, with padding)'],
    ['{"base64":null}', '/base64', 'must be base64 (RFC 4648, with padding)'],
    ['1e400', '', 'is a number out of range: send its digits as a string'],
    ['-1e400', '', 'is a number out of range: send its digits as a string'],
    ['{"a/b":[1,{"~":1E999}]}', '/a~1b/1/~0', 'is a number out of range: send its digits as a string'],
    ['{"a\\nb":1e999}', '/a\\nb', 'is a number out of range: send its digits as a string'],
  ])('%s is refused at %j', (text, pointer, fault) => {
    expect(argumentFault(read(text))).toEqual({ pointer, text: fault });
  });

  it('is nested to a limit', () => {
    expect(argumentFault(nested(MAX_ARGUMENT_DEPTH))).toBeUndefined();
    for (const levels of [MAX_ARGUMENT_DEPTH + 1, 100_000]) {
      expect(argumentFault(nested(levels))?.text).toBe('must not be nested deeper than 64 levels');
    }
    expect(argumentFault({ base64: nested(100_000) })?.pointer).toBe('/base64');
  });
});
