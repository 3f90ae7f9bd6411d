import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { InvalidRequestError } from './api.errors.js';
import { parseJson } from './json-body.js';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it.each([
    '{}',
    '[]',
    '"text"',
    '1',
    'null',
    '{"a":{"b":[1,{"a":"x"}]}}',
    ' {"a" : "x"} ',
    '{"a":"\\"\\\\","b":"\\\\"}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each(['', '{', '{"a":}', "{'a':'b'}", '{"a":"b",}', 'undefined', '{"a":"\n"}', '\u0000', '{"a":"b"}{}'])(
    'refuses %j',
    (text) => {
      expect(() => parse(text)).toThrow(InvalidRequestError);
    },
  );

  it.each([
    [0xff, 0xfe],
    [0x22, 0xc3, 0x28, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
  ])('refuses bytes that are not UTF-8 (%p …)', (...bytes) => {
    expect(() => parseJson(Uint8Array.from(bytes))).toThrow('The body is not valid UTF-8.');
  });

  it.each([
    '{"a":"1","a":"2"}',
    '{"a":"\\"","\\u0061":"x"}',
    '{"a":"1","b":"2","a":"1"}',
    '{"a":"1","a":"2","b":["3"]}',
    '{"a":["1"],"a":["2"]}',
    '{"a":{"b":1,"b":2}}',
  ])('refuses a field that stands twice: %s', (text) => {
    expect(() => parse(text)).toThrow('The body names a field twice.');
  });

  it('keeps __proto__ as a key and touches no prototype', () => {
    const value = parse('{"__proto__":{"polluted":true},"constructor":"x"}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('reads nesting of 100,000 without overflowing', () => {
    const depth = 100_000;
    expect(() => parse('['.repeat(depth) + ']'.repeat(depth))).not.toThrow();
    expect(() => parse('['.repeat(depth))).toThrow(InvalidRequestError);
  });

  it('takes every flat object of strings as it was written', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (value) => {
        expect(parse(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('finds a doubled key whatever it and its value hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (key, one, other) => {
        const member = (value: string) => `${JSON.stringify(key)}:${JSON.stringify(value)}`;
        expect(() => parse(`{${member(one)},${member(other)}}`)).toThrow('twice');
      }),
    );
  });
});
