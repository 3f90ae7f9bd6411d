import type { FastifyReply } from 'fastify';
import {
  AFTER_ID,
  BEFORE_BLOCK,
  BEFORE_TRANSACTION,
  PageRequest,
  readTime,
  TIME_FILTERS,
  type PageRules,
} from './paging.js';

const ASSETS: PageRules<string, 'owner' | 'color'> = {
  cursor: AFTER_ID,
  most: 1000,
  filters: { owner: '', color: '' },
};
const COUNTED: PageRules<string> = { cursor: AFTER_ID, most: 1000, isCountable: true };
const read = (query: Record<string, unknown>) => new PageRequest(ASSETS, query);

describe('PageRequest', () => {
  it('means the whole list when there is no query', () => {
    expect(read({})).toEqual({ limit: 100, cursor: undefined, filters: {}, isCounted: false, isPlain: true });
  });

  it.each([
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '1000' }, { limit: 1000 }],
    [{ limit: '0010' }, { limit: 10 }],
    [{ after: AFTER_ID.write('asset1') }, { cursor: 'asset1' }],
    [
      { limit: '5', after: AFTER_ID.write('ünïcode/🚀') },
      { limit: 5, cursor: 'ünïcode/🚀' },
    ],
    [{ owner: 'Jin Soo' }, { filters: { owner: 'Jin Soo' } }],
    [
      { color: 'red', owner: '__proto__', limit: '3' },
      { limit: 3, filters: { owner: '__proto__', color: 'red' } },
    ],
  ])('reads %j', (query, page) => {
    expect(read(query)).toEqual({
      limit: 100,
      cursor: undefined,
      filters: {},
      isCounted: false,
      isPlain: false,
      ...page,
    });
  });

  it.each([
    [{ limit: '0' }, 'limit must be a whole number from 1 to 1000'],
    [{ limit: '1001' }, 'limit must be a whole number from 1 to 1000'],
    [{ limit: '-1' }, 'limit must'],
    [{ limit: '1.5' }, 'limit must'],
    [{ limit: '1e2' }, 'limit must'],
    [{ limit: ' 5' }, 'limit must'],
    [{ limit: '' }, 'limit must'],
    [{ limit: '99999999999999999999' }, 'limit must'],
    [{ limit: ['1', '2'] }, '"limit" appears more than once'],
    [{ after: '' }, 'after must be the token of a Link header'],
    [{ after: '!!!' }, 'after must'],
    [{ after: 'YXNzZXQx=' }, 'after must'],
    [{ after: 'YXNzZXQy_w' }, 'after must'],
    [{ after: 'YR' }, 'after must'],
    [{ after: ['YQ', 'YQ'] }, '"after" appears more than once'],
    [{ owner: '' }, 'owner must not be empty'],
    [{ owner: 'x'.repeat(4097) }, 'owner must not exceed 4096 bytes'],
    [{ owner: ['a', 'b'] }, '"owner" appears more than once'],
    [{ limt: '5' }, 'Unknown query parameter "limt"; use limit, after, owner and color.'],
    [{ before: '5' }, 'Unknown query parameter "before"'],
    [{ limit: '5', page: '2' }, 'Unknown query parameter "page"'],
    [{ __proto__x: '1' }, 'Unknown query parameter'],
    [{ constructor: '1' }, 'Unknown query parameter'],
  ])('refuses %j', (query, text) => {
    expect(() => read(query)).toThrow(text);
  });

  it('counts the matches of a list that can be counted, but not of a list as a whole', () => {
    expect(new PageRequest(COUNTED, {}).isCounted).toBe(false);
    const page = new PageRequest(COUNTED, { count: 'true' });
    expect([page.isCounted, page.isPlain, page.filters]).toEqual([true, false, {}]);
    expect(() => {
      page.requireWhole();
    }).toThrow('count does not apply to CSV');
    for (const count of ['', 'false', '1']) {
      expect(() => new PageRequest(COUNTED, { count })).toThrow('count must be true');
    }
    expect(() => new PageRequest(COUNTED, { count: ['true', 'true'] })).toThrow('"count" appears more than once');
    expect(() => read({ count: 'true' })).toThrow('Unknown query parameter "count"');
  });

  it.each(['0', '7', '007', '999999999999999'])('begins before block %s', (before) => {
    const { cursor } = new PageRequest({ cursor: BEFORE_BLOCK, most: 200 }, { before });
    expect(cursor).toBe(Number(before));
  });

  it.each(['', '-1', '1:2', '1.5', '9999999999999999', 'x', '1 '])('refuses the position block %j', (before) => {
    expect(() => new PageRequest({ cursor: BEFORE_BLOCK, most: 200 }, { before })).toThrow(
      'before must be the number of a block',
    );
  });

  it.each([
    ['7', { block: 7, position: 0 }],
    ['7:0', { block: 7, position: 0 }],
    ['7:12', { block: 7, position: 12 }],
  ])('begins before the place %s', (before, cursor) => {
    expect(new PageRequest({ cursor: BEFORE_TRANSACTION, most: 200 }, { before })).toMatchObject({
      cursor,
    });
  });

  it.each(['', ':', '7:', ':7', '7:1:1', '7:-1', '7:9999999999', '٧'])('refuses the position %j', (before) => {
    expect(() => new PageRequest({ cursor: BEFORE_TRANSACTION, most: 200 }, { before })).toThrow(
      'before must be a position in the chain',
    );
  });
});

