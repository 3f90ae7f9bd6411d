import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isJsonStructure, jsonLines, jsonTable } from './json-text.js';

describe('jsonLines', () => {
  it('has the lines of JSON.stringify, for any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        const expected = JSON.stringify(value, null, 2).split('\n');
        expect(jsonLines(JSON.stringify(value))).toEqual(expected);
        expect(jsonLines(JSON.stringify(value, null, 3))).toEqual(expected);
      }),
    );
  });

  it('keeps members that appear twice, and all digits', () => {
    expect(jsonLines('{"a":1,"a":12345678901234567890}')).toEqual([
      '{',
      '  "a": 1,',
      '  "a": 12345678901234567890',
      '}',
    ]);
  });
});

it('indents a limited depth', () => {
  const depth = 20_000;
  const lines = jsonLines('['.repeat(depth) + ']'.repeat(depth));
  expect(lines).toHaveLength(2 * depth - 1);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(200);
});

describe('isJsonStructure', () => {
  it.each([
    ['{}', true],
    [' [1]', true],
    ['"text"', false],
    ['5', false],
    ['{', false],
    ['[1] 2', false],
    ['car-7', false],
  ])('%j: %s', (text, expected) => {
    expect(isJsonStructure(text)).toBe(expected);
  });
});

describe('jsonTable', () => {
  it('has the members of all objects as columns', () => {
    expect(jsonTable('[{"ID":"a","size":"5"},{"ID":"b","weight":5,"sold":null}]')).toEqual({
      columns: ['ID', 'size', 'weight', 'sold'],
      rows: [
        [{ text: 'a', isString: true }, { text: '5', isString: true }, undefined, undefined],
        [{ text: 'b', isString: true }, undefined, { text: '5', isString: false }, { text: 'null', isString: false }],
      ],
    });
  });

  it.each([
    ['no array', '{"a":1}'],
    ['no JSON', '[{]'],
    ['an empty array', '[]'],
    ['other elements', '[{"a":1},2]'],
    ['null', '[null]'],
    ['arrays', '[[1]]'],
    ['nested objects', '[{"a":{}}]'],
    ['members that appear twice', '[{"a":1,"a":2}]'],
    ['numbers with more digits', '[{"a":12345678901234567890}]'],
    ['many columns', JSON.stringify([Object.fromEntries('abcdefghi'.split('').map((name) => [name, 1]))])],
  ])('does not show %s', (_name, text) => {
    expect(jsonTable(text)).toBeUndefined();
  });

  it('is not confused by names of the prototype', () => {
    expect(jsonTable('[{"__proto__":"x","toString":"y"},{"a":"z"}]')).toEqual({
      columns: ['__proto__', 'toString', 'a'],
      rows: [
        [{ text: 'x', isString: true }, { text: 'y', isString: true }, undefined],
        [undefined, undefined, { text: 'z', isString: true }],
      ],
    });
  });
});
