import { LocalSocks5Server } from '#socks5-protocol/testing';
import { chaos, COUNTABLE, EchoTarget, SOCKS5 } from './testing/chaos.js';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { until } from '../../../../test/support/until.js';
import { RunningProxy } from '../proxy/testing/running-proxy.js';

describe('500 connections of misbehaving clients', () => {
  it.each([
    ['HTTP', 'oneflight', undefined],
    ['HTTP', 'stepwise', undefined],
    ['SOCKS5', 'oneflight', SOCKS5],
  ] as const)('all close, and are counted to the byte (%s, upstream %s)', async (_, handshake, protocol) => {
    const socks = new LocalSocks5Server();
    await socks.listen();
    await using target = await EchoTarget.start();
    {
      await using proxy = await RunningProxy.start({
        upstream: { kind: 'socks5', ...socks.address, handshake, warm: handshake === 'stepwise' ? 4 : 0 },
        listener: { mode: protocol === undefined ? 'http' : 'mixed' },
      });
      const ports = {
        proxyPort: proxy.port,
        targetPort: target.port,
        closedPort: CLOSED_PORT,
        ...(protocol && { protocol }),
      };
      await chaos(COUNTABLE, 400, 50, ports);
      await until(() => proxy.open === 0);
      const { activeConnections, bytesSent, bytesReceived } = proxy.stats.snapshot();
      expect({ activeConnections, bytesSent, bytesReceived }).toEqual({
        activeConnections: 0,
        bytesSent: target.received,
        bytesReceived: target.sent,
      });
      await chaos(['reset-during', 'reset-by-target', 'unfinished'], 100, 50, ports);
      await until(() => proxy.open === 0);
      expect(proxy.stats.snapshot().activeConnections).toBe(0);
    }
    await socks.close();
  });
});
