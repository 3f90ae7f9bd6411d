import type { FailureEntry } from './api.js';
import { categoryName, groupFailures } from './failure-groups.js';

const failure = (category: string, at: string): FailureEntry => ({
  category,
  at,
  status: 502,
  hint: `about ${category}`,
  ...{ detail: null, method: null, target: null, client: null, user: null },
});

describe('groupFailures', () => {
  it('tells of each kind once, in the order of the latest', () => {
    const [one, two, three] = [failure('timeout', '3'), failure('loop', '2'), failure('timeout', '1')];
    expect(groupFailures([one, two, three])).toEqual([
      { category: 'timeout', hint: 'about timeout', status: 502, failures: [one, three] },
      { category: 'loop', hint: 'about loop', status: 502, failures: [two] },
    ]);
  });

  it('names kinds as people do', () => {
    expect(['upstream_unreachable', 'upstream_speaks_ssh', 'upstream_speaks_http'].map(categoryName)).toEqual([
      'Upstream unreachable',
      'Upstream speaks SSH',
      'Upstream speaks HTTP',
    ]);
  });
});
