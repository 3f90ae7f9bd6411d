import { HostNames } from '../rules/host-names.js';
import type { Rule } from '../rules/rule.js';
import type { Upstream } from '../upstream/upstream.js';
import { Router } from './router.js';

const upstreams = new Map(['work', 'tor', 'direct'].map((name) => [name, { name } as Upstream]));
const ads: Rule = { hosts: new HostNames(['ads.example']), to: 'reject' };
const onions: Rule = { hosts: new HostNames(['*.onion']), to: 'tor' };
const local: Rule = { hosts: new HostNames(['a', 'b', 'c', 'd', 'e']), to: 'direct' };

function request(router: Router, host: string, via?: string): void {
  try {
    router.route({ target: { host, port: 80 }, client: {}, listener: via === undefined ? undefined : { via } });
  } catch {
    // It is rejected.
  }
}

describe('Router', () => {
  it('counts the requests that each rule decides, and those that no rule matches', () => {
    const router = new Router({ upstreams, rules: [ads, onions] });
    for (const host of ['ads.example', 'a.onion', 'b.onion', 'c.example']) request(router, host);
    // The upstream of a tunnel listener is not selected by a rule.
    request(router, 'a.onion', 'work');
    request(router, 'ads.example', 'work');
    expect(router.rules).toEqual({
      rules: [
        { number: 1, text: 'hosts ads.example to reject', to: 'reject', hits: 2 },
        { number: 2, text: 'hosts *.onion to tor', to: 'tor', hits: 2 },
      ],
      default: { to: 'work', hits: 1 },
    });
  });

  it('retains the counts of unchanged rules, wherever they are', () => {
    const router = new Router({ upstreams, rules: [ads, onions, ads] });
    for (const host of ['ads.example', 'a.onion', 'b.onion', 'c.example']) request(router, host);
    router.change({ upstreams, rules: [local, onions, ads] });
    expect(router.rules.rules.map(({ text, hits }) => [text, hits])).toEqual([
      ['hosts a b c d and 1 more to direct', 0],
      ['hosts *.onion to tor', 2],
      ['hosts ads.example to reject', 1],
    ]);
    expect(router.rules.default.hits).toBe(1);
  });

  it('states which rule rejects a request', () => {
    const router = new Router({ upstreams, rules: [onions, ads] });
    const facts = { detail: 'rule 2', rule: 2, ruleText: 'hosts ads.example to reject' };
    const rejected = expect.objectContaining({ facts }) as Error;
    expect(() => router.route({ target: { host: 'ads.example', port: 80 }, client: {} })).toThrow(rejected);
  });
});
