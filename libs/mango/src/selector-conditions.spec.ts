import { describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from './json-value.js';
import { DocumentMatcher } from './matcher.js';
import { QueryJson } from './query-json.js';
import { parseSelector } from './selector.js';

/** Conditions on a field, with values that fulfil them, and present values that do not. */
const CONDITIONS: readonly (readonly [condition: Json, fulfil: readonly Json[], fail: readonly Json[]])[] = [
  // Equality: a bare value, numbers of any notation, whole arrays and objects.
  [7, [7, 7.0], [8, '7', [7], { seven: 7 }, null, true]],
  ['blue', ['blue'], ['Blue', 'blu', '', 0, ['blue']]],
  [true, [true], [false, 1, 'true', null]],
  [false, [false], [true, 0, '', null]],
  [null, [null], [false, 0, '', [], {}]],
  [[1, 2], [[1, 2]], [[2, 1], [1], [1, 2, 3], 1, {}]],
  [{}, [{}], [{ a: 1 }, [], null, 0]],
  [{ $eq: 7 }, [7], [6, 8, '7']],
  [{ $eq: [] }, [[]], [[[]], [0], {}, null]],
  [
    { $eq: { a: { b: [1] } } },
    [{ a: { b: [1] } }],
    [{ a: { b: [2] } }, { a: { c: [1] } }, { a: { b: [1] }, c: 0 }, {}],
  ],
  [{ $eq: { b: 1, a: 2 } }, [{ a: 2, b: 1 }], [{ a: 1, b: 2 }, { a: 2 }]],
  [{ $ne: 7 }, [8, '7', null, [7], {}], [7]],
  [{ $ne: [1, 2] }, [[2, 1], [1], 1], [[1, 2]]],
  [{ $ne: null }, [false, 0, ''], [null]],
  // Order: null < false < true < numbers < texts < arrays < objects.
  [{ $gt: null }, [false, true, 0, '', [], {}], [null]],
  [{ $gt: false }, [true, -1, '', [], {}], [null, false]],
  [{ $gt: true }, [-1, '', [], {}], [null, false, true]],
  [{ $gt: 10 }, [11, 10.5, 'a', [], {}], [10, 9, -1e9, null, true]],
  [{ $gte: 10 }, [10, 10.0, 11, '1'], [9.999, true, null]],
  [{ $lt: 10 }, [9, -1, 9.999, null, true, false], [10, 11, '1', [], {}]],
  [{ $lte: 10 }, [10, 9, null], [10.001, '', {}]],
  [{ $lt: 'b' }, ['a', 'aaaa', '', 5, null], ['b', 'c', [], {}]],
  [{ $gt: 'apple' }, ['banana', 'apple pie', 'Banana', [], {}], ['apple', 'Abel', 'a', 9]],
  [{ $gt: 'a' }, ['A', 'b', 'B', 'á', 'aa'], ['a', '', '1', '-']],
  [{ $lt: 'A' }, ['a', '', '9'], ['A', 'b', 'aa', 'á']],
  [{ $gte: 'zebra' }, ['zebra', 'Zebra', 'zoo'], ['äpfel', 'yak']],
  [{ $lt: [1, 2] }, [[], [0, 9, 9], [1], [1, 1], 'text', 0], [[1, 2], [1, 2, 0], [2], ['a'], {}]],
  [{ $gte: [1, 'b'] }, [[1, 'b'], [1, 'c'], [1, 'b', 0], [1, []], {}], [[1, 'a'], [1, 9], [0, 'z'], 'text']],
  [{ $gt: { a: 1 } }, [{ a: 2 }, { b: 0 }, { a: 1, b: 0 }, { a: 'x' }], [{ a: 1 }, { a: 0 }, {}, [], 'z']],
  [{ $lt: {} }, [null, true, 1, 'z', [9]], [{}, { a: 1 }]],
  [{ $gte: 1, $lt: 5 }, [1, 4.9], [0, 5, 'a']],
  [{ $gt: 1, $ne: 3 }, [2, 4, 'a'], [1, 3, null]],
  // Lists: an array matches by one of its items, never as a whole.
  [{ $in: [1, 'a', null] }, [1, 'a', null, ['a'], [9, 1]], [2, 'A', false, [], [2], [[1]]]],
  [{ $in: [] }, [], [1, null, [], {}]],
  [{ $in: [[1, 2]] }, [[[1, 2]], [0, [1, 2]]], [[1, 2], 1]],
  [{ $in: [{ a: 1 }] }, [{ a: 1 }, [{ a: 1 }]], [{ a: 1, b: 2 }, { a: 2 }, 'a']],
  [{ $in: [true, 3, 'z', 'b', 'a', 2] }, [true, 2, 3, 'a', 'b', 'z'], [false, 1, 'c', 'A']],
  [{ $nin: [1, 'a'] }, [2, 'b', null, [], [2]], [1, 'a', ['a', 9], [1]]],
  [{ $nin: [] }, [1, null, []], []],
  [
    { $all: [1, 'a'] },
    [
      [1, 'a'],
      ['a', 9, 1],
    ],
    [[1], ['a'], 1, 'a', [], {}],
  ],
  [{ $all: [] }, [], [[], [1], 1]],
  [{ $all: [[1, 2]] }, [[1, 2], [[1, 2]], [0, [1, 2]]], [[2, 1], [1], [1, 2, 3]]],
  [{ $all: [{ a: 1, b: 2 }] }, [[{ b: 2, a: 1 }]], [[{ a: 1 }], { a: 1, b: 2 }]],
  [{ $all: ['a'] }, [['a'], ['b', 'a']], ['a', [['a']], []]],
  // Presence, type, size.
  [{ $exists: true }, [null, false, 0, '', [], {}], []],
  [{ $exists: false }, [], [null, 0, {}]],
  [{ $type: 'null' }, [null], [false, 0, '', [], {}]],
  [{ $type: 'boolean' }, [true, false], [null, 0, 'true']],
  [{ $type: 'number' }, [0, -1.5, 1e300], ['1', true, [1]]],
  [{ $type: 'string' }, ['', 'a'], [1, null, ['a']]],
  [{ $type: 'array' }, [[], [1]], [{}, 'a', null]],
  [{ $type: 'object' }, [{}, { a: 1 }], [[], null, 'a']],
  [{ $type: 'integer' }, [], [1, 'integer', null]],
  [
    { $size: 2 },
    [
      [1, 2],
      [null, []],
    ],
    [[], [1], [1, 2, 3], 'ab', { a: 1, b: 2 }, 2],
  ],
  [{ $size: 0 }, [[]], [[0], '', {}, null]],
  // Numbers.
  [{ $mod: [10, 1] }, [1, 11, 101], [0, 10, 2, -1, 1.5, '1', null, [1]]],
  [{ $mod: [3, -2] }, [-2, -5], [2, 1, -1]],
  [{ $mod: [-3, 2] }, [2, 5], [-2, 3]],
  [{ $mod: [2, 0] }, [0, 2, -4], [1, 1e21, 0.5]],
  // Texts.
  [{ $beginsWith: 'ab' }, ['ab', 'abc'], ['a', 'ba', 'AB', 1, ['ab'], null]],
  [{ $beginsWith: '' }, ['', 'a'], [1, null]],
  [{ $regex: 'b+' }, ['b', 'abc', 'abbb'], ['a', '', 'B', 1, ['b']]],
  [{ $regex: '^[0-9]{3}$' }, ['123', '000', '123\n'], ['12', '1234', 'a123', 123]],
  [{ $regex: '(?i)^blue$' }, ['blue', 'BLUE', 'bLuE'], ['blues', 'light blue']],
  // Items of arrays and names in objects.
  [{ $elemMatch: { $gt: 5 } }, [[6], [1, 9], ['a']], [[], [5], [1, 2], 6, { a: 6 }]],
  [{ $elemMatch: { $gt: 5, $lt: 8 } }, [[6], [1, 7]], [[5, 8], [9, 1], []]],
  [{ $elemMatch: { a: 1 } }, [[{ a: 1 }], [{ a: 2 }, { a: 1, b: 0 }]], [[{ a: 2 }], [{ b: 1 }], [1], { a: 1 }]],
  [{ $elemMatch: { 'a.b': { $gte: 2 } } }, [[{ a: { b: 2 } }]], [[{ a: { b: 1 } }], [{ a: 2 }]]],
  [{ $elemMatch: { $or: [1, 3] } }, [[1], [3, 9]], [[2], []]],
  [{ $elemMatch: { $not: { a: 1 } } }, [[{ a: 2 }], [{}], [7]], [[{ a: 1 }], []]],
  [{ $elemMatch: { $elemMatch: { $eq: 1 } } }, [[[1]], [[2], [3, 1]]], [[1], [[2]], []]],
  [{ $elemMatch: { $nor: [{ $eq: 1 }] } }, [], [[1], [2], []]],
  [{ $allMatch: { $gt: 5 } }, [[6], [6, 'a']], [[], [6, 5], 6, {}]],
  [{ $allMatch: { genre: 'jazz' } }, [[{ genre: 'jazz' }]], [[{ genre: 'jazz' }, { genre: 'pop' }], [{}], []]],
  [{ $allMatch: { $not: { $eq: 1 } } }, [[2], [2, 3]], [[1], [2, 1], []]],
  [{ $keyMapMatch: { $eq: 'a' } }, [{ a: 1 }, { b: 1, a: null }], [{}, { b: 'a' }, ['a'], 'a']],
  [{ $keyMapMatch: { $regex: '^x-' } }, [{ 'x-a': 1 }], [{ ax: 1 }, {}]],
  // Combinations in a condition.
  [{ $or: [1, { $gt: 5 }] }, [1, 6, 'a'], [2, 5, null]],
  [{ $and: [{ $gt: 1 }, { $lt: 5 }] }, [2, 4], [1, 5, 'a']],
  [{ $nor: [{ $lt: 3 }, { $gt: 7 }] }, [3, 7, 5], [2, 8, null, 'a']],
  [{ $not: { $not: { $eq: 1 } } }, [1], [2, null]],
  [{ $not: { $regex: 'b' } }, ['a', 1, null, ['b']], ['b', 'abc']],
  [{ $not: { $elemMatch: { $eq: 1 } } }, [[2], [], 1], [[1], [2, 1]]],
  [{ $not: { $size: 1 } }, [[], [1, 2], 'a'], [[1]]],
];

/** Whole selectors, with documents that match and that do not. */
const SELECTORS: readonly (readonly [selector: JsonObject, match: readonly Json[], others: readonly Json[]])[] = [
  [{}, [{}, { a: 1 }], []],
  [{ a: 1, b: 2 }, [{ a: 1, b: 2, c: 3 }], [{ a: 1 }, { b: 2 }, { a: 2, b: 2 }, {}]],
  // Fields below fields, with dots in names, items of arrays.
  [{ 'a.b': 1 }, [{ a: { b: 1, c: 2 } }], [{ a: { b: 2 } }, { a: 1 }, { 'a.b': 1 }, { b: 1 }, {}]],
  [{ a: { b: 1 } }, [{ a: { b: 1, c: 2 } }], [{ a: { b: 2 } }, { a: [1] }, {}]],
  [{ a: { b: { $gt: 1 }, c: 3 } }, [{ a: { b: 2, c: 3 } }], [{ a: { b: 2 } }, { a: { b: 1, c: 3 } }]],
  [{ 'a\\.b': 1 }, [{ 'a.b': 1 }], [{ a: { b: 1 } }, {}]],
  [{ 'a\\.b.c': 1 }, [{ 'a.b': { c: 1 } }], [{ a: { b: { c: 1 } } }]],
  [{ 'a.1': 'y' }, [{ a: ['x', 'y'] }, { a: { 1: 'y' } }], [{ a: ['y'] }, { a: ['x', 'z'] }, { a: 'xy' }]],
  [{ 'a.0.b': 1 }, [{ a: [{ b: 1 }] }], [{ a: [{ b: 2 }, { b: 1 }] }, { a: [] }]],
  [{ 'a.-1': 1 }, [], [{ a: [1] }, {}]],
  [{ 'a.length': 1 }, [], [{ a: [1] }, { a: 'x' }]],
  [{ __proto__x: 1, constructor: { $exists: false } }, [{ __proto__x: 1 }], [{}]],
  [{ toString: { $exists: true } }, [{ toString: 1 }], [{}, { a: 1 }]],
  // A missing field fulfils only $exists: false, whatever is negated.
  [{ a: { $exists: false } }, [{}, { b: 1 }], [{ a: null }, { a: 0 }]],
  [{ 'a.b': { $exists: false } }, [{}, { a: {} }, { a: { c: 1 } }], [{ a: { b: 0 } }, { a: 1 }, { a: [] }]],
  [{ 'a.b': { $exists: true } }, [{ a: { b: null } }], [{}, { a: {} }, { a: 1 }]],
  [{ a: { $ne: 1 } }, [{ a: 2 }, { a: null }], [{ a: 1 }, {}, { b: 2 }]],
  [{ a: { $nin: [1] } }, [{ a: 2 }], [{ a: 1 }, {}]],
  [{ a: { $not: { $eq: 1 } } }, [{ a: 2 }], [{ a: 1 }, {}]],
  [{ $not: { a: 1 } }, [{ a: 2 }], [{ a: 1 }, {}]],
  [{ $not: { a: { $regex: 'x' } } }, [{ a: 'y' }, { a: 1 }], [{ a: 'x' }, {}]],
  [{ $not: { a: { $exists: true } } }, [{}, { b: 1 }], [{ a: 1 }]],
  [{ $not: { a: { $exists: false } } }, [{ a: 1 }, { a: null }], [{}]],
  [{ $not: { a: 1, b: 2 } }, [{ a: 2 }, { b: 3 }, { a: 1, b: 3 }], [{ a: 1, b: 2 }, {}, { a: 1 }]],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, [{ a: 2, b: 3 }], [{ a: 2 }, { a: 1, b: 3 }, { a: 2, b: 2 }, {}]],
  [{ a: { $lt: 5 } }, [{ a: null }, { a: 4 }], [{}, { a: 5 }]],
  // Combinations.
  [{ $or: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }], [{ a: 2 }, {}]],
  [{ $or: [{ a: 1 }], c: 3 }, [{ a: 1, c: 3 }], [{ a: 1 }, { c: 3 }]],
  [{ $and: [{ a: 1 }, { $or: [{ b: 1 }, { b: 2 }] }] }, [{ a: 1, b: 2 }], [{ a: 1, b: 3 }, { b: 1 }]],
  [
    { $and: [{ $not: { $or: [{ a: 1 }, { a: 2 }] } }, { b: 1 }] },
    [{ a: 3, b: 1 }],
    [{ a: 1, b: 1 }, { b: 1 }, { a: 3 }],
  ],
  [{ $not: { $nor: [{ a: 1 }, { a: 2 }] } }, [{ a: 1 }, { a: 2 }], [{ a: 3 }, {}]],
  [{ $not: { $and: [{ a: 1 }, { b: 1 }] } }, [{ a: 2 }, { b: 2 }], [{ a: 1, b: 1 }, {}]],
  [{ a: { $and: [] } }, [{}, { a: 1 }], []],
  [{ a: { $or: [] } }, [{}, { a: 1 }], []],
  [{ a: { $nor: [] } }, [{}, { a: 1 }], []],
  [{ a: { $not: { $and: [] } } }, [{}, { a: 1 }], []],
  [{ a: 1, $or: [] }, [{ a: 1 }], [{ a: 2 }]],
  [{ $and: [{}, { a: 1 }] }, [], [{ a: 1 }, {}]],
  [{ a: {}, b: 1 }, [{ a: {}, b: 1 }], [{ a: { c: 1 }, b: 1 }]],
  [{ $not: { a: {} } }, [{ a: 1 }, { a: { b: 1 } }, { a: [] }], [{ a: {} }, {}]],
  // Keys are compared by their bytes, unlike other texts.
  [{ _id: 'k1' }, [{ _id: 'k1' }], [{ _id: 'K1' }, {}]],
  [{ _id: { $gt: 'Z' } }, [{ _id: 'a' }, { _id: '\u{1F600}' }], [{ _id: 'B' }, { _id: '9' }]],
  [{ _id: { $lt: '\u{10000}' } }, [{ _id: '\u{FFFD}' }, { _id: 'z' }], [{ _id: '\u{1F600}' }]],
  [{ name: { $gt: 'Z' } }, [{ name: 'ż' }], [{ name: 'a' }, { name: 'z' }]],
  [{ _id: { $in: ['b', 'a', 'C'] } }, [{ _id: 'a' }, { _id: 'C' }], [{ _id: 'c' }, { _id: 'A' }]],
];

