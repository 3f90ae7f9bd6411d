import { ProxyStats, SOCKS_ERROR_KEYS } from '#metrics';
import { presentHealth, presentStats } from './monitoring.presenter.js';

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