describe('readTime', () => {
  it.each([
    ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00.000Z'],
    ['2026-11-21t12:00:00.5z', '2026-11-21T12:00:00.500Z'],
    ['2026-11-21T12:00:00.123000000Z', '2026-11-21T12:00:00.123Z'],
    ['2026-11-21T12:00:00.123000001Z', '2026-11-21T12:00:00.123000001Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['2026-01-01T00:30:00 01:00', '2025-12-31T23:30:00.000Z'],
    ['2025-12-31T23:30:00-09:30', '2026-01-01T09:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ])('reads %s as %s', (text, time) => {
    expect(readTime(text)).toBe(time);
    expect(readTime(time)).toBe(time);
  });

  it.each([
    '',
    '2026-11-21',
    '2026-11-21T12:00:00',
    '2026-11-21 12:00:00Z',
    '2026-11-21T12:00Z',
    '2026-02-30T12:00:00Z',
    '2025-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-11-21T24:00:00Z',
    '2026-11-21T12:60:00Z',
    '2026-11-21T12:00:60Z',
    '2026-11-21T12:00:00.Z',
    '2026-11-21T12:00:00.1234567890Z',
    '2026-11-21T12:00:00+24:00',
    '2026-11-21T12:00:00+01:60',
    '2026-11-21T12:00:00+0100',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+012026-11-21T12:00:00Z',
    'now',
  ])('refuses %j', (text) => {
    expect(readTime(text)).toBeUndefined();
  });

  it('is the form of since and until', () => {
    const rules = { cursor: BEFORE_BLOCK, most: 200, filters: TIME_FILTERS };
    const { filters } = new PageRequest(rules, { since: '2026-11-21T13:00:00+01:00' });
    expect(filters).toEqual({ since: '2026-11-21T12:00:00.000Z' });
    expect(() => new PageRequest(rules, { until: 'now' })).toThrow('until must be a time in RFC 3339');
    expect(() => new PageRequest(rules, { until: ['now', 'now'] })).toThrow('"until" appears more than once');
  });
});

describe('linkNext', () => {
  const link = (url: string, filters: { owner?: string; color?: string }, next: string | undefined) => {
    const headers = new Map<string, string>();
    const reply = { request: { url }, header: (name: string, value: string) => headers.set(name, value) };
    read({ limit: '5', ...filters }).linkNext(reply as unknown as FastifyReply, next);
    return headers.get('link');
  };

  it('names the next page with all that narrows the list down', () => {
    expect(link('/api/v1/assets?limit=9', {}, 'a')).toBe('</api/v1/assets?limit=5&after=YQ>; rel="next"');
    expect(link('/a?x', { owner: 'Jin & Söhne>', color: '=' }, 'a')).toBe(
      '</a?owner=Jin%20%26%20S%C3%B6hne%3E&color=%3D&limit=5&after=YQ>; rel="next"',
    );
  });

  it('has no link on the last page', () => {
    expect(link('/a', {}, undefined)).toBeUndefined();
  });
});
