import type { FailureEntry, UpstreamStatus } from './api.js';
import { problemsOf } from './problems.js';

const NOW = new Date(2026, 10, 23, 14, 5, 30).getTime();
const before = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
const upstream = (name: string, more: Partial<UpstreamStatus> = {}) =>
  ({ name, state: 'up', suspect: false, since: before(150), ...more }) as UpstreamStatus;
const failure = (category: string, seconds: number) => ({ category, at: before(seconds) }) as FailureEntry;
const texts = (upstreams: readonly UpstreamStatus[], failures: readonly FailureEntry[]): string[] =>
  problemsOf(upstreams, failures, NOW).map(({ text }) => text);

describe('problemsOf', () => {
  it('reports upstreams that are down, then the failures of the last minute', () => {
    const failures = ['timeout', 'loop', 'timeout'].map((category) => failure(category, 59));
    expect(texts([upstream('attic', { state: 'down' }), upstream('cellar')], failures)).toEqual([
      'attic has been down since 14:03',
      '3 failures of 2 kinds in the last minute',
    ]);
  });

  it('reports nothing while everything works, and does not count older failures', () => {
    expect(texts([upstream('attic'), upstream('tor', { state: 'unknown' })], [failure('timeout', 61)])).toEqual([]);
  });

  it('names the only kind of failures', () => {
    expect(texts([], [failure('upstream_unreachable', 5)])).toEqual([
      '1 failure (upstream unreachable) in the last minute',
    ]);
  });

  it('adds the date to a time before today', () => {
    const since = new Date(2026, 10, 21, 9, 7).toISOString();
    expect(texts([upstream('attic', { state: 'down', since })], [])).toEqual([
      'attic has been down since 2026-11-21 09:07',
    ]);
  });

  it('reports an upstream that accepts connections but does not answer', () => {
    expect(texts([upstream('tor', { suspect: true })], [])).toEqual([
      'tor accepts connections but does not answer requests',
    ]);
  });

  it('names at most three upstreams', () => {
    const down = ['a', 'b', 'c', 'd', 'e'].map((name) => upstream(name, { state: 'down' }));
    expect(texts(down, []).at(-1)).toBe('2 more upstreams do not work');
    expect(texts(down.slice(0, 4), []).slice(2)).toEqual([
      'c has been down since 14:03',
      '1 more upstream does not work',
    ]);
  });
});
