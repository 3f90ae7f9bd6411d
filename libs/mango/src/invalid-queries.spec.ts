import { describe, expect, it } from '@jest/globals';
import { Find } from './find.js';
import { MangoError } from './mango-error.js';

const find = (query: string, bookmark = ''): Find => new Find(query, bookmark, []);

/** Queries with CouchDB's name of the error and its reason. */
const INVALID: readonly (readonly [query: string, error: string, reason: string])[] = [
  ['{}', 'missing_required_key', 'Missing required key: selector'],
  ['{"selector": []}', 'invalid_selector_json', 'Selector must be a JSON object, not: []'],
  ['{"selector": "ab"}', 'invalid_selector_json', 'Selector must be a JSON object, not: <<97,98>>'],
  ['{"selector": {"$gt": 1}}', 'invalid_selector', 'One or more conditions is missing a field name.'],
  ['{"selector": {"a": {"$foo": 1}}}', 'invalid_operator', 'Invalid operator: $foo'],
  ['{"selector": {"$": 1}}', 'invalid_operator', 'Invalid operator: $'],
  ['{"selector": {"a": {"$where": "x"}}}', 'not_supported', 'Unsupported operator: $where'],
  ['{"selector": {"$text": "x"}}', 'not_supported', 'Unsupported operator: $text'],
  [
    '{"selector": {"$default": 1}}',
    'bad_field',
    'Invalid field normalization on selector: {[{<<36,100,101,102,97,117,108,116>>,1}]}',
  ],
  ['{"selector": {"$and": 1}}', 'bad_arg', 'Bad argument for operator $and: 1'],
  ['{"selector": {"$or": {"a": 1}}}', 'bad_arg', 'Bad argument for operator $or: {[{<<97>>,1}]}'],
  ['{"selector": {"$nor": 1}}', 'invalid_operator', 'Invalid operator: $nor'],
  ['{"selector": {"$not": [1]}}', 'bad_arg', 'Bad argument for operator $not: [1]'],
  ['{"selector": {"a": {"$not": 1}}}', 'bad_arg', 'Bad argument for operator $not: 1'],
  ['{"selector": {"a": {"$in": 1}}}', 'bad_arg', 'Bad argument for operator $in: 1'],
  ['{"selector": {"a": {"$nin": "x"}}}', 'bad_arg', 'Bad argument for operator $nin: <<120>>'],
  ['{"selector": {"a": {"$all": null}}}', 'bad_arg', 'Bad argument for operator $all: null'],
  ['{"selector": {"a": {"$exists": 1}}}', 'bad_arg', 'Bad argument for operator $exists: 1'],
  ['{"selector": {"a": {"$type": 1}}}', 'bad_arg', 'Bad argument for operator $type: 1'],
  ['{"selector": {"a": {"$size": -1}}}', 'bad_arg', 'Bad argument for operator $size: -1'],
  ['{"selector": {"a": {"$size": 2.0}}}', 'bad_arg', 'Bad argument for operator $size: 2'],
  ['{"selector": {"a": {"$size": "2"}}}', 'bad_arg', 'Bad argument for operator $size: <<50>>'],
  ['{"selector": {"a": {"$mod": [2]}}}', 'bad_arg', 'Bad argument for operator $mod: [2]'],
  ['{"selector": {"a": {"$mod": [2, 1.5]}}}', 'bad_arg', 'Bad argument for operator $mod: [2,1.5]'],
  ['{"selector": {"a": {"$mod": [1e1, 1]}}}', 'bad_arg', 'Bad argument for operator $mod: [10,1]'],
  ['{"selector": {"a": {"$mod": [0, 1]}}}', 'bad_arg', 'Bad argument for operator $mod: [0,1]'],
  [
    '{"selector": {"a": {"$mod": {"0": 2, "1": 1}}}}',
    'bad_arg',
    'Bad argument for operator $mod: {[{<<48>>,2},{<<49>>,1}]}',
  ],
  ['{"selector": {"a": {"$beginsWith": 1}}}', 'invalid_operator', 'Invalid operator: $beginsWith'],
  ['{"selector": {"a": {"$regex": 1}}}', 'invalid_operator', 'Invalid operator: $regex'],
  ['{"selector": {"a": {"$regex": "["}}}', 'bad_arg', 'Bad argument for operator $regex: <<91>>'],
  ['{"selector": {"a": {"$elemMatch": [1]}}}', 'bad_arg', 'Bad argument for operator $elemMatch: [1]'],
  ['{"selector": {"a": {"$allMatch": true}}}', 'bad_arg', 'Bad argument for operator $allMatch: true'],
  ['{"selector": {"a": {"$keyMapMatch": 1}}}', 'bad_arg', 'Bad argument for operator $keyMapMatch: 1'],
  ['{"selector": {"": 1}}', 'invalid_field_name', 'Invalid field name: '],
  ['{"selector": {"a..b": 1}}', 'invalid_field_name', 'Invalid field name: a..b'],
  ['{"selector": {".a": 1}}', 'invalid_field_name', 'Invalid field name: .a'],
  ['{"selector": {}, "sort": "a"}', 'invalid_sort_json', 'Sort must be an array of sort specs, not: <<97>>'],
  ['{"selector": {}, "sort": null}', 'invalid_sort_json', 'Sort must be an array of sort specs, not: null'],
  ['{"selector": {}, "sort": [1]}', 'invalid_sort_field', 'Invalid sort field: 1'],
  ['{"selector": {}, "sort": [""]}', 'invalid_sort_field', 'Invalid sort field: <<>>'],
  ['{"selector": {}, "sort": [{"a": "up"}]}', 'invalid_sort_field', 'Invalid sort field: {[{<<97>>,<<117,112>>}]}'],
  [
    '{"selector": {}, "sort": [{"a": "asc", "b": "asc"}]}',
    'invalid_sort_field',
    'Invalid sort field: {[{<<97>>,<<97,115,99>>},{<<98>>,<<97,115,99>>}]}',
  ],
  [
    '{"selector": {}, "sort": [{"a": "asc"}, {"b": "desc"}]}',
    'unsupported_mixed_sort',
    'Sorts currently only support a single direction for all fields.',
  ],
  [
    '{"selector": {}, "sort": ["a"]}',
    'no_usable_index',
    'No index exists for this sort, try indexing by the sort fields.',
  ],
  [
    '{"selector": {}, "sort": ["_id"]}',
    'no_usable_index',
    'No index exists for this sort, try indexing by the sort fields.',
  ],
  [
    '{"selector": {}, "partition": "p"}',
    'no_usable_index',
    'No index exists for this sort, try indexing by the sort fields.',
  ],
  ['{"selector": {}, "fields": [1]}', 'invalid_field', 'Invalid JSON for field spec: 1'],
  ['{"selector": {}, "skip": -1}', 'invalid_non_neg_integer', '-1 is not an integer greater than or equal to zero'],
  [
    '{"selector": {}, "skip": "1"}',
    'invalid_non_neg_integer',
    '<<49>> is not an integer greater than or equal to zero',
  ],
  ['{"selector": {}, "skip": 1.0}', 'invalid_non_neg_integer', '1 is not an integer greater than or equal to zero'],
  ['{"selector": {}, "r": 0}', 'invalid_pos_integer', '0 is not an integer greater than zero'],
  ['{"selector": {}, "conflicts": 1}', 'invalid_boolean', 'Invalid boolean value: 1'],
  ['{"selector": {}, "execution_stats": "yes"}', 'invalid_boolean', 'Invalid boolean value: <<121,101,115>>'],
  ['{"selector": {}, "allow_fallback": null}', 'invalid_boolean', 'Invalid boolean value: null'],
  ['{"selector": {}, "stale": true}', 'unknown_error', 'Unknown Error: mango_opts :: {invalid_ok_or_false_value,true}'],
  ['{"selector": {}, "use_index": 1}', 'invalid_index_name', 'Invalid index name: 1'],
  [
    '{"selector": {}, "use_index": ["a", "b", "c"]}',
    'invalid_index_name',
    'Invalid index name: [<<97>>,<<98>>,<<99>>]',
  ],
  ['{"selector": {}, "use_index": "a/b/c"}', 'invalid_index_name', 'Invalid index name: <<97,47,98,47,99>>'],
  [
    '{"selector": {}, "use_index": "d", "allow_fallback": false}',
    'invalid_index',
    '_design/d specified by `use_index` could not be found or it is not suitable.',
  ],
  [
    '{"selector": {}, "use_index": ["_design/d", "n"], "allow_fallback": false}',
    'invalid_index',
    '_design/d, n specified by `use_index` could not be found or it is not suitable.',
  ],
  [
    '{"selector": {}, "allow_fallback": false}',
    'invalid_index',
    'You must specify an index with the `use_index` parameter.',
  ],
  ['{"selector": {}, "bookmark": 1}', 'invalid_bookmark', 'Invalid bookmark value: 1'],
  ['{"selector": {}, "bookmark": "nil"}', 'invalid_bookmark', 'Invalid bookmark value: "nil"'],
  ['{"selector": {}, "foo": 1}', 'invalid_key', 'Invalid key foo for this request.'],
];

