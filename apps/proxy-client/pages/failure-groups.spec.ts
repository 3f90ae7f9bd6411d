import type { FailureEntry } from './api.js';
import { categoryName, groupFailures } from './failure-groups.js';

const failure = (category: string, at: string, more: Partial<FailureEntry> = {}): FailureEntry => ({
  category,
  at,
  status: 502,
  hint: `about ${category}`,
  ...{ detail: null, method: null, target: 'a:1', client: '10.0.0.1', user: null },
  ...more,
});

describe('groupFailures', () => {
  it('lists each category once, and each source in it, sorted by the latest failure', () => {
    const failures = [
      failure('timeout', '5', { target: 'b:2' }),
      failure('loop', '4', { user: 'ci' }),
      failure('timeout', '3'),
      failure('timeout', '2', { target: 'b:2' }),
      failure('timeout', '1', { target: 'b:2', user: 'ci' }),
    ];
    const b = { target: 'b:2', client: '10.0.0.1', detail: null };
    expect(groupFailures(failures)).toEqual([
      {
        ...{ category: 'timeout', hint: 'about timeout', status: 502, count: 4 },
        sources: [
          { ...b, count: 2, at: '5' },
          { ...b, target: 'a:1', count: 1, at: '3' },
          { ...b, client: 'ci', count: 1, at: '1' },
        ],
      },
      {
        ...{ category: 'loop', hint: 'about loop', status: 502, count: 1 },
        sources: [{ target: 'a:1', client: 'ci', detail: null, count: 1, at: '4' }],
      },
    ]);
    expect(groupFailures([])).toEqual([]);
  });

  it('lists a user once, from any number of addresses', () => {
    const failures = ['10.0.0.1', '10.0.0.2'].map((client) => failure('timeout', '1', { user: 'ci', client }));
    expect(groupFailures(failures)[0]?.sources).toEqual([
      { target: 'a:1', client: 'ci', detail: null, count: 2, at: '1' },
    ]);
  });

  it('formats categories', () => {
    expect(['upstream_unreachable', 'upstream_speaks_ssh', 'upstream_speaks_http'].map(categoryName)).toEqual([
      'Upstream unreachable',
      'Upstream speaks SSH',
      'Upstream speaks HTTP',
    ]);
  });
});
