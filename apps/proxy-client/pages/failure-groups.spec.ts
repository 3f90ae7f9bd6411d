import type { FailureEntry, RejectedRequest } from './api.js';
import { categoryName, groupFailures } from './failure-groups.js';

const failure = (category: string, at: string, more: Partial<FailureEntry> = {}): FailureEntry => ({
  category,
  at,
  status: 502,
  hint: `about ${category}`,
  ...{ number: 1, detail: null, method: null, target: 'a:1', client: '10.0.0.1', user: null },
  ...{ upstream: 'work', rule: null },
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
    const b = { target: 'b:2', upstream: 'work', rule: null, client: '10.0.0.1', detail: null };
    expect(groupFailures({ failures, rejections: [] })).toEqual([
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
        sources: [{ ...b, target: 'a:1', client: 'ci', count: 1, at: '4' }],
      },
    ]);
    expect(groupFailures({ failures: [], rejections: [] })).toEqual([]);
  });

  it('lists a user once, from any number of addresses', () => {
    const failures = ['10.0.0.1', '10.0.0.2'].map((client) => failure('timeout', '1', { user: 'ci', client }));
    expect(groupFailures({ failures, rejections: [] })[0]?.sources).toMatchObject([{ client: 'ci', count: 2 }]);
  });

  it('lists the same target once for each upstream and rule', () => {
    const routes = [
      { upstream: 'work', rule: 1 },
      { upstream: 'work', rule: 2 },
      { upstream: null, rule: 2 },
    ];
    const failures = routes.map((route) => failure('timeout', '1', route));
    expect(groupFailures({ failures, rejections: [] })[0]?.sources).toMatchObject(routes);
  });

  it('lists rejected requests as their own group, with the number and the text of the rule', () => {
    const rejection: RejectedRequest = {
      ...{ number: 2, at: '9', category: 'rejected', rule: 3, rule_text: 'hosts ads.test to reject' },
      ...{ method: 'GET', target: 'ads.test:80', client: '10.0.0.1', user: null },
    };
    const groups = groupFailures({ failures: [failure('timeout', '1')], rejections: [rejection, rejection] });
    expect(groups.map(({ category, status, count }) => [category, status, count])).toEqual([
      ['timeout', 502, 1],
      ['rejected', null, 2],
    ]);
    expect(groups[1]?.sources).toEqual([
      {
        ...{ target: 'ads.test:80', upstream: null, rule: 3, client: '10.0.0.1' },
        ...{ detail: 'hosts ads.test to reject', count: 2, at: '9' },
      },
    ]);
  });

  it('formats categories', () => {
    const categories = ['upstream_unreachable', 'upstream_speaks_ssh', 'upstream_speaks_http', 'rejected'];
    expect(categories.map(categoryName)).toEqual([
      'Upstream unreachable',
      'Upstream speaks SSH',
      'Upstream speaks HTTP',
      'Rejected by a rule',
    ]);
  });
});
