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
  it('tells of each kind once, and of each place in it, in the order of the latest', () => {
    const failures = [
      failure('timeout', '5', { target: 'b:2' }),
      failure('loop', '4', { user: 'ci' }),
      failure('timeout', '3'),
      failure('timeout', '2', { target: 'b:2' }),
      failure('timeout', '1', { target: 'b:2', user: 'ci' }),
    ];
    const b = { target: 'b:2', who: '10.0.0.1', detail: null };
    expect(groupFailures(failures)).toEqual([
      {
        ...{ category: 'timeout', hint: 'about timeout', status: 502, times: 4 },
        places: [
          { ...b, times: 2, at: '5' },
          { ...b, target: 'a:1', times: 1, at: '3' },
          { ...b, who: 'ci', times: 1, at: '1' },
        ],
      },
      {
        ...{ category: 'loop', hint: 'about loop', status: 502, times: 1 },
        places: [{ target: 'a:1', who: 'ci', detail: null, times: 1, at: '4' }],
      },
    ]);
    expect(groupFailures([])).toEqual([]);
  });

  it('tells of a user once, from however many addresses', () => {
    const failures = ['10.0.0.1', '10.0.0.2'].map((client) => failure('timeout', '1', { user: 'ci', client }));
    expect(groupFailures(failures)[0]?.places).toEqual([{ target: 'a:1', who: 'ci', detail: null, times: 2, at: '1' }]);
  });

  it('names kinds as people do', () => {
    expect(['upstream_unreachable', 'upstream_speaks_ssh', 'upstream_speaks_http'].map(categoryName)).toEqual([
      'Upstream unreachable',
      'Upstream speaks SSH',
      'Upstream speaks HTTP',
    ]);
  });
});
