import { describe, expect, it } from '@jest/globals';
import { Find, type DocumentSource, type Entry } from './find.js';
import { parseIndex, type MangoIndex } from './index-definition.js';
import { compareBytes } from './json-value.js';

/** A state in memory, which counts the entries that are read. */
class MemoryState implements DocumentSource {
  taken = 0;
  readonly #entries: readonly Entry[];

  constructor(values: Readonly<Record<string, unknown>>) {
    const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
    const entries = Object.entries(values).map(([key, value]) => ({ key, value: Buffer.from(text(value)) }));
    this.#entries = entries.sort((a, b) => compareBytes(a.key, b.key));
  }

  *entries(after: string): Generator<Entry> {
    for (const entry of this.#entries) {
      if (after !== '' && compareBytes(entry.key, after) <= 0) continue;
      this.taken += 1;
      yield entry;
    }
  }

  value = (key: string): Uint8Array => this.#entries.find((entry) => entry.key === key)!.value;
}

const CARS = new MemoryState({
  a: { type: 'car', color: 'red', size: 5, owner: 'Zoe' },
  b: { type: 'car', color: 'Blue', size: 10, owner: 'ana' },
  c: { type: 'car', color: 'blue', size: 10, owner: 'Ana' },
  d: { type: 'car', color: 'green', owner: 'Ben' },
  e: { type: 'bike', color: 'red', size: null, owner: 'ben' },
  f: 'no JSON',
  g: ['an array'],
  h: '{"type": "car", "size": 1',
  i: { type: 'car', _rev: '1-x' },
  j: { type: 'car', '~version': 'x' },
  k: 'null',
  l: { type: 'car', size: 'big', color: 'red', details: { doors: [2, 4], weight: { kg: 900 } }, _x: undefined },
});

const index = (fields: readonly unknown[], rest: object = {}, filter?: object): MangoIndex =>
  parseIndex(
    JSON.stringify({ index: { fields, ...(filter && { partial_filter_selector: filter }) }, ...rest }),
    'file',
  );

const run = (
  query: object,
  indexes: readonly MangoIndex[] = [],
  { limit = Infinity, bookmark = '', state = CARS } = {},
) => {
  const find = new Find(JSON.stringify(query), bookmark, indexes);
  const results: Entry[] = [];
  for (const found of find.run(state)) {
    if (found !== undefined) results.push(found);
    if (results.length >= limit) break;
  }
  return { keys: results.map(({ key }) => key).join(''), results, bookmark: find.bookmark() };
};
const texts = ({ results }: ReturnType<typeof run>) => results.map(({ value }) => Buffer.from(value).toString());

