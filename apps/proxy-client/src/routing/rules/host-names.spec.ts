import fc from 'fast-check';
import { HostNames, readNamePattern } from './host-names.js';

/** Returns whether one of the patterns, compared one by one, matches the name. */
function isOneOf(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => {
    if (pattern === '<local>') return !name.includes('.');
    const isNamed = pattern === name || (pattern.startsWith('+.') && name === pattern.slice(2));
    return pattern === '*' || isNamed || (/^[*+]\./.test(pattern) && name.endsWith(pattern.slice(1)));
  });
}

describe('HostNames', () => {
  const patterns = ['intranet', '*.corp.example', 'BÜCHER.example.', '*.Ünder.example'].map((text) =>
    readNamePattern(text)!,
  );
  const names = new HostNames(patterns);

  it.each([
    ['intranet', true],
    ['a.corp.example', true],
    ['a.b.corp.example', true],
    ['corp.example', false],
    ['xcorp.example', false],
    ['a.intranet', false],
    ['xn--bcher-kva.example', true],
    ['a.xn--nder-zra.example', true],
    ['', false],
  ])('has %s: %s', (name, expected) => {
    expect(names.has(name)).toBe(expected);
  });

  it('has every name where a pattern is *, and none where there is no pattern', () => {
    expect(new HostNames(['a', '*']).has('anything')).toBe(true);
    expect(new HostNames([]).has('')).toBe(false);
  });

  it('agrees with its patterns about names that are alike', () => {
    // Few letters and labels, so that names are often below each other, or nearly the same.
    const label = fc.string({ unit: fc.constantFrom('a', 'b', '-'), minLength: 1, maxLength: 3 });
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const pattern = fc.oneof(
      { weight: 50, arbitrary: name },
      { weight: 50, arbitrary: name.map((each) => `*.${each}`) },
      { weight: 20, arbitrary: name.map((each) => `+.${each}`) },
      fc.constantFrom('*', '<local>'),
    );
    const asked = fc.oneof(
      name,
      fc.string({ unit: 'binary', maxLength: 8 }),
      name.map((each) => `.${each}.`),
    );
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 60 }), fc.array(asked, { maxLength: 60 }), (patterns, others) => {
        const made = new HostNames(patterns);
        expect([...others, ...patterns].filter((each) => made.has(each) !== isOneOf(patterns, each))).toEqual([]);
        expect([...made].toSorted()).toEqual([...new Set(patterns)].toSorted());
        expect(made.size).toBe(new Set(patterns).size);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['localhost', true],
    ['printer', true],
    ['3com', true],
    ['a.b', false],
    ['::1', false],
    ['2130706433', false],
    ['0x7f000001', false],
  ])('has %s among <local>: %s', (name, expected) => {
    expect(new HostNames(['<local>']).has(name)).toBe(expected);
  });

  it('names no host by <local> or *, which must not open this machine', () => {
    expect(new HostNames(['<local>', '*']).names('localhost')).toBe(false);
  });

  it('distinguishes 100,000 names from others and from longer names', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => `${index % 2 ? '*.' : ''}host${index}.ads.example`);
    const made = new HostNames(many);
    expect(many.filter((pattern, index) => !made.has(index % 2 ? `a.${pattern.slice(2)}` : pattern))).toEqual([]);
    expect(many.filter((pattern, index) => made.has(index % 2 ? pattern.slice(2) : `a.${pattern}`))).toEqual([]);
    // The text of the first MiB only, for the script of browsers.
    expect([...made].length).toBeGreaterThan(40_000);
    expect([...made]).toEqual(many.slice(0, [...made].length));
    expect(made.size).toBe(many.length);
    const long = `${'a.'.repeat(300)}host1.ads.example`;
    expect([made.has(long), made.has(`a${long}`), made.has('a'.repeat(300))]).toEqual([true, true, false]);
  });
});

describe('readNamePattern', () => {
  it.each([
    '',
    '*.',
    '*.*.a',
    'a.*',
    'a b',
    'http://a',
    'a/b',
    'a:80',
    'a..b',
    '.a',
    `${'a'.repeat(64)}.b`,
    'a@b',
    '10.0.0.0/8',
  ])('refuses %j', (text) => {
    expect(readNamePattern(text)).toBeUndefined();
  });
});
