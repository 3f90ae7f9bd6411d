import fc from 'fast-check';
import { Kind, NameSet } from './name-set.js';

type Entry = readonly [name: string, kind: Kind];

function setOf(entries: Iterable<Entry>): NameSet {
  const set = new NameSet();
  for (const [name, kind] of entries) set.add(name, kind);
  set.indexNow();
  return set;
}

/** What a set should find, computed in the simplest way. */
function expected(entries: readonly Entry[], requestedTarget: string): number {
  const isBelow = (name: string): boolean => requestedTarget.endsWith(`.${name}`);
  const matches = ([name, kind]: Entry): boolean => {
    switch (kind) {
      case Kind.exact:
        return requestedTarget === name;
      case Kind.below:
        return isBelow(name);
      case Kind.both:
      case Kind.important:
        return requestedTarget === name || isBelow(name);
      case Kind.oneLevel:
        return isBelow(name) && !requestedTarget.slice(0, -name.length - 1).includes('.');
    }
  };
  const found = entries.filter(matches);
  return Math.max(0, ...found.map(([name, kind]) => (kind === Kind.important ? Infinity : name.length)));
}

describe('NameSet', () => {
  it('finds what a comparison with each entry finds', () => {
    const label = fc.constantFrom('a', 'b', 'ab', 'ads', 'x'.repeat(63), '-', '_1');
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.').slice(0, 253));
    const entry = fc.tuple(name, fc.constantFrom(...Object.values(Kind)));
    const strange = fc.oneof(name, fc.constantFrom('', '.', 'a.', '.a', 'ä.a', 'ä.b.a', `${'a.'.repeat(200)}b`));
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 30 }),
        fc.array(strange, { maxLength: 30 }),
        (entries, requestedTarget) => {
          const set = setOf(entries);
          for (const each of [...requestedTarget, ...entries.map(([known]) => `a.${known}`)]) {
            // A name that ends with a dot is not in canonical form: its parts after the dot are not looked up.
            if (!each.endsWith('.')) expect([each, set.find(each)]).toEqual([each, expected(entries, each)]);
          }
          expect(set.size).toBe(new Set(entries.map((each) => each.join(' '))).size);
        },
      ),
    );
  });

  it('finds each of many names, and no other', () => {
    const count = 200_000;
    const set = setOf(Array.from({ length: count }, (_, index): Entry => [`host-${index}.example`, Kind.exact]));
    let found = 0;
    for (let index = 0; index < 2 * count; index += 1) if (set.find(`host-${index}.example`) > 0) found += 1;
    expect([found, set.size]).toEqual([count, count]);
  });

  it('merges the kinds of a name', () => {
    const set = setOf([
      ['a.example', Kind.exact],
      ['a.example', Kind.below],
      ['a.example', Kind.below],
    ]);
    expect([set.size, set.find('a.example'), set.find('x.a.example'), set.find('example')]).toEqual([2, 9, 9, 0]);
  });

  it('refuses names after its index was built, which would be lost', () => {
    const set = setOf([['a', Kind.exact]]);
    expect(() => {
      set.add('b', Kind.exact);
    }).toThrow('The set is indexed already.');
  });

  it('finds nothing before its index is built', () => {
    const set = new NameSet();
    set.add('a', Kind.exact);
    expect([set.find('a'), new NameSet().find('a')]).toEqual([0, 0]);
  });

  it('is indexed in steps', () => {
    const set = new NameSet();
    for (let index = 0; index < 20_000; index += 1) set.add(`a${index}`, Kind.exact);
    expect([...set.index()]).toHaveLength(2);
    expect([...set.index()]).toHaveLength(0);
  });

  it.each([
    ['ads.example', true],
    [`${'a'.repeat(63)}.b`, true],
    [`${'a'.repeat(64)}.b`, false],
    ['localhost', false],
    ['a..b', false],
    ['.a.b', false],
    ['a.b.', false],
    ['A.b', false],
    ['a.b\u00fc', false],
    [`${'a.'.repeat(126)}b`, true],
    [`${'a.'.repeat(127)}b`, false],
    ['', false],
  ])('adds the bytes of %s as the same text, if they are a name: %s', (text, expected) => {
    const set = new NameSet();
    const bytes = Buffer.from(`0.0.0.0 ${text}\r\n`);
    expect(set.addBytes(bytes, 8, bytes.length - 2, Kind.both)).toBe(expected);
    set.indexNow();
    expect([set.find(text), set.size]).toEqual([expected ? text.length : 0, Number(expected)]);
  });
});
