import { testGate } from './gate/testing/gate.js';
import { HostNames } from './rules/host-names.js';
import type { Rule } from './rules/rule.js';
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
    const router = new Router({ upstreams, rules: [ads, onions] }, testGate());
    for (const host of ['ads.example', 'a.onion', 'b.onion', 'c.example']) request(router, host);
    // The upstream of a tunnel listener is not selected by a rule.
    request(router, 'a.onion', 'work');
    request(router, 'ads.example', 'work');
    expect(router.rules).toEqual({
      rules: [
        { number: 1, text: 'hosts ads.example to reject', to: 'reject', hits: 2 },
        { number: 2, text: 'hosts *.onion to tor', to: 'tor', hits: 2 },
      ],
      lists: [],
      default: { to: 'work', hits: 1 },
    });
  });

  it('retains the counts of unchanged rules, wherever they are', () => {
    const router = new Router({ upstreams, rules: [ads, onions, ads] }, testGate());
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
    const router = new Router({ upstreams, rules: [onions, ads] }, testGate());
    const refusal =
      'Refused by rule 2 of this proxy. Only a change of its rules allows this destination: ask its operator.';
    const facts = { detail: 'rule 2', rule: 2, ruleText: 'hosts ads.example to reject', refusal };
    const rejected = expect.objectContaining({ facts }) as Error;
    expect(() => router.route({ target: { host: 'ads.example', port: 80 }, client: {} })).toThrow(rejected);
  });

  describe('under default: reject', () => {
    const sources = { upstreams, rules: [onions, ads], rejectsByDefault: true };
    const target = { host: 'c.example', port: 443 };

    it('refuses what no rule names, and names what would allow it', () => {
      const gate = testGate();
      const router = new Router(sources, gate);
      expect(router.route({ target: { host: 'a.onion', port: 80 }, client: {} })).toMatchObject({
        name: 'tor',
        rule: 1,
      });
      expect(() => router.route({ target, client: {} })).toThrow(
        expect.objectContaining({
          facts: {
            detail: 'default: reject',
            refusal:
              'Refused: no rule of this proxy allows c.example:443 (default: reject). ' +
              'To ask, have its operator run: proxy-client allow c.example:443 --for 1h',
          },
        }) as Error,
      );
      expect(router.rules.default).toEqual({ to: 'reject', hits: 1 });
      expect(gate.denials.list('work')).toMatchObject([{ target: 'c.example:443', rule: null, count: 1 }]);
    });

    it('sends what a grant allows to the first upstream, without a rule', () => {
      const gate = testGate();
      const router = new Router(sources, gate);
      gate.grants.add({ host: 'c.example', port: 443 }, 60_000, 'here');
      expect(router.route({ target, client: {} })).toEqual({
        ...{ upstream: upstreams.get('work'), name: 'work', rule: undefined, isGranted: true },
      });
      expect(() => router.route({ target: { ...target, port: 80 }, client: {} })).toThrow();
      gate.grants.close();
    });

    it('lets no grant override a rule to reject', () => {
      const gate = testGate();
      const router = new Router(sources, gate);
      gate.grants.add({ host: '*.example', port: 80 }, 60_000, 'here');
      expect(() => router.route({ target: { host: 'ads.example', port: 80 }, client: {} })).toThrow();
      expect(gate.denials.list('work')).toMatchObject([{ rule: 2, command: null }]);
      gate.grants.close();
    });

    it('does not apply to a tunnel, whose target the configuration names', () => {
      const router = new Router(sources, testGate());
      expect(router.route({ target, client: {}, listener: { via: 'work' } })).toMatchObject({ name: 'work' });
    });
  });
});
