import { ProxyStats } from '../stats/proxy-stats.js';
import { TrafficHistory } from './traffic-history.js';

describe('TrafficHistory', () => {
  it('lists what happened in each interval, the current one included', () => {
    let now = Date.UTC(2026, 0, 31, 8, 30);
    const stats = new ProxyStats();
    stats.requestFailed();
    const history = new TrafficHistory(stats, () => now);
    stats.connectionOpened();
    stats.requestSucceeded();
    const meter = stats.trackUpstream({ bytesRead: 40, bytesWritten: 30 }, { bytesRead: 0, bytesWritten: 0 });
    now += 10_000;
    history.sample();
    meter.end();
    stats.connectionClosed();
    stats.requestFailed();
    stats.requestRejected();
    now += 3000;
    const quiet = { bytes_sent: 0, bytes_received: 0, successful_requests: 0 };
    expect(history.list()).toEqual({
      interval_ms: 10_000,
      samples: [
        {
          ...{ at: '2026-01-31T08:30:10.000Z', ms: 10_000, bytes_sent: 30, bytes_received: 40 },
          ...{ active_connections: 1, successful_requests: 1, failed_requests: 0, rejected_requests: 0 },
        },
        {
          ...{ at: '2026-01-31T08:30:13.000Z', ms: 3000, ...quiet, active_connections: 0 },
          ...{ failed_requests: 1, rejected_requests: 1 },
        },
      ],
    });
  });

  it('keeps an hour', () => {
    let now = 0;
    const history = new TrafficHistory(new ProxyStats(), () => now);
    for (let count = 0; count < 400; count += 1) {
      now += 10_000;
      history.sample();
    }
    const { samples } = history.list();
    expect([samples.length, Date.parse(samples[0]!.at)]).toEqual([361, 410_000]);
  });
});
