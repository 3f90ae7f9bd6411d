import { suggestions, type SearchSources, type ValueFrom } from './search.js';

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

let reads = 0;
/** A source of sorted values, of which some may be deleted. */
function valuesOf(values: readonly string[], deleted: readonly string[] = []): ValueFrom {
  const sorted = values.toSorted(byBytes);
  return (text) => {
    reads += 1;
    const value = sorted.find((each) => byBytes(each, text) >= 0);
    return value === undefined ? undefined : { value, isPresent: !deleted.includes(value) };
  };
}

const NONE: ValueFrom = () => undefined;
const sources = (texts: Partial<SearchSources['texts']>, more: Partial<SearchSources> = {}): SearchSources => ({
  height: 0,
  blocks: () => [],
  transactions: () => [],
  ...more,
  texts: { asset: NONE, owner: NONE, caller: NONE, function: NONE, ...texts },
});
const assets = (text: string, values: readonly string[], limit = 10) =>
  suggestions({ text, limit }, sources({ asset: valuesOf(values) })).map(({ value }) => value);

describe('suggestions', () => {
  beforeEach(() => {
    reads = 0;
  });

  it('begin with the text, in byte order, and ignore case only when nothing does', () => {
    const ids = ['car-1', 'car-10', 'car-2', 'Car-1', 'CAR-3', 'cat', 'ca', 'cars'];
    expect(assets('car', ids)).toEqual(['car-1', 'car-10', 'car-2', 'cars']);
    expect(assets('CAr', ids)).toEqual(['CAR-3', 'Car-1', 'car-1', 'car-10', 'car-2', 'cars']);
    expect(assets('cAR-', ids, 3)).toEqual(['CAR-3', 'Car-1', 'car-1']);
    expect(assets('cax', ids)).toEqual([]);
  });

  it('are the same as those of a search through all values', () => {
    const alphabet = ['a', 'A', 'b', 'B', 'ö', 'Ö', '1', '🚀', 'ß', 'ı'];
    let random = 7;
    const pick = (count: number): number => (random = (random * 1_103_515_245 + 12_345) % 2 ** 31) % count;
    const word = (length: number) => Array.from({ length }, () => alphabet[pick(alphabet.length)]!).join('');
    const same = (form: string, other: string) =>
      form === other || form.toLowerCase() === other || form.toUpperCase() === other;
    const beginsWith = (value: string, text: string) => {
      const characters = Array.from(value);
      return Array.from(text).every((form, index) => same(form, characters[index] ?? ''));
    };
    for (let round = 0; round < 300; round++) {
      const values = [...new Set(Array.from({ length: 40 }, () => word(1 + pick(4))))].sort(byBytes);
      const text = word(1 + pick(3));
      const exact = values.filter((value) => value.startsWith(text));
      const wanted = exact.length > 0 ? exact : values.filter((value) => beginsWith(value, text));
      expect(assets(text, values, 5)).toEqual(wanted.slice(0, 5));
    }
  });

  it('read once for each suggestion and each possible beginning, however many other values there are', () => {
    const ids = Array.from({ length: 2000 }, (_, n) => `asset-${n}`);
    expect(assets('asset-19', ids, 5)).toHaveLength(5);
    expect(reads).toBe(5);
    reads = 0;
    expect(assets('ASSET-1999', ids)).toEqual(['asset-1999']);
    expect(reads).toBeLessThan(12);
  });

  it('omit deleted assets, and stop after a bounded number of reads', () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `a${String(n).padStart(4, '0')}`);
    const deleted = ids.slice(0, 100);
    const search = (asset: ValueFrom) => suggestions({ text: 'a', limit: 2 }, sources({ asset }));
    expect(search(valuesOf(ids, deleted)).map(({ value }) => value)).toEqual(['a0100', 'a0101']);
    reads = 0;
    expect(search(valuesOf(ids, ids))).toEqual([]);
    expect(reads).toBeLessThanOrEqual(1001);
  });

  it('share the limit between the kinds', () => {
    const many = Array.from({ length: 20 }, (_, n) => `a${n}`);
    const found = suggestions(
      { text: 'a', limit: 7 },
      sources({ asset: valuesOf(many), owner: valuesOf(['ana']), caller: valuesOf(many) }),
    );
    expect(found.map(({ kind }) => kind)).toEqual(['asset', 'asset', 'asset', 'owner', 'caller', 'caller', 'caller']);
  });

  it('contain block numbers below the height, and transactions for hexadecimal digits', () => {
    const ids = (prefix: string) => [`${prefix}00`, `${prefix}ff`];
    const search = (text: string, height = 125) =>
      suggestions({ text, limit: 8 }, sources({}, { height, transactions: ids })).map(({ value }) => value);
    expect(search('12')).toEqual(['12', '120', '121', '122', '123', '124', '1200', '12ff']);
    expect(search('0', 1)).toEqual(['0', '000', '0ff']);
    expect(search('AB')).toEqual(['ab00', 'abff']);
    expect(search('xyz')).toEqual([]);
    expect(search('007')).toEqual(['00700', '007ff']);
  });

  it('contain blocks whose hashes begin with hexadecimal digits, each block once', () => {
    const blocks = (prefix: string) => [1, 2, 30].map((number) => ({ number, hash: `${prefix}${'0'.repeat(9)}` }));
    const search = (text: string) => suggestions({ text, limit: 8 }, sources({}, { height: 3, blocks }));
    const byHash = (number: number, hash: string) => ({ kind: 'block', value: String(number), hash });
    expect(search('AB')).toEqual([1, 2, 30].map((number) => byHash(number, 'ab000000000')));
    expect(search('2')).toEqual([{ kind: 'block', value: '2' }, byHash(1, '2000000000'), byHash(30, '2000000000')]);
    expect(search('0xab')).toEqual([]);
  });
});