describe('the results of a query', () => {
  it('are objects only, by key, without reserved fields', () => {
    expect(run({ selector: {} }).keys).toBe('abcdel');
    expect(run({ selector: { type: 'car' } }).keys).toBe('abcdl');
    expect(run({ selector: { _id: { $gte: 'c' } } }).keys).toBe('cdel');
    // CouchDB does not search for an empty list, which matches every document next to another condition.
    for (const selector of [{ $or: [] }, { $and: [] }, { $nor: [] }]) expect(run({ selector }).keys).toBe('');
    expect(run({ selector: { type: 'bike', $or: [] } }).keys).toBe('e');
  });

  it('have the text that a peer returns: members by name, no spaces, escapes of Go', () => {
    const state = new MemoryState({
      a: '{ "b" : 1.50, "a":[ ], "10": "<a&b>\\u2028é", "9": 1E3, "\\u0062c": {"z":1,"y":{}} }',
      b: '{"big": 12345678901234567890, "tiny": 1e-7, "\\u0000": "\\t\\u0001\\"\\\\\\/"}',
    });
    expect(texts(run({ selector: {} }, [], { state }))).toEqual([
      '{"10":"\\u003ca\\u0026b\\u003e\\u2028é","9":1000,"a":[],"b":1.5,"bc":{"y":{},"z":1}}',
      '{"\\u0000":"\\t\\u0001\\"\\\\/","big":12345678901234567000,"tiny":1e-7}',
    ]);
  });

  it('leave out what a peer cannot store: numbers that are too large, and values that are nested too deep', () => {
    const deep = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const state = new MemoryState({
      a: '{"a":1e400}',
      b: deep(400),
      c: deep(100_000),
      d: deep(501),
      p: '{"x":{"__proto__":{"a":1}}}',
    });
    expect(run({ selector: {} }, [], { state }).results.map(({ key }) => key)).toEqual(['b', 'p']);
    expect(texts(run({ selector: { 'x.__proto__.a': 1 } }, [], { state }))).toEqual(['{"x":{"__proto__":{"a":1}}}']);
    expect(texts(run({ selector: { a: { $exists: false } }, fields: ['x.__proto__.a'] }, [], { state }))).toEqual([
      '{"x":{"__proto__":{"a":1}}}',
    ]);
  });

  it('have the fields that are asked for', () => {
    const fields = (...names: readonly unknown[]) => texts(run({ selector: { _id: 'l' }, fields: names }));
    expect(fields('size', 'none', 'details.weight.kg')).toEqual(['{"details":{"weight":{"kg":900}},"size":"big"}']);
    expect(fields('details.doors.1', '_id', '~version', '_rev')).toEqual(['{"details":{"doors":{"1":4}}}']);
    expect(fields('details.weight', 'details.weight.kg', 'size.x')).toEqual(['{"details":{"weight":{"kg":900}}}']);
    expect(fields()).toEqual(['{}']);
  });

  it('are sorted by an index, without documents that lack its fields', () => {
    const bySize = index(['size'], { ddoc: 'd', name: 'size' });
    expect(run({ selector: { type: 'car' }, sort: ['size'] }, [bySize]).keys).toBe('abcl');
    expect(run({ selector: { type: 'car' }, sort: [{ size: 'desc' }] }, [bySize]).keys).toBe('lcba');
    expect(run({ selector: {}, sort: ['size'] }, [bySize]).keys).toBe('eabcl');
    const byOwner = index([{ type: 'asc' }, { owner: 'asc' }]);
    expect(run({ selector: {}, sort: ['type', 'owner'] }, [byOwner]).keys).toBe('ebcda');
    expect(run({ selector: { type: 'car' }, sort: ['owner'] }, [byOwner]).keys).toBe('bcda');
    expect(run({ selector: { _id: { $gt: 'a' } }, sort: [{ _id: 'desc' }] }).keys).toBe('ledcb');
  });

  it('have the order of the index that CouchDB chooses', () => {
    const indexes = [
      index(['size'], { ddoc: 'b' }),
      index(['color', 'size'], { ddoc: 'a' }),
      index(['color'], { ddoc: 'c' }),
    ];
    // The index of which most fields are limited, then the shortest, then the first by its name.
    expect(run({ selector: { size: { $gt: null }, color: { $gt: null } } }, indexes).keys).toBe('cbal');
    expect(run({ selector: { color: { $gt: null } } }, indexes).keys).toBe('cbdael');
    expect(run({ selector: { color: { $gt: null } }, use_index: '_design/c' }, indexes).keys).toBe('cbdael');
    expect(run({ selector: { color: { $ne: null } } }, indexes).keys).toBe('cbdael');
    expect(run({ selector: { $or: [{ color: 'red' }, { color: 'blue' }] } }, indexes).keys).toBe('cael');
    expect(run({ selector: { $or: [{ color: 'red' }, { owner: 'Ben' }] } }, indexes).keys).toBe('adel');
    expect(run({ selector: { color: { $exists: false } } }, indexes).keys).toBe('');
  });

  it.each([
    ['is no field of the index', ['size'], { selector: {}, sort: ['color'] }, {}],
    ['is not the first field', ['color', 'size'], { selector: { color: { $gt: null } }, sort: ['size'] }, {}],
    ['has its fields in another order', ['color', 'size'], { selector: {}, sort: ['size', 'color'] }, {}],
    ['leaves out a field that the selector does not require', ['color', 'size'], { selector: {}, sort: ['color'] }, {}],
    [
      'is by a field that only some alternatives require',
      ['color', 'size'],
      { selector: { $or: [{ size: 1 }, { owner: 'x' }] }, sort: ['color'] },
      {},
    ],
    ['is by a filtered index that is not named', ['size'], { selector: {}, sort: ['size'] }, { type: 'car' }],
  ])('cannot be sorted when the sort %s', (_, fields, query, filter) => {
    expect(() => run(query, [index(fields, {}, filter)])).toThrow(
      expect.objectContaining({ error: 'no_usable_index' }),
    );
  });

  it('of a filtered index are those that it contains', () => {
    const cars = index(['size'], { ddoc: 'd', name: 'n' }, { type: 'car', color: { $ne: 'red' } });
    expect(run({ selector: {}, sort: ['size'], use_index: 'd' }, [cars]).keys).toBe('bc');
    expect(run({ selector: { size: { $gt: null } }, use_index: ['d', 'n'] }, [cars]).keys).toBe('bc');
    expect(run({ selector: { size: { $gt: null } }, use_index: ['d', 'other'] }, [cars]).keys).toBe('abcl');
    expect(() => run({ selector: { color: 'red' }, use_index: 'd', allow_fallback: false }, [cars])).toThrow(
      'could not be found or it is not suitable',
    );
  });

  it('come in pages, whichever their order', () => {
    const bySize = index(['size']);
    for (const [query, all] of [
      [{ selector: {} }, 'abcdel'],
      [{ selector: { type: 'car' } }, 'abcdl'],
      [{ selector: {}, sort: ['size'] }, 'eabcl'],
      [{ selector: {}, sort: [{ size: 'desc' }] }, 'lcbae'],
    ] as const) {
      let [found, bookmark] = ['', ''];
      for (
        let page = run(query, [bySize], { limit: 2 });
        page.keys !== '';
        page = run(query, [bySize], { limit: 2, bookmark })
      ) {
        found += page.keys;
        bookmark = page.bookmark;
      }
      expect(found).toBe(all);
      // As in CouchDB, an empty page repeats the bookmark.
      expect(run(query, [bySize], { bookmark }).bookmark).toBe(bookmark);
      expect(run({ ...query, bookmark }, [bySize]).keys).toBe('');
    }
    expect(run({ selector: { type: 'none' } }).bookmark).toBe('nil');
    for (const bookmark of ['nil', 'x', 'W10', run({ selector: {}, sort: ['size'] }, [bySize]).bookmark]) {
      expect(() => run({ selector: {} }, [], { bookmark })).toThrow(
        expect.objectContaining({ error: 'invalid_bookmark', message: `Invalid bookmark value: "${bookmark}"` }),
      );
    }
  });

  it('are not compared by fields that are nested too deep', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const state = new MemoryState({ a: deep, b: deep, c: { a: [1] } });
    expect(run({ selector: {}, sort: ['a'] }, [index(['a'])], { state }).keys).toBe('c');
    const bookmark = Buffer.from(`["a",${'['.repeat(1000)}${']'.repeat(1000)}]`).toString('base64url');
    expect(() => run({ selector: {}, sort: ['a'] }, [index(['a'])], { state, bookmark })).toThrow('Invalid bookmark');
  });

  it('have many fields in a time that grows with their number', () => {
    const state = new MemoryState({
      a: { a: Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`b${at}`, at])) },
    });
    const fields = Array.from({ length: 15_000 }, (_, at) => `a.b${at}`);
    expect(texts(run({ selector: {}, fields }, [], { state }))[0]).toMatch(/"b9999":9999\}\}$/);
  });

  it('read no more documents than they need', () => {
    CARS.taken = 0;
    run({ selector: { type: 'car' } }, [], { limit: 2 });
    expect(CARS.taken).toBe(2);
  });

  it('are skipped for each 1000, as a peer requests them', () => {
    const state = new MemoryState(
      Object.fromEntries(Array.from({ length: 2500 }, (_, at) => [`k${String(at).padStart(4, '0')}`, { at }])),
    );
    const found = run({ selector: {}, skip: 3 }, [], { state }).results.map(({ key }) => Number(key.slice(1)));
    expect([found.length, found[0], found[999], found[1000], found.at(-1)]).toEqual([2491, 3, 1002, 1006, 2499]);
    const sorted = run({ selector: {}, sort: [{ at: 'desc' }] }, [index(['at'])], { state }).results;
    expect(sorted.map(({ key }) => Number(key.slice(1)))).toEqual(Array.from({ length: 2500 }, (_, at) => 2499 - at));
  });
});