const matcherOf = (selector: JsonObject): DocumentMatcher => {
  const json = new QueryJson(JSON.stringify(selector));
  return new DocumentMatcher(parseSelector(json.value as JsonObject, json));
};

describe('a selector', () => {
  it.each(CONDITIONS)('with the condition %j', (condition, fulfil, fail) => {
    const matcher = matcherOf({ x: condition });
    const negated = matcherOf({
      x: {
        $not:
          typeof condition === 'object' && condition !== null && !Array.isArray(condition)
            ? condition
            : { $eq: condition },
      },
    });
    const found = [...fulfil, ...fail].map((value) => [
      value,
      matcher.matches({ x: value }),
      negated.matches({ x: value }),
    ]);
    expect(found).toEqual([
      ...fulfil.map((value) => [value, true, false]),
      ...fail.map((value) => [value, false, true]),
    ]);
  });

  it.each(SELECTORS)('as a whole: %j', (selector, match, others) => {
    const matcher = matcherOf(selector);
    const found = [...match, ...others].map((document) => [document, matcher.matches(document)]);
    expect(found).toEqual([
      ...match.map((document) => [document, true]),
      ...others.map((document) => [document, false]),
    ]);
  });

  it('compares integers exactly, and orders them with numbers', () => {
    const json = new QueryJson('{"x": 9007199254740993}');
    const matcher = new DocumentMatcher(parseSelector(json.value as JsonObject, json));
    expect([9007199254740992, 9007199254740994].map((x) => matcher.matches({ x }))).toEqual([false, false]);
    const list = new QueryJson('{"x": {"$in": [1, 18446744073709551616, 2.5]}}');
    const listed = new DocumentMatcher(parseSelector(list.value as JsonObject, list));
    expect([1, 2 ** 64, 2.5, 3].map((x) => listed.matches({ x }))).toEqual([true, true, true, false]);
    const range = new QueryJson('{"x": {"$lt": 123456789012345678901, "$gt": 12345678901234567890}}');
    const between = new DocumentMatcher(parseSelector(range.value as JsonObject, range));
    expect([1e19, 1e20, 1e21].map((x) => between.matches({ x }))).toEqual([false, true, false]);
  });

  it('ends the comparison of a document that takes too long', () => {
    const items = Array.from({ length: 100_000 }, (_, index) => index);
    const branches = Array.from({ length: 1000 }, (_, index) => ({ $eq: -index - 1 }));
    const wide = matcherOf({ x: { $elemMatch: { $or: branches } } });
    expect(() => wide.matches({ x: items })).toThrow('the selector takes more than 8000000 steps for one document');
    const text = matcherOf({ x: { $regex: '(a{1,100}b){2}' } });
    expect(() => text.matches({ x: 'ab'.repeat(1_000_000) })).toThrow('steps for one document');
    const others = [{ $in: [-1] }, { $all: [-1] }, { $keyMapMatch: { $eq: 'none' } }];
    for (const condition of others) {
      const many = matcherOf({ $or: Array.from({ length: 100 }, () => ({ x: condition })) });
      const x = '$keyMapMatch' in condition ? Object.assign({}, items) : items;
      expect(() => many.matches({ x })).toThrow('steps for one document');
    }
    // Keys of a large object are sorted once.
    const objects = matcherOf({ $or: Array.from({ length: 1000 }, () => ({ x: { $lt: { '0': 0 } } })) });
    expect(objects.matches({ x: Object.assign({}, items) })).toBe(false);
    // Lists are searched in steps that grow with the logarithm.
    const listed = matcherOf({ x: { $in: Array.from({ length: 20_000 }, (_, index) => -index - 1) } });
    expect(listed.matches({ x: items })).toBe(false);
  });
});
