import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { killAndRevive } from '../support/proxy/kill-and-revive.js';
import { MortalUpstream } from '../support/proxy/mortal-upstream.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';
import { CountingOrigin, RequestLoad } from '../support/proxy/request-load.js';

let a: MortalUpstream;
let b: MortalUpstream;
let origin: CountingOrigin;

beforeAll(async () => {
  [a, b, origin] = await Promise.all([MortalUpstream.start(), MortalUpstream.start(), CountingOrigin.start()]);
});

afterAll(async () => {
  await Promise.all([a, b, origin].map((each) => each[Symbol.asyncDispose]()));
});

describe.each(['failover', 'roundrobin', 'fastest'])('a group that picks by %s, for a long time', (pick) => {
  it('loses and doubles nothing that has not reached a target, whichever member dies', async () => {
    await using proxy = await ProxyProgram.start({
      upstream: undefined,
      upstreams: {
        any: { of: ['a', 'b'], pick, check: { every: '200ms' } },
        a: { host: '127.0.0.1', port: a.port },
        b: { host: '127.0.0.1', port: b.port },
      },
      admin: { port: 0 },
    });
    const load = new RequestLoad(proxy.url, origin.host, 200);
    origin.seen.clear();
    await killAndRevive({ proxy, load, members: { a, b }, times: 3 });
    await load.end();
    expect(load.verdict(origin.seen)).toEqual({ lost: [], doubled: [] });
    expect(load.ends.length).toBeGreaterThan(500);
  });
});
