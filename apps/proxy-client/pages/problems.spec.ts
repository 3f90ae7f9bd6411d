import type { LastMinute, UpstreamStatus } from './api.js';
import { problemsOf } from './problems.js';

const NOW = new Date(2026, 10, 23, 14, 5, 30).getTime();
const SINCE = new Date(NOW - 150_000).toISOString();
const upstream = (name: string, more: Partial<UpstreamStatus> = {}) =>
  ({ name, suspect: false, down_since: null, ...more }) as UpstreamStatus;
const minute = (failures: number, ...categories: string[]): LastMinute => ({
  ...{ failures, rejections: 7 },
  categories: categories.map((category) => ({ category, count: 1 })),
});
const texts = (upstreams: readonly UpstreamStatus[], lastMinute = minute(0)): string[] =>
  problemsOf(upstreams, lastMinute, NOW).map(({ text }) => text);

describe('problemsOf', () => {
  it('reports upstreams that are down, then the failures of the last minute', () => {
    const upstreams = [upstream('attic', { down_since: SINCE }), upstream('cellar')];
    expect(texts(upstreams, minute(115, 'timeout', 'loop', 'a', 'b', 'c'))).toEqual([
      'attic has been down since 14:03',
      '115 failures of 5 kinds in the last minute',
    ]);
  });

  it('reports nothing while everything works; rejected requests are no problem', () => {
    expect(texts([upstream('attic'), upstream('tor')])).toEqual([]);
  });

  it('names the only kind of failures', () => {
    expect(texts([], minute(1, 'upstream_unreachable'))).toEqual([
      '1 failure (upstream unreachable) in the last minute',
    ]);
  });

  it('adds the date to a time before today', () => {
    const since = new Date(2026, 10, 21, 9, 7).toISOString();
    expect(texts([upstream('attic', { down_since: since })])).toEqual(['attic has been down since 2026-11-21 09:07']);
  });

  it('reports an upstream that accepts connections but does not answer', () => {
    expect(texts([upstream('tor', { suspect: true })])).toEqual([
      'tor accepts connections but does not answer requests',
    ]);
  });

  it('names at most three upstreams', () => {
    const down = ['a', 'b', 'c', 'd', 'e'].map((name) => upstream(name, { down_since: SINCE }));
    expect(texts(down).at(-1)).toBe('2 more upstreams do not work');
    expect(texts(down.slice(0, 4)).slice(2)).toEqual(['c has been down since 14:03', '1 more upstream does not work']);
  });
});
