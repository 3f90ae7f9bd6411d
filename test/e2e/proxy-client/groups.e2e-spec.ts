import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MortalUpstream } from '../../support/proxy/mortal-upstream.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { CountingOrigin, RequestLoad } from '../../support/proxy/request-load.js';
import { killAndRevive, stateOf } from '../../support/proxy/kill-and-revive.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

let a: MortalUpstream;
let b: MortalUpstream;
let origin: CountingOrigin;
let proxy: RunningProxy;

beforeAll(async () => {
  [a, b, origin] = await Promise.all([MortalUpstream.start(), MortalUpstream.start(), CountingOrigin.start()]);
  proxy = await ProxyProgram.start({
    upstream: undefined,
    upstreams: {
      any: { of: ['a', 'b'], pick: 'failover', check: { every: '200ms' } },
      a: { host: '127.0.0.1', port: a.port },
      b: { host: '127.0.0.1', port: b.port },
    },
    admin: { port: 0 },
    // A busy machine serves no one for a while, which is not a member's failure.
    timeouts: { handshake: '60s' },
  });
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await Promise.all([a, b, origin].map((each) => each[Symbol.asyncDispose]()));
});

describe('a group of upstreams', () => {
  it('loses and doubles nothing that has not reached a target when its members are killed and come back', async () => {
    const load = new RequestLoad(proxy.url, origin.host, 64);
    await killAndRevive({ proxy, load, members: { a }, times: 1 });
    await load.end();
    expect(load.verdict(origin.seen)).toEqual({ lost: [], doubled: [] });
    expect(load.ends.length).toBeGreaterThanOrEqual(180);
  });

  it('continues a download while another member is killed', async () => {
    const tunnel = await RawConnection.open(proxy.url);
    await tunnel.write(`CONNECT ${origin.host} HTTP/1.1\r\nHost: ${origin.host}\r\n\r\n`).until('\r\n\r\n');
    await b.kill();
    await until(async () => (await stateOf(proxy, 'b')) === 'down');
    await tunnel.write(`GET /download HTTP/1.1\r\nHost: ${origin.host}\r\n\r\n`).until('/download');
    tunnel.socket.destroy();
    await b.revive();
  });

  it('is ready as long as one of them works', async () => {
    const ready = async () => (await fetch(`${proxy.admin!}/readyz`)).status;
    expect(await ready()).toBe(200);
    await Promise.all([a.kill(), b.kill()]);
    await until(async () => (await ready()) === 503);
    const answer = await fetch(`${proxy.url}/health`);
    expect(answer.status).toBe(200);
    await Promise.all([a.revive(), b.revive()]);
    await until(async () => (await ready()) === 200);
    await until(async () => (await stateOf(proxy, 'a')) === 'up');
  });
});