describe('an invalid query', () => {
  it.each(INVALID)('%s', (query, error, reason) => {
    expect(() => find(query)).toThrow(
      expect.objectContaining({ name: 'MangoError', error, message: reason, status: 400 }),
    );
  });

  it.each([
    ['[]', 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['"a"', 'json: cannot unmarshal string into Go value of type map[string]interface {}'],
    ['true', 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    ['{"selector": {}, "fields": "a"}', 'fields definition must be an array'],
  ])('%s is refused by the peer itself', (query, text) => {
    expect(() => find(query)).toThrow(new SyntaxError(text));
  });

  it.each([
    ['', 'EOF'],
    [' ', 'EOF'],
    ['{', 'unexpected EOF'],
    ['{"selector": {}', 'unexpected EOF'],
    ['{"selector": "a', 'unexpected EOF'],
    ['['.repeat(100_000), 'unexpected EOF'],
    ['nonsense', "invalid character 'o' in the query"],
    ['{"a" 1}', "invalid character '1' in the query"],
    ['{"a": 1,}', "invalid character '}' in the query"],
    ['\u0000', "invalid character '\u0000' in the query"],
  ])('text %# is no JSON', (query, text) => {
    expect(() => find(query)).toThrow(expect.objectContaining({ name: 'SyntaxError', message: text }));
  });

  it('may be nested to a depth only', () => {
    const nested = (levels: number): string => `{"selector": ${'{"$not":'.repeat(levels)}{"a":1}${'}'.repeat(levels)}}`;
    expect(find(nested(150)).bookmark()).toBe('nil');
    expect(() => find(nested(300))).toThrow(
      expect.objectContaining({ error: 'bad_request', message: 'the query is nested deeper than 200 levels' }),
    );
    expect(() => find(nested(20_000))).toThrow('nested deeper');
  });

  it('may have a length only', () => {
    const padded = (length: number): string => '{"selector": {}}'.padEnd(length);
    expect(find(padded(262_144)).bookmark()).toBe('nil');
    expect(() => find(padded(262_145))).toThrow(
      expect.objectContaining({ error: 'bad_request', message: 'the query is longer than 262144 characters' }),
    );
  });

  it('may name fields to a depth, and patterns to a number only', () => {
    const field = (names: number): string => Array.from({ length: names }, () => 'a').join('.');
    expect(find(JSON.stringify({ selector: { [field(100)]: 1 } })).bookmark()).toBe('nil');
    for (const selector of [
      { [field(101)]: 1 },
      { [field(60)]: { $or: [{ [field(60)]: 1 }] } },
      { [field(100_000)]: 1 },
    ]) {
      expect(() => find(JSON.stringify({ selector }))).toThrow(
        expect.objectContaining({ error: 'invalid_field_name' }),
      );
    }
    const patterns = (count: number, name: (at: number) => string): string =>
      JSON.stringify({
        selector: { $or: Array.from({ length: count }, (_, at) => ({ a: { $elemMatch: { $regex: name(at) } } })) },
      });
    expect(find(patterns(1000, () => 'same')).bookmark()).toBe('nil');
    expect(() => find(patterns(101, (at) => `x${at}`))).toThrow('Unsupported operator: $regex more than 100 times');
  });

  it('is repeated in its error in part only', () => {
    const long = JSON.stringify({ selector: { a: { $in: 'x'.repeat(200_000) } } });
    const many = JSON.stringify({ selector: { $or: { a: Array.from({ length: 20_000 }, () => ({ b: 1 })) } } });
    for (const query of [long, many]) {
      expect(() => find(query)).toThrow(
        expect.objectContaining({ error: 'bad_arg', message: expect.stringMatching(/^.{500,550}$/) }),
      );
    }
  });

  it('accepts options that change nothing', () => {
    const options = {
      limit: 'any',
      r: 2,
      conflicts: true,
      stale: 'ok',
      update: false,
      stable: true,
      execution_stats: true,
      partition: '',
      bookmark: null,
      use_index: null,
      allow_fallback: true,
      skip: 0,
      sort: [],
    };
    expect(find(JSON.stringify({ selector: {}, ...options })).bookmark()).toBe('nil');
    expect(new MangoError('error', 'reason')).toMatchObject({ status: 400 });
  });
});
