import { type GroupMember, PICKS } from './group-upstream.js';
import type { Upstream } from './upstream.js';
import { UpstreamHealth } from './upstream-health.js';

const QUERY = { target: { host: 'a.example', port: 443 }, client: { remoteAddress: '192.0.2.7' } };

function member(name: string): GroupMember & { readonly health: UpstreamHealth } {
  return { upstream: { name } as Upstream, health: new UpstreamHealth(name) };
}

const [a, b, c] = [member('a'), member('b'), member('c')];
const nameOf = (chosen: GroupMember | undefined) => chosen?.upstream.name;

describe('failover', () => {
  it('selects the first', () => {
    expect(PICKS.failover()([b, a], QUERY)).toBe(b);
  });
});

describe('roundrobin', () => {
  const askers = [
    QUERY,
    { ...QUERY, target: { host: 'a.example', port: 80 } },
    { ...QUERY, client: { remoteAddress: '192.0.2.8' } },
    { ...QUERY, client: { ...QUERY.client, user: 'ci' } },
  ];

  it('selects each in turn, and keeps a client and target on its member', () => {
    const robin = PICKS.roundrobin();
    const first = askers.map((query) => nameOf(robin([a, b, c], query)));
    expect(first).toEqual(['a', 'b', 'c', 'a']);
    expect(askers.map((query) => nameOf(robin([a, b, c], query)))).toEqual(first);
  });

  it('moves a target when its member is down, and leaves it there afterwards', () => {
    const robin = PICKS.roundrobin();
    expect(nameOf(robin([a, b], QUERY))).toBe('a');
    expect(nameOf(robin([b], QUERY))).toBe('b');
    expect(nameOf(robin([a, b], QUERY))).toBe('b');
  });

  it('remembers a bounded number of targets (LRU)', () => {
    const robin = PICKS.roundrobin();
    const ask = (port: number) => nameOf(robin([a, b], { ...QUERY, target: { host: 'a.example', port } }));
    expect([ask(1), ask(2)]).toEqual(['a', 'b']);
    for (let port = 3; port < 10_003; port += 1) ask(port);
    // Both were dropped: they are selected in turn again.
    expect([ask(2), ask(1)]).toEqual(['a', 'b']);
  });
});

describe('fastest', () => {
  it('selects the fastest, those without a measurement last, and stays until another one is clearly faster', () => {
    const [slow, fast, unknown] = [member('slow'), member('fast'), member('unknown')];
    const fastest = PICKS.fastest();
    const chosen = () => nameOf(fastest([slow, fast, unknown], QUERY));
    expect(chosen()).toBe('slow');
    slow.health.checkPassed(100);
    expect(chosen()).toBe('slow');
    fast.health.checkPassed(85);
    expect(chosen()).toBe('slow');
    for (let count = 0; count < 20; count += 1) fast.health.checkPassed(60);
    expect(chosen()).toBe('fast');
    for (let count = 0; count < 20; count += 1) slow.health.checkPassed(50);
    expect(chosen()).toBe('fast');
    for (let count = 0; count < 20; count += 1) slow.health.checkPassed(20);
    expect(chosen()).toBe('slow');
  });

  it('does not change for a few milliseconds, but does at once when its choice is missing', () => {
    const [one, other] = [member('one'), member('other')];
    const fastest = PICKS.fastest();
    one.health.checkPassed(5);
    other.health.checkPassed(1);
    expect(nameOf(fastest([one], QUERY))).toBe('one');
    expect(nameOf(fastest([one, other], QUERY))).toBe('one');
    expect(nameOf(fastest([other], QUERY))).toBe('other');
  });
});
