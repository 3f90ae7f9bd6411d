import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressOf, placeOf, type Place } from './place.js';

describe('placeOf', () => {
  it('gives back what addressOf made, whatever an id or a filter holds', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    const filters = (names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
    const place = fc.oneof(
      fc.constant<Place>({ page: 'overview' }),
      fc.record({ page: fc.constant('create'), id: text }, { requiredKeys: ['page'] }),
      fc.record({ page: fc.constantFrom('asset', 'update', 'transfer'), id: text }),
      fc.record({ page: fc.constant('assets'), query: filters(['owner', 'color', 'size', 'after']) }),
      fc.record({ page: fc.constant('transactions'), query: filters(['creator', 'function', 'before']) }),
      fc.record({ page: fc.constant('blocks'), before: text }, { requiredKeys: ['page'] }),
      fc.record({ page: fc.constant('block'), number: fc.nat() }),
      fc.record({ page: fc.constant('transaction'), id: text }),
      fc.record({ page: fc.constant('search'), text }),
    ) as fc.Arbitrary<Place>;
    fc.assert(
      fc.property(place, (there) => {
        expect(placeOf(addressOf(there))).toEqual(there);
        // What a browser makes of it in its address bar means the same.
        expect(placeOf(new URL(addressOf(there), 'http://127.0.0.1/').hash)).toEqual(there);
      }),
    );
  });

  it.each([
    ['', 'overview'],
    ['#', 'overview'],
    ['#/', 'overview'],
    ['#/nowhere', 'unknown'],
    ['#/assets/%', 'unknown'],
    ['#/assets/a/b', 'unknown'],
    ['#/assets/a/update/b', 'unknown'],
    ['#/blocks/x', 'unknown'],
    ['#/blocks/1/2', 'unknown'],
    ['#/blocks/-1', 'unknown'],
  ])('takes %s for the page %s', (fragment, page) => {
    expect(placeOf(fragment).page).toBe(page);
  });

  it('takes a filter without a value for none', () => {
    expect(placeOf('#/assets?owner=&color=red&other=1')).toEqual({ page: 'assets', query: { color: 'red' } });
  });

  it('has an address for what it does not know too', () => {
    expect(addressOf({ page: 'unknown' })).toBe('#/');
  });
});
