import { createMetricsRegistry } from '#metrics';
import { ProxyStats, SOCKS_ERROR_KEYS } from '../stats/proxy-stats.js';
import { testGate } from '../routing/gate/testing/gate.js';
import { presentHealth, presentStats } from '../listener/own-pages.js';
import { registerProxyMetrics } from './proxy-metrics.js';
import type { ListStatus } from './api/routes.responses.js';
import type { UpstreamList } from './api/upstreams.responses.js';

const upstreams = (): UpstreamList => ({
  upstreams: [
    {
      name: 'work',
      address: null,
      protocol: null,
      via: null,
      state: 'up',
      suspect: false,
      since: '2026-01-31T08:30:00.000Z',
      latency_ms: 12.5,
      checked_at: null,
      down_since: null,
      last_failure: null,
      connections_opened: 5,
      connections_failed: 4,
    },
    {
      name: 'new',
      address: null,
      protocol: null,
      via: null,
      state: 'unknown',
      suspect: false,
      since: '2026-01-31T08:30:00.000Z',
      latency_ms: null,
      checked_at: null,
      down_since: null,
      last_failure: null,
      connections_opened: 0,
      connections_failed: 0,
    },
  ],
  scripts: [],
  groups: [{ name: 'any', pick: 'failover', members: ['work', 'new'], failovers: 3, selected: 'new', current: 'new' }],
});

const LIST = {
  rule: 1,
  name: 'ads.txt',
  format: 'hosts',
  entries: 40,
  used_lines: 40,
  unused_lines: 0,
  first_unused_line: null,
  refresh_seconds: null,
  checked_at: new Date(0).toISOString(),
  failures: 3,
  last_error: null,
};

const NOT_LOADED: ListStatus = { ...LIST, rule: 2, checked_at: null };

describe('registerProxyMetrics', () => {
  it('exports each counter with its value at the scrape', async () => {
    const registry = await createMetricsRegistry();
    const stats = new ProxyStats();
    await registerProxyMetrics(registry, {
      stats: () => stats.snapshot(),
      upstreams,
      lists: () => [],
      gate: testGate(),
      requestLog: { lost: 7 },
    });
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
        'proxy_client_group_member_selected{group="any",member="new"} 1',
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
    await registerProxyMetrics(registry, {
      stats: () => stats.snapshot(),
      upstreams,
      lists: () => [],
      gate: testGate(),
      requestLog: { lost: 7 },
    });
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

  it('exports the age of lists that are loaded, and the failures of all', async () => {
    const registry = await createMetricsRegistry();
    await registerProxyMetrics(registry, {
      stats: () => new ProxyStats().snapshot(),
      upstreams,
      lists: () => [LIST, NOT_LOADED],
      gate: testGate(),
      requestLog: { lost: 0 },
    });
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('proxy_client_list'));
    const [age = '', ...others] = lines;
    expect(age).toMatch(/^proxy_client_list_age_seconds\{rule="1",list="ads.txt"\} \d{10}/);
    expect(others).toEqual([
      'proxy_client_list_entries{rule="1",list="ads.txt"} 40',
      'proxy_client_list_entries{rule="2",list="ads.txt"} 40',
      'proxy_client_list_failures_total{rule="1",list="ads.txt"} 3',
      'proxy_client_list_failures_total{rule="2",list="ads.txt"} 3',
    ]);
  });

  it('exports the state of upstreams and groups, and omits what is unknown', async () => {
    const registry = await createMetricsRegistry();
    const stats = new ProxyStats();
    await registerProxyMetrics(registry, {
      stats: () => stats.snapshot(),
      upstreams,
      lists: () => [],
      gate: testGate(),
      requestLog: { lost: 7 },
    });
    await registry.metrics();
    const lines = (await registry.metrics()).split('\n');
    expect(lines.filter((line) => /^proxy_client_(?:upstream|failovers|request_log)/.test(line))).toEqual([
      'proxy_client_request_log_lines_lost_total 7',
      'proxy_client_upstream_up{upstream="work"} 1',
      'proxy_client_upstream_latency_seconds{upstream="work"} 0.0125',
      'proxy_client_upstream_connections_total{upstream="work",outcome="opened"} 5',
      'proxy_client_upstream_connections_total{upstream="work",outcome="failed"} 4',
      'proxy_client_upstream_connections_total{upstream="new",outcome="opened"} 0',
      'proxy_client_upstream_connections_total{upstream="new",outcome="failed"} 0',
      'proxy_client_failovers_total{group="any"} 3',
    ]);
  });
});

function snapshot() {
  let now = 0;
  const stats = new ProxyStats(() => now);
  now = 9_015_999;
  stats.connectionOpened();
  stats.connectionOpened();
  stats.connectionClosed();
  stats.requestSucceeded();
  stats.requestSucceeded();
  stats.requestFailed();
  stats.socksError('ttl_expired');
  stats.trackUpstream({ bytesRead: 9, bytesWritten: 8 }, { bytesRead: 2, bytesWritten: 3 });
  return stats.snapshot();
}

describe('presentStats', () => {
  it('has exactly the fields of the contract', () => {
    const taken = snapshot();
    expect(presentStats(taken)).toEqual({
      start_time: taken.startTime.toISOString(),
      uptime: '2h30m15s',
      total_connections: 2,
      active_connections: 1,
      successful_requests: 2,
      failed_requests: 1,
      bytes_sent: 5,
      bytes_received: 7,
      socks5_errors: Object.fromEntries(SOCKS_ERROR_KEYS.map((key) => [key, key === 'ttl_expired' ? 1 : 0])),
    });
  });
});

describe('presentHealth', () => {
  it('has exactly the fields of the contract', () => {
    expect(presentHealth(snapshot())).toEqual({
      status: 'healthy',
      uptime: '2h30m15s',
      active_connections: 1,
      success_rate: 66.67,
    });
  });
});
