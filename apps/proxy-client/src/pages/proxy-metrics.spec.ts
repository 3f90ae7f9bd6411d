import { createMetricsRegistry, ProxyStats } from '#metrics';
import { registerProxyStats } from './proxy-metrics.js';

describe('registerProxyStats', () => {
  it('exports each counter with its value at the scrape', async () => {
    const registry = await createMetricsRegistry();
    const stats = new ProxyStats();
    await registerProxyStats(registry, stats, { lost: 7 });
    stats.connectionOpened();
    stats.connectionOpened();
    stats.connectionClosed();
    stats.requestSucceeded();
    stats.requestSucceeded();
    stats.requestFailed();
    stats.socksError('host_unreachable');
    stats.trackUpstream({ bytesRead: 40, bytesWritten: 30 }, { bytesRead: 10, bytesWritten: 10 });
    await registry.metrics();
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'proxy_client_connections_total 2',
        'proxy_client_connections_active 1',
        'proxy_client_requests_total{outcome="success"} 2',
        'proxy_client_requests_total{outcome="failure"} 1',
        'proxy_client_sent_bytes_total 20',
        'proxy_client_received_bytes_total 30',
        'proxy_client_socks5_errors_total{category="host_unreachable"} 1',
        'proxy_client_socks5_errors_total{category="timeout"} 0',
      ]),
    );
  });

  it('exports the counters of each user', async () => {
    const registry = await createMetricsRegistry();
    const stats = new ProxyStats();
    await registerProxyStats(registry, stats, { lost: 7 });
    stats.requestSucceeded('ann');
    stats.requestFailed('ann');
    stats.trackUser('ann', { bytesRead: 3, bytesWritten: 5 }).end();
    const lines = (await registry.metrics()).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'proxy_client_user_requests_total{user="ann",outcome="success"} 1',
        'proxy_client_user_requests_total{user="ann",outcome="failure"} 1',
        'proxy_client_user_bytes_total{user="ann",direction="sent"} 3',
        'proxy_client_user_bytes_total{user="ann",direction="received"} 5',
      ]),
    );
  });
});
