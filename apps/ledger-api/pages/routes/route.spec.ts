import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hrefOf, parseRoute, titleOf, type Route } from './route.js';

describe('parseRoute', () => {
  it('parses what hrefOf returned, for any text in ids and filters', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    const id = fc.constant('');
    const noQuery = fc.constant({});
    const channel = fc.constantFrom('', 'payments', 'a.b-c');
    const fixed = fc.constant('');
    const type = fc.constant('');
    const query = (...names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((name) => [name, text])), { requiredKeys: [] });
    const routes = fc.oneof(
      fc.record({ channel, type, page: fc.constant('overview'), id, query: noQuery }),
      fc.record({ channel: fixed, type, page: fc.constant('create'), id, query: query('id') }),
      fc.record({
        channel: fixed,
        type,
        page: fc.constantFrom('asset', 'update', 'transfer'),
        id: text,
        query: noQuery,
      }),
      fc.record({ channel, type, page: fc.constant('transaction'), id: text, query: noQuery }),
      fc.record({
        channel: fixed,
        type,
        page: fc.constant('assets'),
        id,
        query: query('owner', 'color', 'size', 'after'),
      }),
      fc.record({
        channel,
        type,
        page: fc.constant('transactions'),
        id,
        query: query('creator', 'function', 'before'),
      }),
      fc.record({ channel, type, page: fc.constant('blocks'), id, query: query('before') }),
      fc.record({ channel, type, page: fc.constant('block'), id: fc.nat().map(String), query: noQuery }),
      fc.record({ channel, type, page: fc.constant('record-types'), id, query: query('after') }),
      fc.record({ channel, type, page: fc.constant('define-record-type'), id, query: query('id') }),
      fc.record({ channel, type: text, page: fc.constant('create-record'), id, query: noQuery }),
      fc.record({ channel, type: text, page: fc.constant('update-record'), id: text, query: noQuery }),
      fc.record({ channel, type: text, page: fc.constant('record'), id: text, query: query('at', 'date') }),
      fc.record({
        ...{ channel, type: text, page: fc.constant('records'), id },
        query: query('after', 'where.user', 'where.a&b=c', 'where.ä.%'),
      }),
      fc.record({ channel, type, page: fc.constant('search'), id, query: query('q') }),
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
    ['#/unknown', 'unknown'],
    ['#/assets/%', 'unknown'],
    ['#/assets/a/b', 'unknown'],
    ['#/assets/a/update/b', 'unknown'],
    ['#/blocks/x', 'unknown'],
    ['#/blocks/1/2', 'unknown'],
    ['#/blocks/-1', 'unknown'],
    ['#/channels/payments', 'overview'],
    ['#/channels/payments/', 'overview'],
    ['#/channels/payments/blocks/7', 'block'],
    ['#/channels/payments/assets', 'unknown'],
    ['#/channels/payments/nowhere', 'unknown'],
    ['#/records/%/a', 'unknown'],
    ['#/records/login/a/b', 'unknown'],
    ['#/channels/payments/records/login', 'records'],
    ['#/records/login/update', 'record'],
    ['#/channels/Payments/blocks', 'unknown'],
    ['#/channels/', 'unknown'],
    ['#/channels', 'unknown'],
  ])('parses %s as the page %s', (fragment, page) => {
    expect(parseRoute(fragment).page).toBe(page);
  });

  it('ignores filters without a value', () => {
    expect(parseRoute('#/assets?owner=&color=red&other=1')).toMatchObject({ page: 'assets', query: { color: 'red' } });
  });

  it('links to the default channel for pages that other channels do not have', () => {
    expect(hrefOf({ channel: 'payments', page: 'blocks' })).toBe('#/channels/payments/blocks');
    expect(hrefOf({ channel: 'payments', page: 'asset', id: 'a' })).toBe('#/assets/a');
    expect(hrefOf({ channel: 'payments', page: 'verify' })).toBe('#/verify');
  });

  it('returns the URL of the overview for an unknown route', () => {
    expect(hrefOf({ page: 'unknown' })).toBe('#/');
  });

  it.each([
    ['#/assets', 'Assets'],
    ['#/assets/a%2Fb', 'a/b'],
    ['#/assets/a/update', 'Update a'],
    [`#/transactions/${'ab'.repeat(32)}`, 'Transaction abababab…ababab'],
    ['#/nowhere', 'Not found'],
  ])('has for %s the title %s', (fragment, title) => {
    expect(titleOf(parseRoute(fragment))).toBe(title);
  });
});
