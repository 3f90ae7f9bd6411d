import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hrefOf, parseRoute, type Route } from './route.js';

describe('parseRoute', () => {
  it('parses what hrefOf returned, for any text in ids and filters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    const filters = (names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
    const routes = fc.oneof(
      fc.constant<Route>({ page: 'overview' }),
      fc.record({ page: fc.constant('create'), id: text }, { requiredKeys: ['page'] }),
      fc.record({ page: fc.constantFrom('asset', 'update', 'transfer'), id: text }),
      fc.record({ page: fc.constant('assets'), query: filters(['owner', 'color', 'size', 'after']) }),
      fc.record({ page: fc.constant('transactions'), query: filters(['creator', 'function', 'before']) }),
      fc.record({ page: fc.constant('blocks'), before: text }, { requiredKeys: ['page'] }),
      fc.record({ page: fc.constant('block'), number: fc.nat() }),
      fc.record({ page: fc.constant('transaction'), id: text }),
      fc.record({ page: fc.constant('search'), text }),
    ) as fc.Arbitrary<Route>;
    fc.assert(
      fc.property(routes, (route) => {
        expect(parseRoute(hrefOf(route))).toEqual(route);
        // The URL as a browser normalizes it is equivalent.
        expect(parseRoute(new URL(hrefOf(route), 'http://127.0.0.1/').hash)).toEqual(route);
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
  ])('parses %s as the page %s', (fragment, page) => {
    expect(parseRoute(fragment).page).toBe(page);
  });

  it('ignores filters without a value', () => {
    expect(parseRoute('#/assets?owner=&color=red&other=1')).toEqual({ page: 'assets', query: { color: 'red' } });
  });

  it('returns the URL of the overview for an unknown route', () => {
    expect(hrefOf({ page: 'unknown' })).toBe('#/');
  });
});
