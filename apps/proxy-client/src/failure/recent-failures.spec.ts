import { ProxyFailure } from './proxy-failure.js';
import { RecentFailures } from './recent-failures.js';

describe('RecentFailures', () => {
  it('names upstream and rule of each failure, and the rule that rejected a request', () => {
    const recent = new RecentFailures(() => 0);
    recent.add(new ProxyFailure('timeout'), { target: 'a:1', upstream: 'attic', rule: 2, user: 'ci' });
    recent.add(new ProxyFailure('rejected', { rule: 3, ruleText: 'hosts ads to reject' }), { target: 'ads:1' });
    recent.add(new ProxyFailure('own_address'), { target: '127.0.0.1:1' });
    recent.add(new ProxyFailure('loop'), {});
    expect(recent.since(0)).toMatchObject({
      failures: [
        { number: 4, category: 'loop', upstream: null, rule: null, target: null },
        { number: 1, category: 'timeout', upstream: 'attic', rule: 2, target: 'a:1', user: 'ci' },
      ],
      rejections: [
        { number: 3, category: 'own_address', rule: null, rule_text: null },
        { number: 2, category: 'rejected', rule: 3, rule_text: 'hosts ads to reject', target: 'ads:1' },
      ],
      latest: 4,
    });
    expect(recent.since(2)).toMatchObject({ failures: [{ number: 4 }], rejections: [{ number: 3 }] });
  });

  it('shows the text of a failure about which more is known than its category', () => {
    const recent = new RecentFailures();
    recent.add(new ProxyFailure('upstream_scheme', { text: 'Only NTLM.' }), {});
    expect(recent.since(0).failures).toMatchObject([{ hint: 'Only NTLM.' }]);
  });

  it('counts the last 60 seconds by category, the most frequent first', () => {
    let now = 1_000_000;
    const recent = new RecentFailures(() => now);
    const add = (category: 'timeout' | 'loop' | 'own_address', count: number) => {
      for (let index = 0; index < count; index += 1) recent.add(new ProxyFailure(category), {});
    };
    add('loop', 1);
    now += 30_000;
    add('loop', 1);
    add('timeout', 3);
    add('own_address', 2);
    const categories = [
      { category: 'timeout', count: 3 },
      { category: 'loop', count: 2 },
    ];
    expect(recent.since(0).last_minute).toEqual({ failures: 5, rejections: 2, categories });
    now += 31_000;
    expect(recent.since(0).last_minute.categories).toContainEqual({ category: 'loop', count: 1 });
    now += 60_000;
    expect(recent.since(0).last_minute).toEqual({ failures: 0, rejections: 0, categories: [] });
    expect(recent.since(0).failures).toHaveLength(5);
  });

  it('keeps 200 of each kind', () => {
    const recent = new RecentFailures();
    for (let index = 0; index < 300; index += 1) {
      recent.add(new ProxyFailure('loop'), {});
      recent.add(new ProxyFailure('own_address'), {});
    }
    const { failures, rejections, latest } = recent.since(0);
    expect([failures.length, rejections.length, latest]).toEqual([200, 200, 600]);
  });
});
