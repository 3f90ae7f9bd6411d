import { RunningProxy } from '../proxy/testing/running-proxy.js';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { until } from '../../../../test/support/until.js';
import { FaultyServer } from '../upstream/testing/chain-peers.js';
import { requestTo, settled } from './testing/proxied.js';

const KIB = 1024;
/** Half of it may be held. */
const BUDGET = 8 * KIB;
/** What one client may still send: the reads that passed the limit. */
const READ = 2 * 16 * KIB;

describe('Forwarder: memory of bytes that are not needed yet', () => {
  it.each([
    ['for the next request', (origin: RawOrigin) => requestTo(origin)],
    ['for a tunnel', (origin: RawOrigin) => `CONNECT ${origin.authority} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['of a body', (origin: RawOrigin) => requestTo(origin, { method: 'POST', fields: 'Content-Length: 1000000\r\n' })],
  ])('reads no more %s when half of the budget is used, and subtracts it at the end', async (_what, request) => {
    const origin = await RawOrigin.start(() => undefined);
    const hanging = await FaultyServer.start('hang');
    await using proxy = await RunningProxy.start({
      sectionMemory: BUDGET,
      ...(_what !== 'for the next request' && {
        upstream: { kind: 'socks5', host: '127.0.0.1', port: hanging.port, handshake: 'stepwise', warm: 0 },
      }),
    });
    const client = await RawConnection.open(proxy.url);
    client.write(request(origin));
    if (_what === 'for the next request') await origin.side(0);
    client.write('GET / HTTP/1.1\r\nX: '.padEnd(200 * KIB, 'y'));
    await until(() => proxy.sections.used > BUDGET / 2);
    expect(await settled(() => proxy.sections.used)).toBeLessThan(READ);
    // Then the request fails.
    await origin[Symbol.asyncDispose]();
    await hanging[Symbol.asyncDispose]();
    await until(() => proxy.sections.used === 0);
    client.socket.destroy();
  });
});