describe('an index file', () => {
  it.each([
    ['{', ''],
    ['[]', ''],
    ['{"index": {"fields": ["a"]}, "foo": 1}', '/foo'],
    ['{}', '/index'],
    ['{"index": []}', '/index'],
    ['{"index": {}}', '/index/fields'],
    ['{"index": {"fields": "a"}}', '/index/fields'],
    ['{"index": {"fields": [""]}}', '/index/fields/0'],
    ['{"index": {"fields": ["a", 1]}}', '/index/fields/1'],
    ['{"index": {"fields": ["a..b"]}}', '/index/fields/0'],
    ['{"index": {"fields": [{"a": "up"}]}}', '/index/fields/0'],
    ['{"index": {"fields": [{"a": "asc", "b": "asc"}]}}', '/index/fields/0'],
    ['{"index": {"fields": [{"a": "asc"}, {"b": "desc"}]}}', '/index/fields/1'],
    ['{"index": {"fields": ["a"], "foo": 1}}', '/index/foo'],
    ['{"index": {"fields": ["a"], "partial_filter_selector": 1}}', '/index/partial_filter_selector'],
    ['{"index": {"fields": ["a"], "partial_filter_selector": {"a": {"$foo": 1}}}}', '/index/partial_filter_selector'],
    ['{"index": {"fields": ["a"]}, "type": "text"}', '/type'],
    ['{"index": {"fields": ["a"]}, "ddoc": 1}', '/ddoc'],
    ['{"index": {"fields": ["a"]}, "name": ""}', '/name'],
  ])('%s is invalid at %j', (text, pointer) => {
    expect(() => parseIndex(text, 'file')).toThrow(expect.objectContaining({ name: 'InvalidIndex', pointer }));
  });

  it('may leave out its names', () => {
    expect(parseIndex('{"index": {"fields": ["a", {"b.c": "asc"}]}}', 'file')).toEqual({
      designDocument: 'file',
      name: 'file',
      columns: ['a', 'b.c'],
      filter: undefined,
    });
  });
});
